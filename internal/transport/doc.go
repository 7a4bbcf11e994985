// Package transport sends requests to the management API and returns its
// responses. It knows the names of the API's secrets, none of its objects, and nothing of Terraform.
//
// A [Client] (client.go, baseurl.go) sends a [Request] (request.go). The response becomes a [Response]
// (response.go, page.go) or an [Error] (error.go, errortext.go), which says whether the outcome of a write is
// unknown. What a 404 is about decides whether a state survives (notfound.go). A [Reply] keeps the API's text in an
// accepted update (reply.go). A masker (secrets.go) keeps secrets out of errors and logs (log.go).
//
// [Client.Do] sends a request again (retry.go) after a failure that may pass. What holds it back:
//
//   - a [RetryBudget] limits the retries of one read or update (budget.go),
//   - a rate limiter spaces requests, and holds all of them back after a 429 (ratelimit.go),
//   - a circuit breaker stops the requests of an operation that keeps failing (breaker.go),
//   - a lock is for the updates of a service that makes one change at a time (lock.go).
package transport
