package api

import (
	"context"
	"time"
)

// Poll checks whether an accepted change shows, after pauses that grow to a tenth of the
// timeout and 3 s at most. It returns nil if the change shows or the timeout is over, or
// else the error of the check or the context.
func Poll(ctx context.Context, timeout time.Duration, shows func() (bool, error)) error {
	deadline, longest := time.Now().Add(timeout), min(timeout/10, 3*time.Second)
	for pause := longest / 10; time.Now().Before(deadline); pause = min(2*pause, longest) {
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
