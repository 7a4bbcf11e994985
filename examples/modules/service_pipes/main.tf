# One service and the pipes of it that are listed, each held to what is set for it.

resource "dbplatform_service" "this" {
  service_id      = var.service.id
  name            = var.service.name
  release_channel = var.service.release_channel
  ip_access_list  = var.service.ip_access_list
}

# For a service whose access list has other owners too.
resource "dbplatform_service_ip_access_entry" "this" {
  for_each = var.service.ip_access_entries

  service_id  = dbplatform_service.this.service_id
  source      = each.key
  description = each.value
}

resource "dbplatform_pipe_scaling" "this" {
  for_each = { for name, pipe in var.pipes : name => pipe if pipe.scaling != null }

  service_id = dbplatform_service.this.service_id
  pipe_id    = each.value.id

  replicas               = each.value.scaling.replicas
  concurrency            = each.value.scaling.concurrency
  replica_cpu_millicores = each.value.scaling.replica_cpu_millicores
  replica_memory_gb      = each.value.scaling.replica_memory_gb
}

resource "dbplatform_pipe_settings" "this" {
  for_each = { for name, pipe in var.pipes : name => pipe if pipe.settings != null }

  service_id = dbplatform_service.this.service_id
  pipe_id    = each.value.id

  streaming_max_insert_wait_ms          = each.value.settings.streaming_max_insert_wait_ms
  object_storage_concurrency            = each.value.settings.object_storage_concurrency
  object_storage_polling_interval_ms    = each.value.settings.object_storage_polling_interval_ms
  object_storage_max_insert_bytes       = each.value.settings.object_storage_max_insert_bytes
  object_storage_max_file_count         = each.value.settings.object_storage_max_file_count
  db_max_threads                        = each.value.settings.db_max_threads
  db_max_insert_threads                 = each.value.settings.db_max_insert_threads
  db_min_insert_block_size_bytes        = each.value.settings.db_min_insert_block_size_bytes
  db_max_download_threads               = each.value.settings.db_max_download_threads
  db_parallel_distributed_insert_select = each.value.settings.db_parallel_distributed_insert_select
  object_storage_use_cluster_function   = each.value.settings.object_storage_use_cluster_function
  db_parallel_view_processing           = each.value.settings.db_parallel_view_processing
}
