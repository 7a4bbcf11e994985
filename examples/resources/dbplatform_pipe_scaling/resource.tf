# A pipe with a Kafka source.
resource "dbplatform_pipe_scaling" "events" {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-111111111111"

  replicas               = 4
  replica_cpu_millicores = 500
  replica_memory_gb      = 2
}

# A pipe with an object-storage source.
resource "dbplatform_pipe_scaling" "archive" {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-222222222222"

  concurrency = 8
}
