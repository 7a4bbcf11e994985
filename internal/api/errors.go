package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

func isConflict(err error) bool { return hasStatus(err, http.StatusConflict) }

func isInvalid(err error) bool {
	return hasStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity)
}

func hasStatus(err error, statuses ...int) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	return ok && slices.Contains(statuses, failed.Status)
}

// advised adds what to do to the message of an error.
func advised(err error, advice string) error {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return err
	}
	extended := *failed
	if extended.Message != "" {
		extended.Message += "; "
	}
	extended.Message += advice
	return &extended
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
