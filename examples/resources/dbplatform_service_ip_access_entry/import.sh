# The import id is service_id/source.
terraform import dbplatform_service_ip_access_entry.private 11111111-1111-4111-8111-111111111111/10.0.0.0/8
