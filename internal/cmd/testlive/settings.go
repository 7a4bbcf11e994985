package main

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// usage is shown where nothing can be tested.
const usage = `make testlive tests the provider against a real account. Set, as for the provider,

  DBPLATFORM_BASE_URL, DBPLATFORM_ORGANIZATION_ID, DBPLATFORM_KEY_ID, DBPLATFORM_KEY_SECRET

and name at least one object to test with:

  DBPLATFORM_TEST_SERVICE_ID   a service
  DBPLATFORM_TEST_PIPE_ID      one or several pipes of this service, separated by commas
  DBPLATFORM_TEST_API_KEY_ID   the id of an API key: the UUID in its address

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
	attributes                       []string // the only ones to change; none: all
	terraform, provider, journal     string
	doubt                            time.Duration // how long a change is waited for that may have no effect
}

// errSkipped is a run without the variables that it needs.
var errSkipped = errors.New("skipped")

// newSettings reads the environment.
func newSettings(getenv func(string) string) (*settings, error) {
	s := &settings{
		organizationID: getenv("DBPLATFORM_ORGANIZATION_ID"),
		keyID:          getenv("DBPLATFORM_KEY_ID"),
		keySecret:      getenv("DBPLATFORM_KEY_SECRET"),
		serviceID:      getenv("DBPLATFORM_TEST_SERVICE_ID"),
		apiKeyID:       getenv("DBPLATFORM_TEST_API_KEY_ID"),
		writes:         getenv("DBPLATFORM_TEST_WRITES") == "1",
	}
	for id := range strings.SplitSeq(getenv("DBPLATFORM_TEST_PIPE_ID"), ",") {
		if id = strings.TrimSpace(id); id != "" {
			s.pipeIDs = append(s.pipeIDs, id)
		}
	}
	base := strings.TrimRight(getenv("DBPLATFORM_BASE_URL"), "/")
	switch {
	case slices.Contains([]string{base, s.organizationID, s.keyID, s.keySecret}, ""), s.serviceID == "" && s.apiKeyID == "":
		return nil, errSkipped
	case len(s.pipeIDs) > 0 && s.serviceID == "":
		return nil, errors.New("DBPLATFORM_TEST_PIPE_ID needs DBPLATFORM_TEST_SERVICE_ID, the service of the pipes")
	}
	var err error
	s.baseURL, err = parseBaseURL(base)
	return s, err
}

// parseBaseURL refuses an address to which credentials would travel in clear: the
// provider sees only the proxy's.
func parseBaseURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Host == "" {
		return nil, errors.New("DBPLATFORM_BASE_URL must be an address such as https://api.example.com")
	}
	ip, _ := netip.ParseAddr(base.Hostname())
	isHere := base.Hostname() == "localhost" || ip.IsLoopback()
	if base.Scheme != "https" && (base.Scheme != "http" || !isHere) {
		return nil, errors.New("DBPLATFORM_BASE_URL must begin with https://; http:// is only for this machine")
	}
	return base, nil
}
