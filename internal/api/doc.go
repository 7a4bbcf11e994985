// Package api is the client of the database platform's management API: its
// objects and its six operations. Comments name the operationId of an operation in
// internal/mockapi/openapi.yaml. The package knows nothing of Terraform.
//
// Read the files in this order. Each member of an object is a [Value] (value.go), and the bounds of one
// are a [Range] (range.go). A [Client] (client.go, errors.go) reads objects through a cache (cache.go): a
// client's freshness says which result serves a read, and an object is hidden if the API does not return
// it. [Poll] (poll.go) waits for a change to show. A change of a list is a [ListUpdate] (list.go, address.go).
//
// Then the objects: backups (backup.go), pipes (pipe.go, pipe_settings.go), keys (key.go) and services
// (service.go). An update is reduced if it leaves out what was sent along and refused, and the error is an
// [AcceptedError] if only a read tells what it did. A key's list is sent whole. A service's is sent as a
// difference, in up to three PATCHes: service_list.go says what each is for, a delivery
// (service_delivery.go) sends them, and service_update.go decides which. logged.go lists what may be logged.
//
// What a client returns is shared between callers, and none may change it.
package api
