terraform {
  required_version = ">= 1.8"

  required_providers {
    dbplatform = {
      source  = "dbplatform/dbplatform"
      version = "~> 0.1.0"
    }
  }
}
