package api

import (
	"testing"
	"testing/synctest"
	"time"
)

// Pauses grow up to a tenth of the timeout, and up to 3 s.
func TestPausesOfAWait(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]time.Duration{
		time.Second: 100 * time.Millisecond, 10 * time.Second: time.Second, 5 * time.Minute: 3 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			var longest time.Duration
			began, last := time.Now(), time.Now()
			shows, err := Poll(t.Context(), timeout, func() (bool, error) {
				longest, last = max(longest, time.Since(last)), time.Now()
				return false, nil
			})
			if took := time.Since(began); err != nil || shows || longest != want || took != timeout {
				t.Errorf("%s: took %s with a pause of %s, %v", timeout, took, longest, err)
			}
		})
	}
}
