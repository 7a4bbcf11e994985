package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
)

// What a 404 or 410 says does not exist decides what happens to a state, so it is the object only if nothing
// speaks against that.
type notFound int

const (
	objectNotFound       notFound = iota
	organizationNotFound          // the object may exist in another one
	pathNotFound                  // the base URL may be wrong
	gatewayNotFound               // something other than the API responded
)

// whatIsNotFound reads the body of a 404 or 410, and its text. The API's own body is JSON or empty.
func whatIsNotFound(body []byte, text string) notFound {
	switch {
	case len(bytes.TrimSpace(body)) > 0 && !json.Valid(body):
		return gatewayNotFound
	case isAboutPath(text):
		return pathNotFound
	case isAboutOrganization(text):
		return organizationNotFound
	}
	return objectNotFound
}

var (
	pathWords = regexp.MustCompile(`(?i)\b(?:path|routes?|url)\b|\bnothing at\b|` +
		`(?:^|: )(?:(?:no such |unknown )?endpoint|cannot (?:get|put|patch)|no handler|no static resource)\b`)
	organizationWords = regexp.MustCompile(`(?i)(?:^|: )(?:no such |unknown )?(?:the )?(?:requested )?organi[sz]ation\b`)
	objectWords       = regexp.MustCompile(`(?i)\b(?:service|pipe|key|backup|unit)s?\b`)
)

// isAboutPath reports whether a text is about the path of the request.
func isAboutPath(text string) bool { return pathWords.MatchString(text) }

// isAboutOrganization reports whether a text begins with the organization, and names no object.
func isAboutOrganization(text string) bool {
	return organizationWords.MatchString(text) && !objectWords.MatchString(text)
}

func statusIsNotFound(status int) bool {
	return status == http.StatusNotFound || status == http.StatusGone
}

// IsNotFound reports whether the API itself responded that the object does not exist (404) or no longer
// exists (410).
func IsNotFound(err error) bool { return isNotFound(err, objectNotFound) }

// IsOrganizationNotFound reports whether the API responded that the organization does not exist.
func IsOrganizationNotFound(err error) bool { return isNotFound(err, organizationNotFound) }

func isNotFound(err error, what notFound) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && statusIsNotFound(e.Status) && e.notFound == what
}

// Is404 reports whether anything responded with 404 or 410, whatever it says does not exist.
func Is404(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && statusIsNotFound(e.Status)
}
