output "mysql_host" {
  description = "Host for MySQL clients; null if the endpoint is disabled."
  value       = try(module.service_pipes.endpoints["mysql"].host, null)
}

output "pipes" {
  description = "State, kind of source and table of each pipe, by name."
  value       = module.overview.pipes
}

output "latest_backup" {
  description = "When the newest backup of the service finished."
  value       = module.overview.latest_backup.finished_at
}
