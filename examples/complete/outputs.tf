output "events" {
  description = "State of the pipe and its destination table."
  value = {
    state = data.dbplatform_pipe.events.state
    table = join(".", [
      data.dbplatform_pipe.events.destination.database,
      data.dbplatform_pipe.events.destination.table,
    ])
  }
}

output "latest_backup" {
  description = "Name of the newest backup; empty if there is none."
  value       = try(data.dbplatform_backups.orders.latest.backup_name, "")
}
