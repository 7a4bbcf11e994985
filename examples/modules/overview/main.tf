# Looks up objects and changes nothing.

data "dbplatform_service" "this" {
  service_id = var.service_id
}

data "dbplatform_backups" "this" {
  service_id = var.service_id
}

data "dbplatform_pipe" "this" {
  for_each = var.pipe_ids

  service_id = var.service_id
  pipe_id    = each.value
}

locals {
  latest = data.dbplatform_backups.this.latest
}

# Warns about an old or missing backup. require_backup turns a missing one into an
# error; see the output latest_backup.
check "recent_backup" {
  assert {
    condition = try(
      timecmp(local.latest.finished_at, timeadd(plantimestamp(), "-${var.backup_max_age_hours}h")) > 0,
      false,
    )
    error_message = (
      local.latest == null
      ? "Service ${var.service_id} has no finished backup."
      : "The newest backup of service ${var.service_id} finished at ${local.latest.finished_at}, more than ${var.backup_max_age_hours} hours ago."
    )
  }
}
