output "latest_backup" {
  description = "Name of the newest backup of the service; empty if there is none."
  value       = try(local.latest.backup_name, "")

  precondition {
    condition     = local.latest != null || !var.require_backup
    error_message = "Service ${var.service_id} has no finished backup, but one is required."
  }
}

output "pipes" {
  description = "State, kind of source and destination table of each pipe, by name."
  value = {
    for name, pipe in data.dbplatform_pipe.this : name => {
      state  = pipe.state
      source = pipe.source_type
      table  = try("${pipe.destination.database}.${pipe.destination.table}", null)
    }
  }
}

output "mysql_host" {
  description = "Host for MySQL clients; empty if the endpoint is disabled."
  value       = try(data.dbplatform_service.this.endpoints["mysql"].host, "")
}
