import {
  to = dbplatform_service_private_endpoint.reports
  id = "11111111-1111-4111-8111-111111111111/vpce-4e5f6a7b"
}

resource "dbplatform_service_private_endpoint" "reports" {
  service_id          = "11111111-1111-4111-8111-111111111111"
  private_endpoint_id = "vpce-4e5f6a7b"
}
