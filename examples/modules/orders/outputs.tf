output "mysql_host" {
  description = "Host for MySQL clients; empty if the endpoint is disabled."
  value       = try(module.service_pipes.endpoints["mysql"].host, "")
}

output "pipes" {
  description = "State, kind of source and table of each pipe, by name."
  value       = module.overview.pipes
}

output "latest_backup" {
  description = "Name of the newest backup of the service."
  value       = module.overview.latest_backup
}
