// Command testlive tests the provider against a real account, and reports how its
// API behaves where the documentation leaves that open. Without the environment
// variables that name an account, it says what to set.
//
// The provider does the work. Its requests go through a proxy in this program, which
// sends only reads and, with DBPLATFORM_TEST_WRITES=1, the one change under test.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	s := settings{folder: "testlive-journal", terraform: os.Getenv("TERRAFORM")}
	flag.StringVar(&s.provider, "provider", "bin", "`folder` with the provider's binary")
	flag.Func("attributes", "change only these `attributes`, for example -attributes replicas,name", func(text string) (err error) {
		s.attributes, err = parseAttributes(text)
		return err
	})
	flag.BoolVar(&s.restore, "restore", false, "set back what a killed run has changed, from the folder "+s.folder)
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
	isInterrupted := ctx.Err() != nil
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nmake testlive failed: %v.\n", err)
	}
	switch {
	case isInterrupted:
		os.Exit(130)
	case err != nil:
		os.Exit(1)
	}
}

// parseAttributes reads a list of attributes that can be changed.
func parseAttributes(text string) (names []string, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if !slices.ContainsFunc(kinds, func(k kind) bool { return k.members()[name] != "" }) {
			return nil, fmt.Errorf("there is no attribute %q that the tests change", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// start tests with what the environment names, or says what to set.
func start(ctx context.Context, out io.Writer, getenv func(string) string, s *settings) error {
	err := s.readEnvironment(getenv)
	if absent, ok := errors.AsType[unset](err); ok && !s.restore {
		fmt.Fprintf(out, "%s\nSkipped: nothing was tested. Not set: %s.\n", usage, strings.Join(absent, ", "))
		return nil
	}
	if err != nil {
		return err
	}
	r, err := newRun(ctx, s, out)
	if err != nil {
		return err
	}
	defer r.end()
	if s.restore {
		return r.restoreKilled(context.WithoutCancel(ctx))
	}
	return r.do(ctx)
}
