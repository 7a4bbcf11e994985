// Package transport sends requests to the management API and returns its
// responses. It has the connection, the credentials, the response envelope,
// errors and their texts, retries, the rate limit, the circuit breaker and logs.
// It knows nothing of services, pipes or API keys, and nothing of Terraform.
package transport
