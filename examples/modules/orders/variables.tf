variable "service_id" {
  description = "UUID of the service to manage."
  type        = string
}

variable "pipe_id" {
  description = "UUID of a pipe of the service, with a Kafka source."
  type        = string
}

variable "backup_max_age_hours" {
  description = "Maximum age of the newest backup in hours. An older one causes a warning."
  type        = number
  default     = 48
}
