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
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	options := settings{journal: "testlive-journal.json", terraform: os.Getenv("TERRAFORM")}
	flag.StringVar(&options.provider, "provider", "bin", "`folder` with the provider's binary")
	flag.Func("attributes", "change only these `attributes`, for example -attributes replicas,name, or none", func(text string) (err error) {
		options.attributes, err = parseAttributes(text)
		return err
	})
	flag.DurationVar(&options.patience, "patience", 30*time.Second, "how long a change may take to show")
	flag.Parse()

	// net/http logs what follows a response that is longer than announced, in clear.
	log.SetOutput(io.Discard)

	// The objects are restored even if the terminal is closed or the output ends
	// in `| head`. A second signal ends the program at once, but not a second line
	// that nobody reads.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGPIPE)
		stop()
	})
	err := start(ctx, os.Stdout, os.Getenv, options)
	stop()
	switch {
	case errors.Is(err, errInterrupted):
		os.Exit(130)
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nmake testlive failed: %v.\n", err)
		os.Exit(1)
	}
}

// parseAttributes reads a list of attributes; "none" is an empty one.
func parseAttributes(text string) ([]string, error) {
	names := []string{}
	if text == "none" {
		return names, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if !slices.ContainsFunc(attributes, func(a attribute) bool { return snake(a.name) == name }) {
			return nil, fmt.Errorf("there is no attribute %q that the tests change", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// start tests with what the environment names, or says what to set.
func start(ctx context.Context, out io.Writer, getenv func(string) string, s settings) (err error) {
	err = s.readEnvironment(getenv)
	if absent, ok := errors.AsType[unset](err); ok {
		fmt.Fprintf(out, "%s\nSkipped: nothing was tested. Not set: %s.\n", usage, strings.Join(absent, ", "))
		return nil
	}
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "dbplatform-testlive-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return newRun(&s, out).do(ctx, folder)
}
