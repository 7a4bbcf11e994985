variable "service_id" {
  description = "The id (UUID) of the service to look at."
  type        = string
  nullable    = false
}

variable "pipe_ids" {
  description = "The ids (UUIDs) of the service's pipes to look at, each under a name of your own."
  type        = map(string)
  nullable    = false
  default     = {}
}

variable "backup_max_age_hours" {
  description = "How old the newest backup may be, in hours, before every plan and apply warns of it."
  type        = number
  nullable    = false
  default     = 48

  validation {
    condition     = var.backup_max_age_hours >= 1
    error_message = "The newest backup may be at least one hour old."
  }
}

variable "require_backup" {
  description = "Whether a plan fails where no backup has finished, instead of a warning alone."
  type        = bool
  nullable    = false
  default     = false
}
