output "latest_backup" {
  description = "The service's newest complete backup; null where there is none, unless one is required."
  value       = local.latest

  precondition {
    condition     = local.latest != null || !var.require_backup
    error_message = "The service ${var.service_id} has no backup that has finished, and one is required."
  }
}

output "pipes" {
  description = "The state of each pipe, what it reads from and the table that it fills, by its name here."
  value = {
    for name, pipe in data.dbplatform_pipe.this : name => {
      state  = pipe.state
      source = pipe.source_type
      table  = try("${pipe.destination.database}.${pipe.destination.table}", null)
    }
  }
}

output "mysql_host" {
  description = "Host that MySQL clients connect to; null if the endpoint is disabled."
  value       = try(data.dbplatform_service.this.endpoints["mysql"].host, null)
}
