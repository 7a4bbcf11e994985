package transport

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// An Error says why an operation failed. Client returns no other errors.
type Error struct {
	// Operation is the request's.
	Operation string
	// Status is the HTTP status, or the envelope's if that one is the error; 0
	// if there was no response.
	Status int
	// RequestID is from the envelope or the header X-Request-Id; may be empty.
	RequestID string
	// Message is what the API returned as the reason, or what is wrong with its
	// response: at most about 500 characters, without control characters. It may
	// be empty if there was no response.
	Message string
	// Err is the cause, from the connection or the context. It may be nil.
	Err error
	// OutcomeUnknown reports that the API may have acted on the request.
	OutcomeUnknown bool
	// Transient reports that another attempt may succeed.
	Transient bool
	// NotFromAPI reports that a 404 or 410 has a body that is neither JSON nor
	// empty: a gateway or another server responded.
	NotFromAPI bool
	// NoSuchPath reports that the text of a 404 is about the path of the request
	// rather than the object: the base URL may be wrong.
	NoSuchPath bool

	wait time.Duration // before another attempt, asked by the API; 0 if it did not
}

// Error returns everything in one line: the operation, the cause, the status
// and the request id.
func (e *Error) Error() string {
	text := e.Operation
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Err != nil {
		text += ": " + masker(nil).line(e.Err.Error()) // net/http quotes what it cannot read
	}
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// isOutage reports whether the API has failed, and did not just refuse the
// request.
func (e *Error) isOutage() bool {
	return e.Transient || e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// forUnsent returns the error of a request that is not sent because the one that
// got e failed.
func (e *Error) forUnsent() *Error {
	unsent := *e
	unsent.OutcomeUnknown = false
	reason := "this operation keeps failing"
	if e.Status == http.StatusTooManyRequests {
		reason = "the API still limits the rate of requests"
	}
	unsent.Message = strings.TrimSuffix("not sent, because "+reason+": "+e.Message, ": ")
	return &unsent
}

// IsNotFound reports whether the API itself responded that the object does not
// exist (404) or no longer exists (410).
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusGone) && !e.NotFromAPI
}

// IsOutcomeUnknown reports whether the API may have acted on a request that
// failed.
func IsOutcomeUnknown(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.OutcomeUnknown
}
