// Command testlive tests the provider against a real account, and reports how its
// API behaves where the documentation leaves that open. Without the environment
// variables that name an account, it says what to set.
//
// The provider does the work. Its requests go through a recorder in this program,
// which sends only reads and, with DBPLATFORM_TEST_WRITES=1, the one change under test.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	s := settings{folder: "testlive-journal", terraform: os.Getenv("TERRAFORM")}
	flag.StringVar(&s.provider, "provider", "bin", "`folder` with the provider's binary")
	flag.Func("attributes", "change only these `attributes`, for example -attributes replicas,name", func(text string) error {
		s.attributes = strings.Split(text, ",")
		return checkAttributes(s.attributes)
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

// start tests with what the environment names, or says what to set.
func start(ctx context.Context, out io.Writer, getenv func(string) string, s *settings) error {
	absent, err := s.readEnvironment(getenv)
	if err != nil {
		return err
	}
	if len(absent) > 0 {
		fmt.Fprintf(out, "%s\nSkipped: nothing was tested. Not set: %s.\n", usage, strings.Join(absent, ", "))
		return nil
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
