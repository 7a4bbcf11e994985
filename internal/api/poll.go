package api

import (
	"context"
	"time"
)

// Poll checks something until it is true: at once, and for up to a timeout after that, with pauses
// that grow to a tenth of it and 3 s at most. It reports false if the timeout is over. The error is
// that of a check, which ends it, or of the context.
func Poll(ctx context.Context, timeout time.Duration, check func() (bool, error)) (bool, error) {
	isTrue, err := check()
	deadline, longest := time.Now().Add(timeout), min(timeout/10, 3*time.Second)
	for pause := longest / 10; !isTrue && err == nil && time.Now().Before(deadline); pause = min(2*pause, longest) {
		select {
		case <-time.After(min(pause, time.Until(deadline))):
		case <-ctx.Done():
			return false, ctx.Err()
		}
		isTrue, err = check()
	}
	return isTrue, err
}
