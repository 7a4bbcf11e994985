// Package api is the client of the database platform's management API: its
// objects and its six operations. Comments name the operationId of an operation in
// internal/mockapi/openapi.yaml. The package knows nothing of Terraform, apart from the advice in errors.
//
// A [Client] (client.go, errors.go) reads backups (backup.go), and reads and updates pipes (pipe.go,
// pipe_settings.go), keys (key.go) and services (service.go). Read before these:
//
//   - Each member of an object is a [Value] (value.go), and has a [Range] if it is a bounded input (range.go).
//   - A cache (cache.go) shares reads. The freshness of a client says which result serves a read.
//   - An object is hidden if the API does not return it. An update is unshown if only a read tells what it
//     did, and [Poll] (poll.go) waits for that.
//   - A change of a list is a [ListUpdate] (list.go, address.go). A key's list is sent whole.
//   - A service's list is sent as a difference, in up to three PATCHes: service_list.go says what each is
//     for, service_update.go decides which are sent, and service_patches.go sends them.
//
// logged.go lists what may be logged. What a client returns is shared between callers, and none may
// change it.
package api
