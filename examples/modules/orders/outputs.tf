output "mysql_host" {
  description = "Where MySQL clients connect; null while that endpoint is disabled."
  value       = try(module.service_pipes.endpoints["mysql"].host, null)
}

output "pipes" {
  description = "What each pipe is and does, by its name."
  value       = module.overview.pipes
}

output "latest_backup" {
  description = "When the service's newest backup was complete."
  value       = module.overview.latest_backup.finished_at
}
