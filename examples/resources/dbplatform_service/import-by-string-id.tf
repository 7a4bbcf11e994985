import {
  to = dbplatform_service.orders
  id = "11111111-1111-4111-8111-111111111111"
}
