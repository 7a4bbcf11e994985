# The import id is the UUID of the key.
terraform import dbplatform_api_key.dashboards 33333333-3333-4333-8333-222222222222
