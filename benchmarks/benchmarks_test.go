//go:build unix

// Package benchmarks measures Terraform with the provider, against the mock API.
package benchmarks

import (
	"fmt"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func BenchmarkApply(b *testing.B)   { compare(b, "apply", "-auto-approve") }
func BenchmarkPlan(b *testing.B)    { compare(b, "plan", "-detailed-exitcode") } // changes would fail
func BenchmarkDestroy(b *testing.B) { compare(b, "destroy", "-auto-approve") }

// compare measures a command with each provider in turn.
func compare(b *testing.B, command ...string) {
	b.Helper()
	sizes := []int{100, 1000}
	if testing.Short() {
		sizes = []int{2}
	}
	for _, pipes := range sizes {
		for _, provider := range []string{builtIn, "empty", "dbplatform"} {
			b.Run(fmt.Sprintf("pipes=%d/provider=%s", pipes, provider), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					w := newWorkspace(b, provider, pipes)
					if command[0] != "apply" {
						w.Apply()
					}
					b.StartTimer()
					w.measure(b, command...)
				}
			})
		}
	}
}

// BenchmarkRateLimit applies under the strictest limit known of an API of this
// kind. Its 100 requests take at least 90 s.
func BenchmarkRateLimit(b *testing.B) {
	for _, style := range []mockapi.RateLimitStyle{mockapi.RetryAfterSeconds, mockapi.RateLimitReset, mockapi.RateLimitSilent} {
		b.Run("style="+string(style), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := newWorkspace(b, "dbplatform", 20)
				w.api.LimitRate(10, 10*time.Second, style)
				b.StartTimer()
				w.measure(b, "apply", "-auto-approve")
			}
		})
	}
}
