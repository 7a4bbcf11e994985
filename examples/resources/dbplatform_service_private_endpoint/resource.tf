resource "dbplatform_service_private_endpoint" "analytics" {
  service_id          = "11111111-1111-4111-8111-111111111111"
  private_endpoint_id = "vpce-8c9d0e1f"
}
