# All three exist already: the provider adopts objects, it creates none. Their ids
# are shown in the provider's management console.

variable "service_id" {
  description = "Id (UUID) of the service to manage."
  type        = string
}

variable "pipe_id" {
  description = "Id (UUID) of a pipe of that service with a Kafka source."
  type        = string
}

variable "api_key_id" {
  description = "Id (UUID) of the API key that dashboards use."
  type        = string
}
