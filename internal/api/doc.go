// Package api is the client of the database platform's management API: its
// objects and its six operations. Comments name the operationId of an operation in
// internal/mockapi/openapi.yaml. The package knows nothing of Terraform, apart from the advice in errors.
//
// From the bottom up:
//
//   - Each member of an object is a [Value] (value.go), and has a [Range] if it is a bounded input (range.go).
//   - A [Client] (client.go, errors.go) shares reads in a cache (cache.go), until the object is written. An object is
//     hidden if the API does not return it. [Poll] (poll.go) waits for what a read shows.
//   - Backups (backup.go) and pipes (pipe.go, pipe_settings.go).
//   - A change of a list is a [ListUpdate] (list.go, address.go). A key's list (key.go) is sent whole.
//   - A service's list (service.go, service_list.go) is sent as a difference, in one PATCH and a second one for what
//     is missing then. After Ctrl-C, an update that has begun has ten seconds (service_update.go).
//
// What a client returns is shared between callers, and none may change it.
package api
