# The addresses of one team. Others add theirs elsewhere.
resource "dbplatform_service_ip_access_entry" "team" {
  for_each = {
    "203.0.113.9"      = "bastion"
    "2001:db8:1::/48"  = "office"
    "198.51.100.64/26" = "runners"
  }

  service_id  = "11111111-1111-4111-8111-111111111111"
  source      = each.key
  description = each.value
}
