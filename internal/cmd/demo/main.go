// Command demo shows what the provider does: it drives a real Terraform or
// OpenTofu through the life of examples/complete, against a mock API,
// and checks every step, also by the requests that the mock API received.
//
// The variable TERRAFORM chooses the CLI by name or path. By default, the demo
// uses terraform, or else tofu. It writes only to a temporary folder, which it
// removes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/cmd/internal/tfcli"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func main() {
	all := flag.Bool("v", false, "show all output of Terraform")
	flag.Parse()

	// The demo cleans up even if its terminal is closed or its output ends in
	// `| head`.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := run(ctx, os.Stdout, os.Getenv("TERRAFORM"), *all)
	interrupted := ctx.Err() != nil
	stop()

	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "\nThe demo was interrupted. It has removed its files.")
		os.Exit(130)
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nThe demo failed: %v.\n", err)
		os.Exit(1)
	}
}

// run plays the whole story to out, with all output of Terraform or only its telling
// lines. It returns the first failure.
func run(ctx context.Context, out io.Writer, terraform string, all bool) (err error) {
	cliPath, err := tfcli.Find(terraform)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "dbplatform-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// Programs that run here leave their temporary files there, too.
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
	d := &demo{out: out, cli: cli, mock: mock, all: all}
	return d.play(ctx, story)
}

// serve serves handler on a free port of the loopback interface until the returned
// function is called.
func serve(ctx context.Context, handler http.Handler) (baseURL string, closeServer func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}
