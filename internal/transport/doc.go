// Package transport sends requests to the management API and returns its
// responses. It knows nothing of services, pipes or API keys, and nothing of
// Terraform.
//
// [Client.Do] sends a request and repeats it (retry.go), unless its operation keeps
// failing (outage.go). Each attempt waits for the rate limit (ratelimit.go) and is
// sent (request.go). The response becomes a [Response] or an [Error] (response.go,
// errortext.go) and is logged (log.go), both without secrets (secrets.go).
package transport
