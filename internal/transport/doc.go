// Package transport sends requests to the management API and returns its
// responses. It knows nothing of services, pipes or API keys, and nothing of
// Terraform.
//
// A [Client] (client.go, baseurl.go) sends a [Request] (request.go) with [Client.Do], which repeats
// it (retry.go). The response becomes a [Response] or an [Error] (response.go, page.go, error.go,
// errortext.go), and each attempt is logged (log.go). What holds a request back:
//
//   - a rate limiter spaces requests, and holds all of them back after a 429 (ratelimit.go),
//   - a [RetryBudget] limits the retries of one read or update (budget.go),
//   - a circuit breaker stops the requests of an operation that keeps failing (breaker.go),
//   - a lock is for the updates of a service that makes one change at a time (lock.go),
//   - a grace period lets an update end after Ctrl-C (interrupt.go).
//
// An error says whether the outcome of a write is unknown. A masker (secrets.go) keeps secrets out of
// errors and logs.
package transport
