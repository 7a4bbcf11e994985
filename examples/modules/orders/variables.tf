variable "service_id" {
  description = "The id (UUID) of the service to manage."
  type        = string
}

variable "pipe_id" {
  description = "The id (UUID) of a pipe of that service with a Kafka source."
  type        = string
}

variable "backup_max_age_hours" {
  description = "How old the service's newest backup may be, in hours, before every plan and apply warns of it."
  type        = number
  default     = 48
}
