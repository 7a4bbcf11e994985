# One module manages the service and its pipe, the other looks them up.

module "service_pipes" {
  source = "../service_pipes"

  service = {
    id              = var.service_id
    name            = "Orders production"
    release_channel = "slow"
    ip_access_list  = { "10.0.0.0/8" = "private network", "192.0.2.7" = "office" }
  }

  pipes = {
    events = {
      id       = var.pipe_id
      scaling  = { replicas = 4, replica_memory_gb = 2 }
      settings = { streaming_max_insert_wait_ms = 2000, db_max_insert_threads = 4 }
    }
  }
}

module "overview" {
  source = "../overview"

  service_id           = module.service_pipes.service_id
  pipe_ids             = module.service_pipes.pipe_ids
  backup_max_age_hours = var.backup_max_age_hours
  require_backup       = true # without a backup, nothing is changed
}
