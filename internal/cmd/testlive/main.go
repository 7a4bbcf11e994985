// Command testlive tests the provider against a real account, and reports how its
// API behaves where the documentation leaves that open. Without the environment
// variables that name an account, it says what to set.
//
// All requests, the provider's too, go through a proxy in this program. It sends
// only reads, and with DBPLATFORM_TEST_WRITES=1 changes that can be restored.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	options := &settings{journal: "testlive-journal.json", terraform: os.Getenv("TERRAFORM"), doubt: 5 * time.Second}
	flag.StringVar(&options.provider, "provider", "bin", "`folder` with the provider's binary")
	flag.Func("attributes", "change only these `attributes`, for example -attributes replicas,name", func(text string) error {
		options.attributes = strings.Split(text, ",")
		return nil
	})
	flag.Parse()

	// The objects are restored even if the terminal is closed or the output ends
	// in `| head`. A second signal ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, stop)
	err := test(ctx, os.Stdout, os.Getenv, options)
	stop()
	switch {
	case errors.Is(err, errInterrupted):
		os.Exit(130)
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nmake testlive failed: %v.\n", err)
		os.Exit(1)
	}
}

// test tests with what the environment names, or says what to set.
func test(ctx context.Context, out io.Writer, getenv func(string) string, options *settings) (err error) {
	s, err := newSettings(getenv)
	if errors.Is(err, errSkipped) {
		fmt.Fprint(out, usage, "\nSkipped: nothing was tested.\n")
		return nil
	}
	if err != nil {
		return err
	}
	s.provider, s.journal, s.terraform = options.provider, options.journal, options.terraform
	s.attributes, s.doubt = options.attributes, options.doubt
	folder, err := os.MkdirTemp("", "dbplatform-testlive-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return newRun(s, out).do(ctx, folder)
}
