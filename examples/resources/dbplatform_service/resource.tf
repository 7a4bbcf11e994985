resource "dbplatform_service" "orders" {
  service_id = "11111111-1111-4111-8111-111111111111"

  name            = "Orders production"
  release_channel = "slow"

  ip_access_list = {
    "10.0.0.0/8"    = "private network"
    "192.0.2.7"     = "office"
    "192.0.2.16/28" = "second office"
    "203.0.113.9"   = "" # no description
  }

  # Only the listed protocols are managed.
  endpoints_enabled = {
    mysql = true
  }
}

output "mysql_host" {
  description = "Host for MySQL clients; empty if the endpoint is disabled."
  value       = try(dbplatform_service.orders.endpoints["mysql"].host, "")
}
