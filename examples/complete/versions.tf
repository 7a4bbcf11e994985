terraform {
  required_version = ">= 1.8"

  required_providers {
    dbplatform = {
      source  = "dbplatform/dbplatform"
      version = "~> 0.1.0"
    }
  }
}

# The API address and credentials come from the environment: DBPLATFORM_BASE_URL,
# DBPLATFORM_ORGANIZATION_ID, DBPLATFORM_KEY_ID and DBPLATFORM_KEY_SECRET.
provider "dbplatform" {}
