# Only the attributes set here are managed. Removing a resource does not delete its
# object.

resource "dbplatform_service" "orders" {
  service_id      = var.service_id
  name            = "Orders production"
  release_channel = "slow"

  # Authoritative: entries that are not listed are removed. An adoption fails instead.
  ip_access_list = {
    "10.0.0.0/8"    = "private network"
    "192.0.2.7"     = "office"
    "192.0.2.16/28" = "second office"
  }
}

resource "dbplatform_pipe_scaling" "events" {
  service_id = dbplatform_service.orders.service_id
  pipe_id    = var.pipe_id

  replicas               = 4
  replica_cpu_millicores = 500
  replica_memory_gb      = 2
}

resource "dbplatform_pipe_settings" "events" {
  service_id = dbplatform_service.orders.service_id
  pipe_id    = var.pipe_id

  streaming_max_insert_wait_ms = 2000
  db_max_insert_threads        = 4
  db_parallel_view_processing  = true
}

resource "dbplatform_api_key" "dashboards" {
  key_id    = var.api_key_id
  roles     = ["query_endpoints"]
  state     = "enabled"
  expire_at = "2030-12-31T23:59:59Z"

  ip_access_list = {
    "192.0.2.16/28"   = "office"
    "198.51.100.0/24" = "runners"
    "2001:db8::1"     = "bastion"
  }
}

data "dbplatform_pipe" "events" {
  service_id = var.service_id
  pipe_id    = var.pipe_id
}

data "dbplatform_backups" "orders" {
  service_id = var.service_id
}
