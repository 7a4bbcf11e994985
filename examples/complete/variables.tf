# The objects must exist: the provider adopts them. Their ids are shown in the
# management console of the platform.

variable "service_id" {
  description = "UUID of the service to manage."
  type        = string
}

variable "pipe_id" {
  description = "UUID of a pipe of the service, with a Kafka source."
  type        = string
}

variable "api_key_id" {
  description = "UUID of the API key that dashboards use."
  type        = string
}
