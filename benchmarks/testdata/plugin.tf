terraform {
  required_providers {
    dbplatform = { source = "registry.terraform.io/dbplatform/dbplatform" }
  }
  backend "http" {}
}

variable "pipes" { type = number }

resource "dbplatform_pipe_scaling" "scaling" {
  count      = var.pipes
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = format("55555555-5555-4555-8555-%012d", count.index + 1)
  replicas   = 3
}

resource "dbplatform_pipe_settings" "settings" {
  count          = var.pipes
  service_id     = "11111111-1111-4111-8111-111111111111"
  pipe_id        = format("55555555-5555-4555-8555-%012d", count.index + 1)
  db_max_threads = 5
}
