data "dbplatform_backups" "orders" {
  service_id = "11111111-1111-4111-8111-111111111111"
}

# This service gets new releases early, so it must have a backup.
resource "dbplatform_service" "orders" {
  service_id      = data.dbplatform_backups.orders.service_id
  release_channel = "fast"

  lifecycle {
    precondition {
      condition     = data.dbplatform_backups.orders.latest != null
      error_message = "The service has no finished backup."
    }
  }
}

output "latest_backup" {
  description = "Name of the newest backup; empty if there is none."
  value       = try(data.dbplatform_backups.orders.latest.backup_name, "")
}
