package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// encode returns the JSON of a request, nil if it has no members.
func encode(operation string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, &transport.Error{Operation: operation, Err: err}
	}
	if string(body) == "{}" {
		return nil, nil
	}
	return body, nil
}

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
