// Command testlive tests the provider against a real account, and reports how its
// API behaves where the documentation leaves that open. Without the environment
// variables that name an account, it prints which ones to set.
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
	s := settings{folder: "testlive-journal"}
	flag.StringVar(&s.provider, "provider", "bin", "`folder` with the provider's binary")
	attributes := flag.String("attributes", "", "change only these `attributes`, for example -attributes replicas,name")
	flag.Parse()
	s.attributes = list(*attributes)

	// net/http logs what follows a response that is longer than announced, in clear text.
	log.SetOutput(io.Discard)

	// The objects are set back even if the terminal is closed or the output ends in
	// `| head`. A second signal ends the program at once, except a second SIGPIPE.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGPIPE)
		stop()
	})
	err := start(ctx, os.Stdout, &s)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nmake testlive failed: %v.\n", err)
		os.Exit(1)
	}
}

// start tests with what the environment names, or prints what to set.
func start(ctx context.Context, out io.Writer, s *settings) error {
	absent, err := s.readEnvironment()
	if err != nil {
		return err
	}
	if len(absent) > 0 {
		fmt.Fprintf(out, "Skipped: nothing was tested. Set %s: see internal/cmd/testlive/README.md.\n", strings.Join(absent, ", "))
		return nil
	}
	r, err := newRun(ctx, s, out)
	if err != nil {
		return err
	}
	defer r.end()
	return r.do(ctx)
}

// settings is what to test.
type settings struct {
	baseURL                     *url.URL
	organizationID              string
	keyID, keySecret            string
	serviceID, apiKeyID         string
	pipeIDs                     []string
	writes                      bool
	attributes                  []string      // the only ones to change; none: all
	updateTimeout               time.Duration // how long a change may take to show
	terraform, provider, folder string
}

// readEnvironment reads the variables, and returns the names of those that are missing.
func (s *settings) readEnvironment() (absent []string, err error) {
	required := func(name string) string {
		value := os.Getenv(name)
		if value == "" {
			absent = append(absent, name)
		}
		return value
	}
	address := strings.TrimRight(required("DBPLATFORM_BASE_URL"), "/")
	s.organizationID = required("DBPLATFORM_ORGANIZATION_ID")
	s.keyID = required("DBPLATFORM_KEY_ID")
	s.keySecret = required("DBPLATFORM_KEY_SECRET")
	s.serviceID = os.Getenv("DBPLATFORM_TEST_SERVICE_ID")
	s.apiKeyID = os.Getenv("DBPLATFORM_TEST_API_KEY_ID")
	s.pipeIDs = list(os.Getenv("DBPLATFORM_TEST_PIPE_ID"))
	s.writes = os.Getenv("DBPLATFORM_TEST_WRITES") == "1"
	s.terraform = cmp.Or(os.Getenv("TERRAFORM"), "terraform")
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
	if s.updateTimeout, err = time.ParseDuration(cmp.Or(os.Getenv("DBPLATFORM_UPDATE_TIMEOUT"), "30s")); err != nil {
		return nil, fmt.Errorf("DBPLATFORM_UPDATE_TIMEOUT: %w", err)
	}
	if s.baseURL, err = url.Parse(address); err != nil {
		return nil, err
	}
	// The provider cannot check this: it sees only the address of the recorder.
	host := s.baseURL.Hostname()
	ip, _ := netip.ParseAddr(host)
	if isHere := host == "localhost" || ip.IsLoopback(); s.baseURL.Scheme != "https" && !isHere {
		return nil, errors.New("DBPLATFORM_BASE_URL must begin with https://; http:// is only for this machine")
	}
	return nil, nil
}

// list splits a text at commas and white space.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}
