// Command testlive tests the provider against a real account, and reports how its
// API behaves where the documentation leaves that open. Without the environment
// variables that name an account, it says what to set.
//
// The provider does the work. Its requests go through a recorder in this program,
// which sends only reads and, with DBPLATFORM_TEST_WRITES=1, the one change under test.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode"
)

func main() {
	s := settings{folder: "testlive-journal", terraform: os.Getenv("TERRAFORM")}
	flag.StringVar(&s.provider, "provider", "bin", "`folder` with the provider's binary")
	flag.Func("attributes", "change only these `attributes`, for example -attributes replicas,name", func(text string) error {
		s.attributes = strings.Split(text, ",")
		return nil
	})
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "%s\nFlags, in ARGS:\n", usage)
		flag.PrintDefaults()
	}
	flag.Parse()

	// net/http logs what follows a response that is longer than announced, in clear.
	log.SetOutput(io.Discard)

	// The objects are set back even if the terminal is closed or the output ends in
	// `| head`. A second signal ends the program at once, but not a second line that
	// nobody reads.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGPIPE)
		stop()
	})
	err := start(ctx, os.Stdout, os.Getenv, &s)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nmake testlive failed: %v.\n", err)
		os.Exit(1)
	}
}

// start tests with what the environment names, or says what to set.
func start(ctx context.Context, out io.Writer, getenv func(string) string, s *settings) error {
	absent, err := s.readEnvironment(getenv)
	if err != nil || len(absent) > 0 {
		if err == nil {
			fmt.Fprintf(out, "%s\nSkipped: nothing was tested. Not set: %s.\n", usage, strings.Join(absent, ", "))
		}
		return err
	}
	r, err := newRun(ctx, s, out)
	if err != nil {
		return err
	}
	defer r.end()
	return r.do(ctx)
}

// usage is shown by -help, and if nothing can be tested.
const usage = `make testlive tests the provider against a real account. Set, as for the provider,

  DBPLATFORM_BASE_URL, DBPLATFORM_ORGANIZATION_ID, DBPLATFORM_KEY_ID, DBPLATFORM_KEY_SECRET

and name at least one object to test with:

  DBPLATFORM_TEST_SERVICE_ID   a service
  DBPLATFORM_TEST_PIPE_ID      one or several pipes of this service, separated by commas
  DBPLATFORM_TEST_API_KEY_ID   the UUID of an API key, not DBPLATFORM_KEY_ID

It only reads. With DBPLATFORM_TEST_WRITES=1 it also changes these objects, and sets them
back. To try it without an account, use what make mock prints.
`

// settings is what to test.
type settings struct {
	baseURL                          *url.URL
	organizationID, keyID, keySecret string
	serviceID, apiKeyID              string
	pipeIDs                          []string
	writes                           bool
	attributes                       []string      // the only ones to change; nil: all
	updateTimeout                    time.Duration // how long a change may take to show
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
	address := strings.TrimRight(required("DBPLATFORM_BASE_URL"), "/")
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
	if len(absent) > 0 {
		return absent, nil
	}
	if len(s.pipeIDs) > 0 && s.serviceID == "" {
		return nil, errors.New("DBPLATFORM_TEST_PIPE_ID needs DBPLATFORM_TEST_SERVICE_ID, the service of the pipes")
	}
	// The default is the provider's.
	if s.updateTimeout, err = time.ParseDuration(cmp.Or(getenv("DBPLATFORM_UPDATE_TIMEOUT"), "30s")); err != nil {
		return nil, fmt.Errorf("DBPLATFORM_UPDATE_TIMEOUT: %w", err)
	}
	if s.baseURL, err = url.Parse(address); err != nil {
		return nil, err
	}
	// The provider sees only the address of the recorder.
	host := s.baseURL.Hostname()
	ip, _ := netip.ParseAddr(host)
	if isHere := host == "localhost" || ip.IsLoopback(); s.baseURL.Scheme != "https" && !isHere {
		err = errors.New("DBPLATFORM_BASE_URL must begin with https://; http:// is only for this machine")
	}
	return nil, err
}
