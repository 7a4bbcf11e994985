package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ErrReadRefused is in the error of a read (errors.Is) where the API refused
// the update that changes nothing with 400, 405 or 422: a service or a key
// cannot be read, only written.
var ErrReadRefused = errors.New("the API refuses to be asked for this object")

// An Error says why an operation failed. Every error that the client's
// operations return is one; errors.As finds it.
type Error struct {
	// Operation is what was asked for: "get pipe", "read service", "read key",
	// "scale pipe", "update pipe settings", "update service", "update key" or
	// "list backups".
	Operation string
	// Status is the HTTP status, or the envelope's where that one is the
	// error; 0 where there was no answer.
	Status int
	// RequestID is the API's name for the request: from the envelope, else
	// from the header X-Request-Id; may be empty.
	RequestID string
	// Message is what the API said, or what is wrong with its answer; at most
	// about 500 characters, without control characters; may be empty where
	// there was no answer.
	Message string
	// Err is the cause: of the transport, the context, or ErrReadRefused. It
	// may be nil.
	Err error
	// OutcomeUnknown says that the request may have been acted on all the
	// same.
	OutcomeUnknown bool
	// RetryAfter is how long the API asked to wait where that is longer than
	// the client waits; otherwise 0.
	RetryAfter time.Duration

	// transient says that another attempt may do better.
	transient bool
	// outage says that this is about the API more than about the request.
	outage bool
	// wait is how long the API asked to wait; 0 where it did not say. Of a 429
	// it is how long is waited.
	wait time.Duration
}

// Error puts everything into one line: the operation, the cause, the status
// and the request id.
func (e *Error) Error() string {
	var parts []string
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	if e.Err != nil && !errors.Is(e.Err, ErrReadRefused) {
		parts = append(parts, e.Err.Error())
	}
	text := e.Operation + ": " + strings.Join(parts, ": ")

	var notes []string
	if e.Status != 0 {
		notes = append(notes, strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status))))
	}
	if e.RequestID != "" {
		notes = append(notes, "request "+e.RequestID)
	}
	if e.OutcomeUnknown {
		notes = append(notes, "it may have been acted on")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// spokenFor is the error of a request that is not sent because of e, which is
// another's.
func (e *Error) spokenFor(r request, says string) *Error {
	message := e.Operation
	if e.Message != "" {
		message += ": " + e.Message
	}
	return &Error{
		Operation:  r.operation,
		Status:     e.Status,
		RequestID:  e.RequestID,
		Message:    says + message,
		Err:        e.Err,
		RetryAfter: e.RetryAfter,
	}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// isOutcomeUnknown reports whether what failed may have been acted on.
func isOutcomeUnknown(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.OutcomeUnknown
}

// IsNotFound reports whether err says that the object does not exist.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound
}
