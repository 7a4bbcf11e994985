// Package api is the client of the database platform's management API: its
// objects and its six operations. Comments name the operationId of an operation in
// internal/mockapi/openapi.yaml. The package knows nothing of Terraform.
//
// What a client returns is shared between callers, and none may change it.
package api
