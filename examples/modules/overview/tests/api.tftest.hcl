# Runs against the mock API (make mock), whose address and credentials come from
# the environment.

provider "dbplatform" {}

variables {
  service_id           = "11111111-1111-4111-8111-111111111111"
  backup_max_age_hours = 1000000
}

run "looks_up" {
  variables {
    pipe_ids = {
      events    = "22222222-2222-4222-8222-111111111111"
      archive   = "22222222-2222-4222-8222-222222222222"
      clicks    = "22222222-2222-4222-8222-333333333333"
      customers = "22222222-2222-4222-8222-444444444444"
    }
  }

  assert {
    condition     = output.latest_backup == "backup-3"
    error_message = "The output is the backup that finished last."
  }
  assert {
    condition = { for name, pipe in output.pipes : name => pipe.source } == {
      events = "kafka", archive = "object_storage", clicks = "kinesis", customers = "postgres"
    }
    error_message = "The output shows the kind of source of each pipe."
  }
  assert {
    condition     = output.mysql_host == "orders.db.example"
    error_message = "The MySQL host comes from the service."
  }
  assert {
    condition     = output.pipes["events"].table == "default.events"
    error_message = "The output shows the table of each pipe."
  }
}

run "warns_about_an_old_backup" {
  variables {
    backup_max_age_hours = 1
  }

  expect_failures = [check.recent_backup]
}

run "warns_about_a_missing_backup" {
  command = plan

  variables {
    service_id = "11111111-1111-4111-8111-222222222222"
  }

  expect_failures = [check.recent_backup]
}

run "fails_if_a_backup_is_required" {
  command = plan

  variables {
    service_id     = "11111111-1111-4111-8111-222222222222"
    require_backup = true
  }

  expect_failures = [check.recent_backup, output.latest_backup]
}
