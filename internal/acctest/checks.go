package acctest

import (
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Flat returns text without its line breaks, which depend on the terminal.
func Flat(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// Contains checks that a text has all of these words, wherever its lines break.
func Contains(tb testing.TB, text string, words ...string) {
	tb.Helper()
	for _, want := range words {
		if !strings.Contains(Flat(text), want) {
			tb.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// Lacks checks that a text has none of these words.
func Lacks(tb testing.TB, text string, words ...string) {
	tb.Helper()
	for _, word := range words {
		if strings.Contains(Flat(text), word) {
			tb.Errorf("%q is in:\n%s", word, text)
		}
	}
}

// Writes returns the bodies that an operation was sent, without reads.
func (e *Env) Writes(operation string) []string {
	return slices.DeleteFunc(e.Sent(operation), func(body string) bool { return body == "{}" })
}

// ExpectWrites checks the bodies that an operation was sent since the requests were
// last reset, without reads.
func (e *Env) ExpectWrites(tb testing.TB, operation string, want ...string) {
	tb.Helper()
	if got := e.Writes(operation); !slices.EqualFunc(got, want, mockapi.SameJSON) {
		tb.Errorf("%s was sent %s, not %s", operation, got, want)
	}
}

// ExpectOnlyReads checks that something was sent, and nothing that writes.
func (e *Env) ExpectOnlyReads(tb testing.TB) {
	tb.Helper()
	if len(e.Requests()) == 0 {
		tb.Error("nothing was requested")
	}
	for _, request := range e.Requests() {
		if request.Writes() {
			tb.Errorf("%s %s was sent %s", request.Method, request.Path, request.Body)
		}
	}
}
