package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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
	NotFromAPI      bool // a 404 or 410 of a gateway: its body is neither JSON nor empty
	// NoSuchPath reports that the text of a 404 is about the path of the request
	// rather than the object: the base URL may be wrong.
	NoSuchPath bool

	isLimit bool // the API limits the rate of requests: a 429, or a 403 that asks to wait

	note string        // how often it was tried, or why not again; may be empty
	wait time.Duration // that the API asks for; 0 if it does not
}

// Error returns one line: the operation, the cause, the status and the request id.
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
	if e.OutcomeUnknown {
		return e.withNotes(text, "the API may have applied it")
	}
	return e.withNotes(text)
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

// Words returns the API's words, shortened, and the advice and the notes of Error.
func (e *Error) Words() string {
	text := ""
	if e.Status >= http.StatusBadRequest && !strings.EqualFold(e.Message, http.StatusText(e.Status)) {
		text = "Response: " + truncate(e.Message, maxReason)
	}
	text = strings.Trim(text+"; "+e.Advice, "; ")
	return strings.TrimSpace(e.withNotes(text))
}

// withNotes adds the status, the request id, the note and more to a text.
func (e *Error) withNotes(text string, more ...string) string {
	var notes []string
	if e.Status != 0 {
		status := fmt.Sprintf("HTTP %d", e.Status)
		if text := http.StatusText(e.Status); !strings.HasSuffix(strings.ToLower(e.Message), strings.ToLower(text)) {
			status += " " + text
		}
		notes = append(notes, status)
	}
	if e.RequestID != "" {
		notes = append(notes, "request "+e.RequestID)
	}
	if e.note != "" {
		notes = append(notes, e.note)
	}
	if notes = append(notes, more...); len(notes) == 0 {
		return text
	}
	return text + " (" + strings.Join(notes, ", ") + ")"
}

// printable drops what is no text, cannot be seen, or may change what a terminal shows.
func printable(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.IsSpace(r)
	}), "")
}

func oneLine(s string) string {
	return truncate(strings.Join(strings.Fields(printable(s)), " "), maxErrorText)
}

// truncate cuts s after n runes, and marks the cut.
func truncate(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
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

// IsNotFound reports whether the API itself responded that the object does not
// exist (404) or no longer exists (410).
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && IsMissing(err) && !e.NotFromAPI
}

// IsMissing reports whether the API or a gateway responded with 404 or 410.
func IsMissing(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// IsBusy reports whether the API refused a request as it does while it changes the object (409, 423 or 425).
func IsBusy(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(busyStatuses, e.Status)
}

// IsOutcomeUnknown reports whether the API may have applied a request that failed, or others of
// the same update.
func IsOutcomeUnknown(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.OutcomeUnknown
}
