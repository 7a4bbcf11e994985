output "events" {
  description = "The pipe's state and the table it fills."
  value = {
    state = data.dbplatform_pipe.events.state
    table = join(".", [
      data.dbplatform_pipe.events.destination.database,
      data.dbplatform_pipe.events.destination.table,
    ])
  }
}

output "latest_backup" {
  description = "When the service's newest backup was complete; null where it has none."
  value       = try(data.dbplatform_backups.orders.latest.finished_at, null)
}
