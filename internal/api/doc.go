// Package api is the client of the database platform's management API: its
// objects and its six operations. Comments name the operationId of an operation in
// internal/mockapi/openapi.yaml. The package knows nothing of Terraform.
//
// A client reads and writes the three kinds of objects the API has operations
// for (pipes, services and API keys) and lists a service's backups. What it
// hands out is shared between callers and therefore read-only: no caller may
// change what a returned pointer points to.
package api
