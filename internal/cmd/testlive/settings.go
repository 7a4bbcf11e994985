package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
)

// usage is shown where nothing can be tested.
const usage = `make testlive tests the provider against a real account. Set, as for the provider,

  DBPLATFORM_BASE_URL, DBPLATFORM_ORGANIZATION_ID, DBPLATFORM_KEY_ID, DBPLATFORM_KEY_SECRET

and name at least one object to test with:

  DBPLATFORM_TEST_SERVICE_ID   a service
  DBPLATFORM_TEST_PIPE_ID      one or several pipes of this service, separated by commas
  DBPLATFORM_TEST_API_KEY_ID   the UUID of an API key, not DBPLATFORM_KEY_ID

It only reads. With DBPLATFORM_TEST_WRITES=1 it also changes these objects, and restores
them. To try it without an account, use what make mock prints.
`

// settings is what to test.
type settings struct {
	baseURL                          *url.URL
	organizationID, keyID, keySecret string
	serviceID, apiKeyID              string
	pipeIDs                          []string
	writes                           bool
	attributes                       []string // the only ones to change; nil: all
	terraform, provider, journal     string
	patience                         time.Duration // how long a change may take to show
}

// An unset names the variables that are needed and not set.
type unset []string

func (u unset) Error() string { return "not set: " + strings.Join(u, ", ") }

// readEnvironment sets what the environment names.
func (s *settings) readEnvironment(getenv func(string) string) error {
	var absent unset
	required := func(name string) string {
		value := getenv(name)
		if value == "" {
			absent = append(absent, name)
		}
		return value
	}
	base := strings.TrimRight(required("DBPLATFORM_BASE_URL"), "/")
	s.organizationID = required("DBPLATFORM_ORGANIZATION_ID")
	s.keyID = required("DBPLATFORM_KEY_ID")
	s.keySecret = required("DBPLATFORM_KEY_SECRET")
	s.serviceID = getenv("DBPLATFORM_TEST_SERVICE_ID")
	s.apiKeyID = getenv("DBPLATFORM_TEST_API_KEY_ID")
	s.writes = getenv("DBPLATFORM_TEST_WRITES") == "1"
	s.pipeIDs = strings.FieldsFunc(getenv("DBPLATFORM_TEST_PIPE_ID"), func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if s.serviceID == "" && s.apiKeyID == "" {
		absent = append(absent, "DBPLATFORM_TEST_SERVICE_ID or DBPLATFORM_TEST_API_KEY_ID")
	}
	switch {
	case len(absent) > 0:
		return absent
	case len(s.pipeIDs) > 0 && s.serviceID == "":
		return errors.New("DBPLATFORM_TEST_PIPE_ID needs DBPLATFORM_TEST_SERVICE_ID, the service of the pipes")
	}
	for name, ids := range map[string][]string{
		"DBPLATFORM_ORGANIZATION_ID": {s.organizationID},
		"DBPLATFORM_TEST_SERVICE_ID": {s.serviceID},
		"DBPLATFORM_TEST_PIPE_ID":    s.pipeIDs,
		"DBPLATFORM_TEST_API_KEY_ID": {s.apiKeyID},
	} {
		if slices.ContainsFunc(ids, func(id string) bool { return id != "" && !isUUID(id) }) {
			return fmt.Errorf("%s must be a UUID of 36 characters, such as 7c9e6679-7425-40de-944b-e07fc1f90ae7", name)
		}
	}
	var err error
	s.baseURL, err = parseBaseURL(base)
	return err
}

func isUUID(id string) bool {
	const length = 36 // the parser takes three other forms besides
	return len(id) == length && uuid.Validate(id) == nil
}

// parseBaseURL refuses an address to which credentials would travel in clear: the
// provider sees only the proxy's.
func parseBaseURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || base.User != nil {
		return nil, errors.New("DBPLATFORM_BASE_URL must be an address such as https://api.example.com")
	}
	ip, _ := netip.ParseAddr(base.Hostname())
	isHere := base.Hostname() == "localhost" || ip.IsLoopback()
	if base.Scheme != "https" && (base.Scheme != "http" || !isHere) {
		return nil, errors.New("DBPLATFORM_BASE_URL must begin with https://; http:// is only for this machine")
	}
	return base, nil
}
