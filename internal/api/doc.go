// Package api is the client of the database platform's management API: its
// objects and its six operations. Comments name the operationId of an operation in
// internal/mockapi/openapi.yaml. The package knows nothing of Terraform.
//
// Members of objects are a [Value] (value.go). A [Client] (client.go, errors.go) reads objects
// through a cache (cache.go), and waits for changes (poll.go). Pipes are in pipe.go and pipe_settings.go, backups in backup.go. A
// change of a list is a [ListUpdate] (list.go, address.go), which keys send whole (key.go), and services
// as a difference (service.go, service_list.go, service_delivery.go, service_update.go). Bounds are a
// [Range] (range.go), and what may be logged is in logged.go.
//
// What a client returns is shared between callers, and none may change it.
package api
