data "dbplatform_service" "orders" {
  service_id = "11111111-1111-4111-8111-111111111111"
}

output "mysql_host" {
  description = "Host for MySQL clients; empty if the endpoint is disabled."
  value       = try(data.dbplatform_service.orders.endpoints["mysql"].host, "")
}
