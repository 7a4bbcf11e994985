data "dbplatform_pipe" "events" {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-111111111111"
}

# replicas applies only to Kafka sources.
resource "dbplatform_pipe_scaling" "events" {
  count = data.dbplatform_pipe.events.source_type == "kafka" ? 1 : 0

  service_id = data.dbplatform_pipe.events.service_id
  pipe_id    = data.dbplatform_pipe.events.pipe_id
  replicas   = 4
}

output "destination" {
  description = "Destination table of the pipe."
  value = join(".", [
    data.dbplatform_pipe.events.destination.database,
    data.dbplatform_pipe.events.destination.table,
  ])
}
