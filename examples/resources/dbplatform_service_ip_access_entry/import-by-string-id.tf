import {
  to = dbplatform_service_ip_access_entry.private
  id = "11111111-1111-4111-8111-111111111111/10.0.0.0/8"
}

resource "dbplatform_service_ip_access_entry" "private" {
  service_id  = "11111111-1111-4111-8111-111111111111"
  source      = "10.0.0.0/8"
  description = "private network"
}
