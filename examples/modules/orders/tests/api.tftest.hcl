# Runs against the mock API (make mock), whose address and credentials come from
# the environment. Its newest backup is old.

variables {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-111111111111"

  backup_max_age_hours = 1000000
}

run "apply" {
  assert {
    condition     = output.mysql_host == "orders.db.example"
    error_message = "The output is the host of the service."
  }
  assert {
    condition     = output.pipes["events"].source == "kafka" && output.latest_backup == "backup-3"
    error_message = "The outputs show the pipe and the backup."
  }
}
