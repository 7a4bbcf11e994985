# Looks things up and changes nothing.

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

# A backup that is old or missing is a warning, and stops nothing. One that is
# missing stops those who require it: see the output.
check "recent_backup" {
  assert {
    condition = try(
      timecmp(local.latest.finished_at, timeadd(plantimestamp(), "-${var.backup_max_age_hours}h")) > 0,
      false,
    )
    error_message = (
      local.latest == null
      ? "The service ${var.service_id} has no backup that has finished."
      : "The newest backup of the service ${var.service_id} finished at ${local.latest.finished_at}, more than ${var.backup_max_age_hours} hours ago."
    )
  }
}
