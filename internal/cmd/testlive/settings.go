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

// usage is shown by -help, and if nothing can be tested.
const usage = `make testlive tests the provider against a real account. Set, as for the provider,

  DBPLATFORM_BASE_URL, DBPLATFORM_ORGANIZATION_ID, DBPLATFORM_KEY_ID, DBPLATFORM_KEY_SECRET

and name at least one object to test with:

  DBPLATFORM_TEST_SERVICE_ID   a service
  DBPLATFORM_TEST_PIPE_ID      one or several pipes of this service, separated by commas
  DBPLATFORM_TEST_API_KEY_ID   the UUID of an API key, not DBPLATFORM_KEY_ID

It only reads. With DBPLATFORM_TEST_WRITES=1 it also changes these objects, and sets them
back. If it is killed, make testlive ARGS=-restore sets back what it has changed. To try it
without an account, use what make mock prints.
`

// settings is what to test.
type settings struct {
	baseURL                          *url.URL
	organizationID, keyID, keySecret string
	serviceID, apiKeyID              string
	pipeIDs                          []string
	writes, restore                  bool
	attributes                       []string          // the only ones to change; nil: all
	updateTimeout                    time.Duration     // how long a change may take to show
	passedOn                         map[string]string // other settings of the provider
	terraform, provider, folder      string
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
	if s.serviceID == "" && s.apiKeyID == "" && !s.restore {
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
	s.passedOn = map[string]string{}
	for _, name := range []string{"REQUEST_TIMEOUT", "MAX_RETRIES", "UPDATE_TIMEOUT", "REQUESTS_PER_SECOND"} {
		if value := getenv("DBPLATFORM_" + name); value != "" {
			s.passedOn["DBPLATFORM_"+name] = value
		}
	}
	var err error
	s.updateTimeout = 30 * time.Second // the provider's default
	if text := s.passedOn["DBPLATFORM_UPDATE_TIMEOUT"]; text != "" {
		if s.updateTimeout, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("DBPLATFORM_UPDATE_TIMEOUT: %w", err)
		}
	}
	s.baseURL, err = parseBaseURL(base)
	return err
}

func isUUID(id string) bool {
	const length = 36 // the parser takes three other forms besides
	return len(id) == length && uuid.Validate(id) == nil
}

// parseBaseURL refuses an address to which credentials would travel in clear: the
// provider sees only the address of the proxy.
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
