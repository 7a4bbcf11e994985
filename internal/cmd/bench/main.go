// Command bench measures what the provider costs: it runs a real Terraform or
// OpenTofu against a stand-in for the API, beside what costs least, the built-in
// terraform_data and a provider that does nothing.
//
// The variable TERRAFORM chooses the CLI by name or path; without it terraform is
// used, or else tofu. Nothing outside a temporary folder is written but what
// -out asks for, and that folder is removed in the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	interrupted := ctx.Err() != nil
	stop()

	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "\nThe benchmark was interrupted. Nothing is left of it.")
		os.Exit(130)
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2) // the flag package has said what is wrong
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nThe benchmark failed: %v.\n", err)
		os.Exit(1)
	}
}

// run measures what args ask for, and prints it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	cli, err := findCLI(ctx, os.Getenv("TERRAFORM"))
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "dbplatform-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// What the programs that run here leave behind goes the same way.
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return err
	}
	w, err := newWorkshop(ctx, cli, folder)
	if err != nil {
		return err
	}
	b := &bench{workshop: w, progress: stderr, samples: map[key][]sample{}}
	if err := b.run(ctx, o); err != nil {
		return err
	}
	return b.print(stdout)
}
