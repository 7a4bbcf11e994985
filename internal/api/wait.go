package api

import (
	"context"
	"time"
)

// Await checks again and again whether a change shows that the API has accepted:
// after pauses that grow, up to a tenth of the timeout and 3 s, until it does, a
// check fails or the timeout is over, which is no error. The error is the check's or the
// context's.
func Await(ctx context.Context, timeout time.Duration, shows func() (bool, error)) error {
	deadline := time.Now().Add(timeout)
	for pause := min(timeout/100, 300*time.Millisecond); time.Now().Before(deadline); pause = min(2*pause, timeout/10, 3*time.Second) {
		select {
		case <-time.After(min(pause, time.Until(deadline))):
		case <-ctx.Done():
			return ctx.Err()
		}
		if shown, err := shows(); shown || err != nil {
			return err
		}
	}
	return nil
}
