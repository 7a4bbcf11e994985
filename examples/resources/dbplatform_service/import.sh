# The import id is the UUID of the service.
terraform import dbplatform_service.orders 11111111-1111-4111-8111-111111111111
