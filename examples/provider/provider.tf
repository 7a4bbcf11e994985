terraform {
  required_providers {
    dbplatform = {
      source  = "dbplatform/dbplatform"
      version = "~> 0.1.0"
    }
  }
}

# Each argument can also be set in the environment: DBPLATFORM_BASE_URL,
# DBPLATFORM_ORGANIZATION_ID, DBPLATFORM_KEY_ID and DBPLATFORM_KEY_SECRET.
provider "dbplatform" {
  base_url        = "https://api.example.com"
  organization_id = "00000000-0000-4000-8000-000000000001"
  key_id          = var.dbplatform_key_id
  key_secret      = var.dbplatform_key_secret
}

variable "dbplatform_key_id" {
  description = "Id of the API key for Terraform."
  type        = string
}

# Set it with TF_VAR_dbplatform_key_secret, not in a file.
variable "dbplatform_key_secret" {
  description = "Secret of the API key for Terraform."
  type        = string
  sensitive   = true
}
