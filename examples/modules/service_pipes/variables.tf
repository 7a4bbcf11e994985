variable "service" {
  description = "The existing service to manage. Attributes you leave out are not managed."
  nullable    = false
  type = object({
    id              = string
    name            = optional(string)
    release_channel = optional(string)
    ip_access_list  = optional(map(string))

    # Single entries, beside those of others.
    ip_access_entries = optional(map(string), {})
  })

  validation {
    condition     = can(regex("^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", var.service.id))
    error_message = "service.id must be a UUID."
  }

  # A rule of this module, not of the API.
  validation {
    condition = alltrue([
      for source in keys(merge(var.service.ip_access_list, var.service.ip_access_entries)) : !contains(["0.0.0.0/0", "::/0"], source)
    ])
    error_message = "The access list must not be open to everyone."
  }

  validation {
    condition     = var.service.ip_access_list == null || length(var.service.ip_access_entries) == 0
    error_message = "Set ip_access_list or ip_access_entries, not both."
  }
}

variable "pipes" {
  description = "Map from names of your choice to existing pipes of the service. Attributes you leave out are not managed."
  nullable    = false
  default     = {}
  type = map(object({
    id = string

    scaling = optional(object({
      replicas               = optional(number)
      concurrency            = optional(number)
      replica_cpu_millicores = optional(number)
      replica_memory_gb      = optional(number)
    }))

    settings = optional(object({
      streaming_max_insert_wait_ms          = optional(number)
      object_storage_concurrency            = optional(number)
      object_storage_polling_interval_ms    = optional(number)
      object_storage_max_insert_bytes       = optional(number)
      object_storage_max_file_count         = optional(number)
      db_max_threads                        = optional(number)
      db_max_insert_threads                 = optional(number)
      db_min_insert_block_size_bytes        = optional(number)
      db_max_download_threads               = optional(number)
      db_parallel_distributed_insert_select = optional(number)
      object_storage_use_cluster_function   = optional(bool)
      db_parallel_view_processing           = optional(bool)
    }))
  }))

  validation {
    condition = alltrue([
      for pipe in var.pipes : can(regex("^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", pipe.id))
    ])
    error_message = "The id of each pipe must be a UUID."
  }

  # Two resources for one pipe would undo each other's changes.
  validation {
    condition     = length(distinct([for pipe in var.pipes : lower(pipe.id)])) == length(var.pipes)
    error_message = "Each pipe must be listed only once."
  }
}
