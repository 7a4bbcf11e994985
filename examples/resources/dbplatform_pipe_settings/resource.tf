# Larger batches, less often. Other settings are not managed.
resource "dbplatform_pipe_settings" "archive" {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-222222222222"

  object_storage_polling_interval_ms = 5 * 60 * 1000
  object_storage_max_file_count      = 500
  object_storage_max_insert_bytes    = 20 * 1024 * 1024 * 1024
  db_max_insert_threads              = 4
}
