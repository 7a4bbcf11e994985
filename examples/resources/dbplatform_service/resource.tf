resource "dbplatform_service" "orders" {
  service_id = "11111111-1111-4111-8111-111111111111"

  name            = "Orders production"
  release_channel = "slow"

  # The whole list: an address that is not in it is removed from the service.
  ip_access_list = {
    "10.0.0.0/8"    = "private network"
    "192.0.2.16/28" = "office"
    "203.0.113.9"   = "" # no description
  }

  # Only the protocols that are listed here are managed.
  endpoints_enabled = {
    mysql = true
  }
}

output "mysql_host" {
  description = "Where MySQL clients connect; null while that endpoint is disabled."
  value       = try(dbplatform_service.orders.endpoints["mysql"].host, null)
}
