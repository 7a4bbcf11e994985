# The ids are known during the plan, so that other modules can use them in for_each
# and in data sources.

output "service_id" {
  description = "UUID of the service."
  value       = dbplatform_service.this.service_id
}

output "pipe_ids" {
  description = "UUID of each pipe, by name."
  value       = { for name, pipe in var.pipes : name => pipe.id }
}

output "endpoints" {
  description = "Host, port and user name to connect to, by protocol."
  value       = dbplatform_service.this.endpoints
}

output "scaling" {
  description = "Scaling of each pipe whose scaling is managed, by name, including unmanaged attributes."
  value = {
    for name, scaling in dbplatform_pipe_scaling.this : name => {
      for attribute, value in scaling : attribute => value if !endswith(attribute, "_id")
    }
  }
}
