# Needs no API and no credentials.

mock_provider "dbplatform" {
  mock_data "dbplatform_backups" {
    defaults = {
      latest = {
        id                  = "44444444-4444-4444-8444-000000000001"
        service_id          = "11111111-1111-4111-8111-111111111111"
        started_at          = "2025-07-01T01:00:00Z"
        finished_at         = "2025-07-01T01:20:00Z"
        size_in_bytes       = 1000
        duration_in_seconds = 1200
        backup_name         = "backup-1"
        bucket              = { bucket_path = "", iam_role_arn = "", iam_role_session_name = "" }
      }
    }
  }
}

variables {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-111111111111"

  backup_max_age_hours = 1000000
}

run "the_modules_fit" {
  assert {
    condition     = module.service_pipes.pipe_ids == { events = "22222222-2222-4222-8222-111111111111" }
    error_message = "The managed pipe is the one that is looked up."
  }
  assert {
    condition     = keys(output.pipes) == ["events"]
    error_message = "The output contains each managed pipe."
  }
  assert {
    condition     = output.latest_backup == "backup-1"
    error_message = "The output is the newest backup."
  }
}
