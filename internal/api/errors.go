package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// ErrHidden is in the error of a read if the API will not return an object that may exist.
var ErrHidden = errors.New("the API does not return this object")

// ErrExists is the error of adding an entry that the service has already. Nothing is sent.
var ErrExists = errors.New("the service has this entry already")

// ErrOverdue is in the error of an update that the API accepted, if a removed entry still
// shows, or a replaced one is still missing, after the update timeout.
var ErrOverdue = errors.New("the API accepted the change but has not shown it")

// A hiddenError is the response to the read of a hidden object.
type hiddenError struct{ response error }

func (e hiddenError) Error() string   { return e.response.Error() }
func (e hiddenError) Unwrap() []error { return []error{ErrHidden, e.response} }

// failureOf returns a copy of the *transport.Error in err, or one of that cause.
func failureOf(err error) *transport.Error {
	failed := transport.Error{Err: err}
	if found, ok := errors.AsType[*transport.Error](err); ok {
		failed = *found
	}
	return &failed
}

// refusesEntry reports whether the API refused a change, perhaps because of an entry. It may have made a part of it.
func refusesEntry(err error) bool {
	because := []int{http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity}
	return slices.Contains(because, failureOf(err).Status) && !transport.IsOutcomeUnknown(err)
}

// partlyApplied marks the error of an update that may have taken effect in part.
func partlyApplied(err error) error {
	failed := failureOf(err)
	failed.OutcomeUnknown = true
	return failed
}

// advised adds what to do to an error.
func advised(err error, advice string) error {
	failed := failureOf(err)
	failed.Advice = strings.TrimPrefix(failed.Advice+"; "+advice, "; ")
	return failed
}

// inMessage lists entries in a message, each once.
func inMessage(entries []AccessEntry) string {
	all := asIDs(entries)
	slices.Sort(all)
	return Listed(slices.Compact(all), ", ")
}

// Listed joins texts of a message, the first ten of them: "10.0.0.0/8, 10.1.0.0/16 and 2,990 more".
func Listed(texts []string, separator string) string {
	const most = 10
	n := len(texts) - most
	if n <= 0 {
		return strings.Join(texts, separator)
	}
	more := strconv.Itoa(n)
	if n >= 1000 { // and less than a million
		more = fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return strings.Join(texts[:most], separator) + " and " + more + " more"
}
