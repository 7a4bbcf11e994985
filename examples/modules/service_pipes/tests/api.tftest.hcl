# Runs against the mock API (make mock), whose address and credentials come from
# the environment.

provider "dbplatform" {}

variables {
  service = {
    id             = "11111111-1111-4111-8111-111111111111"
    name           = "Orders production"
    ip_access_list = { "10.0.0.0/8" = "private network", "192.0.2.7" = "office" }
  }
  pipes = {
    events = {
      id       = "22222222-2222-4222-8222-111111111111"
      scaling  = { replicas = 4, replica_memory_gb = 2 }
      settings = { streaming_max_insert_wait_ms = 2000 }
    }
    archive = {
      id       = "22222222-2222-4222-8222-222222222222"
      scaling  = { concurrency = 8 }
      settings = { object_storage_max_file_count = 500 }
    }
  }
}

run "adopt" {
  assert {
    condition     = dbplatform_service.this.name == "Orders production" && dbplatform_service.this.num_replicas == 3
    error_message = "The service has the new name, and shows unmanaged attributes."
  }
  assert {
    condition     = output.scaling["events"].replicas == 4 && output.scaling["events"].replica_cpu_millicores == 250
    error_message = "The pipe is scaled, and keeps unmanaged values."
  }
}

run "change_one_pipe" {
  variables {
    pipes = {
      events = {
        id       = "22222222-2222-4222-8222-111111111111"
        scaling  = { replicas = 6, replica_memory_gb = 2 }
        settings = { streaming_max_insert_wait_ms = 2000 }
      }
      archive = {
        id      = "22222222-2222-4222-8222-222222222222"
        scaling = { concurrency = 8 }
      }
    }
  }

  assert {
    condition     = output.scaling["events"].replicas == 6 && output.scaling["archive"].concurrency == 8
    error_message = "Only one pipe changes."
  }
  assert {
    condition     = keys(dbplatform_pipe_settings.this) == ["events"]
    error_message = "The settings of the other pipe are no longer managed."
  }
}
