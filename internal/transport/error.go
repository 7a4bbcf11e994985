package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	maxErrorText = 500 // runes of a text in an error
	maxReason    = 150 // and in a first line
)

// An Error says why an operation failed.
type Error struct {
	Operation string
	Status    int    // of HTTP, or the envelope's if that is the error; 0 for none
	RequestID string // from the envelope or the header X-Request-Id; may be empty
	Err       error  // the cause, if it is not a response; may be nil
	// Message is the reason that the API returned, or what is wrong with its response:
	// one line of about 500 characters at most, without secrets. It may be empty.
	Message string
	Advice  string // of the caller: what to check, or to do; may be empty

	Writes          bool // the response is one to a request that changes something
	OutcomeUnknown  bool // the API may have applied the request, or others of the same update
	Transient       bool // another attempt may succeed
	IsEnvelopeError bool // a success whose envelope says that the request failed

	notFound notFound      // what a 404 or 410 is about
	isLimit  bool          // the API limits the rate of requests: a 429, or a 403 that asks to wait
	wait     time.Duration // that the API asks for; 0 if it does not
	note     string        // how often it was tried, or why not again; may be empty
}

// Error returns one line: the operation, the API's words, the cause and the advice, and in parentheses the
// status, the request id and the notes.
func (e *Error) Error() string {
	text := e.Operation
	if e.Message != "" {
		text += ": " + e.Message
	}
	if cause := e.cause(); !strings.HasSuffix(text, cause) {
		text += ": " + cause
	}
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	notes := []string{"", "", e.note, ""}
	if e.Status != 0 {
		notes[0] = fmt.Sprintf("HTTP %d", e.Status)
		if text := http.StatusText(e.Status); !strings.HasSuffix(strings.ToLower(e.Message), strings.ToLower(text)) {
			notes[0] += " " + text
		}
	}
	if e.RequestID != "" {
		notes[1] = "request " + e.RequestID
	}
	if e.OutcomeUnknown {
		notes[3] = "the API may have applied it"
	}
	if notes = slices.DeleteFunc(notes, func(note string) bool { return note == "" }); len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// Reason returns in a few words why the operation failed: "service unavailable (503)".
func (e *Error) Reason() string {
	switch {
	case e.Status >= http.StatusBadRequest:
		return strings.TrimSpace(fmt.Sprintf("%s (%d)", strings.ToLower(http.StatusText(e.Status)), e.Status))
	case errors.Is(e.Err, context.Canceled):
		return e.cause()
	case e.Err == nil, errors.Is(e.Err, context.DeadlineExceeded): // the message says so
		return strings.TrimRight(truncate(e.Message, maxReason), ".")
	}
	return truncate(strings.TrimPrefix(e.Message+": "+e.cause(), ": "), maxReason)
}

// cause returns the text of Err, "" for none.
func (e *Error) cause() string {
	switch {
	case e.Err == nil:
		return ""
	case errors.Is(e.Err, context.Canceled):
		return "interrupted"
	}
	return oneLine(e.Err.Error())
}

func (e *Error) Unwrap() error { return e.Err }

// is429 reports whether the API limits the rate of requests.
func (e *Error) is429() bool { return e != nil && e.isLimit }

// isUnavailable reports whether the API failed or was too busy for all requests, rather than refused this one.
func (e *Error) isUnavailable() bool {
	return e.Transient && !e.isBusy() || e.is429() || e.Status == http.StatusServiceUnavailable
}

// isBusy reports whether the API may be busy with another change of the object.
func (e *Error) isBusy() bool { return e.Transient && slices.Contains(busyStatuses, e.Status) }

const keepsFailing = "this operation keeps failing"

// forUnsent returns the error of a request that is not sent because of e.
func (e *Error) forUnsent(why string) *Error {
	unsent := *e
	unsent.OutcomeUnknown, unsent.note = false, "not sent, because "+why
	return &unsent
}

// interrupted returns the error of a request whose retries the end of a context stopped.
func (e *Error) interrupted(by error) *Error {
	stopped := *e
	stopped.Status, stopped.Transient, stopped.Err = 0, false, by
	stopped.Message = "stopped retrying after: " + e.Message
	return &stopped
}

// IsBusy reports whether the API refused a request as it does while it changes the object (409, 423 or 425).
func IsBusy(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(busyStatuses, e.Status)
}

// IsRateLimit reports whether the API limits the rate of requests: a 429, or a 403 that asks to wait.
func IsRateLimit(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.is429()
}

// IsOutcomeUnknown reports whether the API may have applied a request that failed, or others of
// the same update.
func IsOutcomeUnknown(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.OutcomeUnknown
}
