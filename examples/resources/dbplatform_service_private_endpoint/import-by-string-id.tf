import {
  to = dbplatform_service_private_endpoint.analytics
  id = "11111111-1111-4111-8111-111111111111/vpce-4e5f6a7b"
}
