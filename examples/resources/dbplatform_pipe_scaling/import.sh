# The import id is the UUID of the service and the UUID of the pipe.
terraform import dbplatform_pipe_scaling.events 11111111-1111-4111-8111-111111111111/22222222-2222-4222-8222-111111111111
