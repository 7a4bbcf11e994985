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
      state = pipe.state
      source = try(one([
        for kind in ["kafka", "object_storage", "kinesis", "postgres"] : kind if nonsensitive(pipe.source[kind] != null)
      ]), null)
      table = try("${pipe.destination.database}.${pipe.destination.table}", null)
    }
  }
}
