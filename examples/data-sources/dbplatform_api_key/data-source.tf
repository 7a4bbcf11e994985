data "dbplatform_api_key" "deployment" {
  key_id = "33333333-3333-4333-8333-111111111111"
}

output "deployment_key_expiry" {
  description = "When the key expires, or \"never\"."
  value       = data.dbplatform_api_key.deployment.expire_at
}
