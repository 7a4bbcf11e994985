// Package transport sends requests to the management API and returns its
// responses. It knows nothing of services, pipes or API keys, and nothing of
// Terraform.
//
// A [Client] (client.go, baseurl.go) sends a [Request] (request.go) with [Client.Do], which repeats
// it (retry.go), unless its operation keeps failing (outage.go). Updates of a busy service take
// turns (turn.go). Each attempt waits for the rate limit (ratelimit.go). The response becomes a
// [Response] or an [Error] (response.go, page.go, error.go, errortext.go) and is logged (log.go), both
// without secrets (secrets.go).
package transport
