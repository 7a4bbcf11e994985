package api

import (
	"context"
	"time"
)

// Poll checks something until it is true: at once, and again after pauses that grow to a tenth of
// the timeout and 3 s at most. It reports false if the timeout is over. The error is that of a
// check, which ends it, or of the context.
func Poll(ctx context.Context, timeout time.Duration, check func() (bool, error)) (bool, error) {
	deadline, longest := time.Now().Add(timeout), min(timeout/10, 3*time.Second)
	for pause := longest / 10; ; pause = min(2*pause, longest) {
		isTrue, err := check()
		left := time.Until(deadline)
		if isTrue || err != nil || left <= 0 {
			return isTrue, err
		}
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
