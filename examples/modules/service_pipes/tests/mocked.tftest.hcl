# Needs no API and no credentials.

mock_provider "dbplatform" {}

variables {
  service = { id = "11111111-1111-4111-8111-111111111111" }
}

run "resources_only_for_what_is_set" {
  variables {
    pipes = {
      events  = { id = "22222222-2222-4222-8222-111111111111", scaling = { replicas = 4 } }
      archive = { id = "22222222-2222-4222-8222-222222222222", settings = { db_max_threads = 0 } }
      clicks  = { id = "22222222-2222-4222-8222-333333333333" }
    }
  }

  assert {
    condition     = keys(dbplatform_pipe_scaling.this) == ["events"]
    error_message = "Only one pipe has a scaling."
  }
  assert {
    condition     = keys(dbplatform_pipe_settings.this) == ["archive"]
    error_message = "Only one pipe has settings."
  }
  assert {
    condition     = dbplatform_pipe_settings.this["archive"].db_max_threads == 0
    error_message = "0 is a value, not unset."
  }
  assert {
    condition     = length(output.pipe_ids) == 3 && output.scaling["events"].replicas == 4
    error_message = "The outputs contain every pipe and its scaling."
  }
}

run "service_without_pipes" {
  assert {
    condition     = length(output.pipe_ids) == 0 && output.service_id == "11111111-1111-4111-8111-111111111111"
    error_message = "The module works without pipes."
  }
}

run "entries_beside_those_of_others" {
  variables {
    service = { id = "11111111-1111-4111-8111-111111111111", ip_access_entries = { "203.0.113.9" = "bastion" } }
  }

  assert {
    condition     = dbplatform_service_ip_access_entry.this["203.0.113.9"].description == "bastion"
    error_message = "The entry has its description."
  }
}

run "list_or_entries" {
  command = plan

  variables {
    service = {
      id                = "11111111-1111-4111-8111-111111111111"
      ip_access_list    = { "10.0.0.0/8" = "" }
      ip_access_entries = { "203.0.113.9" = "" }
    }
  }

  expect_failures = [var.service]
}

run "ids_are_uuids" {
  command = plan

  variables {
    service = { id = "orders" }
    pipes   = { events = { id = "events" } }
  }

  expect_failures = [var.service, var.pipes]
}

run "not_open_to_everyone" {
  command = plan

  variables {
    service = { id = "11111111-1111-4111-8111-111111111111", ip_access_list = { "0.0.0.0/0" = "" } }
  }

  expect_failures = [var.service]
}

run "each_pipe_once" {
  command = plan

  variables {
    pipes = {
      one = { id = "22222222-2222-4222-8222-aaaaaaaaaaaa" }
      two = { id = "22222222-2222-4222-8222-AAAAAAAAAAAA" }
    }
  }

  expect_failures = [var.pipes]
}
