# Needs no API and no credentials. Terraform 1.7 or newer runs it, and OpenTofu
# 1.8 or newer.

mock_provider "dbplatform" {}

variables {
  service = { id = "11111111-1111-4111-8111-111111111111" }
}

run "what_is_left_out_gets_no_resource" {
  variables {
    pipes = {
      events  = { id = "22222222-2222-4222-8222-111111111111", scaling = { replicas = 4 } }
      archive = { id = "22222222-2222-4222-8222-222222222222", settings = { db_max_threads = 0 } }
      clicks  = { id = "22222222-2222-4222-8222-333333333333" }
    }
  }

  assert {
    condition     = keys(dbplatform_pipe_scaling.this) == ["events"]
    error_message = "One pipe has a scaling."
  }
  assert {
    condition     = keys(dbplatform_pipe_settings.this) == ["archive"]
    error_message = "One pipe has settings."
  }
  assert {
    condition     = dbplatform_pipe_settings.this["archive"].db_max_threads == 0
    error_message = "A value of 0 is a value."
  }
  assert {
    condition     = length(output.pipe_ids) == 3 && output.scaling["events"].replicas == 4
    error_message = "The outputs show every pipe and its scaling."
  }
}

run "a_service_alone" {
  assert {
    condition     = length(output.pipe_ids) == 0 && output.service_id == "11111111-1111-4111-8111-111111111111"
    error_message = "A service needs no pipes."
  }
}

run "ids_are_uuids" {
  command = plan

  variables {
    service = { id = "orders" }
    pipes   = { events = { id = "events" } }
  }

  expect_failures = [var.service, var.pipes]
}

run "nobody_opens_a_service_to_everyone" {
  command = plan

  variables {
    service = { id = "11111111-1111-4111-8111-111111111111", ip_access_list = { "0.0.0.0/0" = "" } }
  }

  expect_failures = [var.service]
}

run "a_pipe_stands_there_once" {
  command = plan

  variables {
    pipes = {
      one = { id = "22222222-2222-4222-8222-aaaaaaaaaaaa" }
      two = { id = "22222222-2222-4222-8222-AAAAAAAAAAAA" }
    }
  }

  expect_failures = [var.pipes]
}

run "a_scaling_sets_something" {
  command = plan

  variables {
    pipes = { events = { id = "22222222-2222-4222-8222-111111111111", scaling = {} } }
  }

  expect_failures = [var.pipes]
}
