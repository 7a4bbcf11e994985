// Command bench measures what the provider costs: it runs a real Terraform or
// OpenTofu against a mock API, beside what costs least: the built-in
// terraform_data, and a provider that does nothing.
//
// The variable TERRAFORM chooses the CLI by name or path; without it terraform is
// used, or else tofu. Nothing is written outside a temporary folder, which is
// removed in the end, but what -out asks for.
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
	"time"
)

func main() {
	// Whatever ends the benchmark early, a closed terminal or `| head` included,
	// must still let it clean up.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	interrupted := ctx.Err() != nil
	stop()

	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2) // the flag package has said what is wrong
	case interrupted:
		fmt.Fprintln(os.Stderr, "\nThe benchmark was interrupted. Nothing is left of it.")
		os.Exit(130)
	case errors.Is(err, errMissed):
		os.Exit(1) // the table has said which
	default:
		fmt.Fprintf(os.Stderr, "\nThe benchmark failed: %v.\n", err)
		os.Exit(1)
	}
}

// errMissed is a goal that was not reached, or not measured.
var errMissed = errors.New("not every goal was reached")

// run measures what args ask for, or takes it from a file, and tells of it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	var r *results
	if o.from != "" {
		r, err = load(o.from)
	} else {
		r, err = measure(ctx, o, os.Getenv("TERRAFORM"), stderr)
	}
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := r.publish(o.out); err != nil {
			return err
		}
	}
	if !o.check {
		fmt.Fprint(stdout, r.table(), "\n")
	}
	fmt.Fprint(stdout, r.verdicts(o.check))
	if o.check && r.missed() > 0 {
		return errMissed
	}
	return nil
}

// measure takes all measurements that o asks for, with the named CLI.
func measure(ctx context.Context, o *options, terraform string, progress io.Writer) (_ *results, err error) {
	scenarios, err := o.scenarios()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "bench-") // short: the paths of sockets in it have a limit
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	w, err := newWorkshop(ctx, folder, terraform)
	if err != nil {
		return nil, err
	}
	b := &bench{workshop: w, progress: progress, timed: samples{}, metered: samples{}}
	if err := b.run(ctx, scenarios, o.repetitions, o.metered); err != nil {
		return nil, err
	}
	r := &results{
		Taken: time.Now().UTC().Truncate(time.Second), Machine: thisMachine(), CLI: w.cli.version,
		Measurements: b.measurements(scenarios),
	}
	return r, nil
}
