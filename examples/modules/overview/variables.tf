variable "service_id" {
  description = "UUID of the service."
  type        = string
  nullable    = false
}

variable "pipe_ids" {
  description = "Map from names of your choice to UUIDs of pipes of the service."
  type        = map(string)
  nullable    = false
  default     = {}
}

variable "backup_max_age_hours" {
  description = "Maximum age of the newest backup in hours. An older one causes a warning."
  type        = number
  nullable    = false
  default     = 48

  validation {
    condition     = var.backup_max_age_hours >= 1
    error_message = "backup_max_age_hours must be at least 1."
  }
}

variable "require_backup" {
  description = "Whether the plan fails if there is no finished backup. Otherwise it only warns."
  type        = bool
  nullable    = false
  default     = false
}
