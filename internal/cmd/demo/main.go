// Command demo shows what the provider does: it drives a real Terraform or
// OpenTofu through the life of examples/complete, against a mock API,
// and verifies every step, also by what the mock API received.
//
// The variable TERRAFORM chooses the CLI by name or path; without it terraform is
// used, or else tofu. Nothing outside a temporary folder is written, and that is
// removed in the end.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func main() {
	// Whatever ends the demo early, a closed terminal or `| head` included, must
	// still let it clean up.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := run(ctx, os.Stdout, os.Getenv("TERRAFORM"))
	interrupted := ctx.Err() != nil
	stop()

	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "\nThe demo was interrupted. Nothing is left of it.")
		os.Exit(130)
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nThe demo failed: %v.\n", err)
		os.Exit(1)
	}
}

// run tells the whole story to out. It returns the first thing that is not as it
// should be.
func run(ctx context.Context, out io.Writer, terraform string) (err error) {
	cliPath, err := findCLI(terraform)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "dbplatform-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// What the programs that run here leave behind goes the same way.
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return err
	}

	mock := mockapi.New()
	baseURL, closeServer, err := serve(ctx, mock)
	if err != nil {
		return err
	}
	defer closeServer()

	cli, err := newCLI(ctx, cliPath, folder, baseURL)
	if err != nil {
		return err
	}
	return (&demo{out: out, cli: cli, mock: mock, baseURL: baseURL}).tell(ctx)
}

// findCLI is the absolute path of the named CLI, or of the one that is there.
func findCLI(name string) (string, error) {
	names := []string{"terraform", "tofu"}
	if name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("there is no %s on PATH; put one there, or name it: TERRAFORM=/path/to/tofu", strings.Join(names, " or "))
}

// serve answers requests with handler at a free port of the loopback interface,
// until the returned function is called.
func serve(ctx context.Context, handler http.Handler) (baseURL string, closeServer func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}
