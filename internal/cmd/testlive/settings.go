package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode"
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

// readEnvironment sets what the environment names, and names what is not set.
func (s *settings) readEnvironment(getenv func(string) string) (absent []string, err error) {
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
		return absent, nil
	case len(s.pipeIDs) > 0 && s.serviceID == "":
		return nil, errors.New("DBPLATFORM_TEST_PIPE_ID needs DBPLATFORM_TEST_SERVICE_ID, the service of the pipes")
	}
	s.passedOn = map[string]string{}
	for _, name := range []string{"DBPLATFORM_REQUEST_TIMEOUT", "DBPLATFORM_MAX_RETRIES", "DBPLATFORM_UPDATE_TIMEOUT", "DBPLATFORM_REQUESTS_PER_SECOND"} {
		if value := getenv(name); value != "" {
			s.passedOn[name] = value
		}
	}
	s.updateTimeout = 30 * time.Second // the provider's default
	if text := s.passedOn["DBPLATFORM_UPDATE_TIMEOUT"]; text != "" {
		if s.updateTimeout, err = time.ParseDuration(text); err != nil {
			return nil, fmt.Errorf("DBPLATFORM_UPDATE_TIMEOUT: %w", err)
		}
	}
	s.baseURL, err = parseBaseURL(base)
	return nil, err
}

// parseBaseURL refuses an address to which credentials would travel in clear: the
// provider sees only the address of the recorder.
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
