# The import id is the UUID of the service and the UUID of the pipe.
terraform import dbplatform_pipe_settings.archive 11111111-1111-4111-8111-111111111111/22222222-2222-4222-8222-222222222222
