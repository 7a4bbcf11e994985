terraform {
  required_providers {
    dbplatform = {
      source  = "dbplatform/dbplatform"
      version = "~> 0.1"
    }
  }
}

# Each setting can come from the environment instead: a setting that is left out
# here is taken from DBPLATFORM_BASE_URL, DBPLATFORM_ORGANIZATION_ID and so on.
provider "dbplatform" {
  base_url        = "https://api.example.com"
  organization_id = "00000000-0000-4000-8000-000000000001"
  key_id          = var.dbplatform_key_id
  key_secret      = var.dbplatform_key_secret
}

variable "dbplatform_key_id" {
  description = "Id of the API key that Terraform uses."
  type        = string
}

# A secret does not belong in a file: TF_VAR_dbplatform_key_secret sets it.
variable "dbplatform_key_secret" {
  description = "Secret of the API key that Terraform uses."
  type        = string
  sensitive   = true
}
