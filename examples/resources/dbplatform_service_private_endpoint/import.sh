# The import id is service_id/private_endpoint_id.
terraform import dbplatform_service_private_endpoint.reports 11111111-1111-4111-8111-111111111111/vpce-4e5f6a7b
