terraform {
  backend "http" {}
}

variable "pipes" { type = number }

resource "terraform_data" "scaling" {
  count = var.pipes
  input = {
    service_id = "11111111-1111-4111-8111-111111111111"
    pipe_id    = format("55555555-5555-4555-8555-%012d", count.index + 1)
    replicas   = 3
  }
}

resource "terraform_data" "settings" {
  count = var.pipes
  input = {
    service_id     = "11111111-1111-4111-8111-111111111111"
    pipe_id        = format("55555555-5555-4555-8555-%012d", count.index + 1)
    db_max_threads = 5
  }
}
