// Package transport sends requests to the management API and returns its
// responses. It knows nothing of services, pipes or API keys, and nothing of
// Terraform.
//
// A request begins in [Client.Do], which repeats it (retry.go), unless its
// operation is down (breaker.go). Each attempt waits for the rate limit
// (ratelimit.go) and is sent (request.go). Its response is taken out of the
// envelope or becomes an [Error] (response.go), and is logged (log.go).
package transport
