# The ids are known when a plan is made, so that another module can use them as
# keys and look things up during the plan.

output "service_id" {
  description = "The id of the service."
  value       = dbplatform_service.this.service_id
}

output "pipe_ids" {
  description = "The id of each pipe, by its name here."
  value       = { for name, pipe in var.pipes : name => pipe.id }
}

output "endpoints" {
  description = "Where clients connect, by protocol."
  value       = dbplatform_service.this.endpoints
}

output "scaling" {
  description = "How each pipe with a scaling is scaled, by its name here; what is not managed included."
  value = {
    for name, scaling in dbplatform_pipe_scaling.this : name => {
      replicas               = scaling.replicas
      concurrency            = scaling.concurrency
      replica_cpu_millicores = scaling.replica_cpu_millicores
      replica_memory_gb      = scaling.replica_memory_gb
    }
  }
}
