terraform {
  required_providers {
    dbplatform = {
      source  = "dbplatform/dbplatform"
      version = "~> 0.1.0"
    }
  }
}

# The credentials come from DBPLATFORM_KEY_ID and DBPLATFORM_KEY_SECRET.
provider "dbplatform" {
  base_url        = "https://api.example.com"
  organization_id = "00000000-0000-4000-8000-000000000001"
}

resource "dbplatform_pipe_scaling" "events" {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-111111111111"
  replicas   = 4
}
