# Runs against the API that the environment names. The ids are those of the
# mock API that `make mock` serves.

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
    condition     = output.latest_backup.backup_name == "backup-3"
    error_message = "The newest backup is the one that finished last."
  }
  assert {
    condition = { for name, pipe in output.pipes : name => pipe.source } == {
      events = "kafka", archive = "object_storage", clicks = "kinesis", customers = "postgres"
    }
    error_message = "Each pipe shows what it reads from."
  }
  assert {
    condition     = output.mysql_host == "orders.db.example"
    error_message = "The MySQL host comes from the service."
  }
  assert {
    condition     = output.pipes["events"].table == "default.events"
    error_message = "Each pipe shows the table that it fills."
  }
}

run "warns_of_an_old_backup" {
  variables {
    backup_max_age_hours = 1
  }

  expect_failures = [check.recent_backup]
}

run "warns_of_a_service_without_a_backup" {
  command = plan

  variables {
    service_id = "11111111-1111-4111-8111-222222222222"
  }

  expect_failures = [check.recent_backup]
}

run "refuses_it_where_one_is_required" {
  command = plan

  variables {
    service_id     = "11111111-1111-4111-8111-222222222222"
    require_backup = true
  }

  expect_failures = [check.recent_backup, output.latest_backup]
}
