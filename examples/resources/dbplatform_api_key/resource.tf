resource "dbplatform_api_key" "dashboards" {
  key_id = "33333333-3333-4333-8333-222222222222"

  name      = "Dashboards"
  roles     = ["query_endpoints"]
  expire_at = "2030-12-31T23:59:59Z" # or "never"

  ip_access_list = {
    "192.0.2.16/28" = "office"
  }
}
