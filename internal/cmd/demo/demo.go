package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A demo plays the story to out: for each step a headline, the commands with their
// output, and what was checked.
type demo struct {
	out     io.Writer
	cli     *cli
	mock    *mockapi.Server
	shorten func(command, output string) string // cuts what the CLI repeats
	seen    int                                 // requests before this step
	checked []string                            // in this step
}

// play plays the whole story, or up to the first check that fails.
func (d *demo) play(ctx context.Context) error {
	fmt.Fprintf(d.out, "The provider at work, with %s, in %d steps.\n\n", d.cli.version, len(story))
	var summary strings.Builder
	for i, step := range story {
		fmt.Fprintf(d.out, "%d. %s\n", i+1, step.title)
		d.print("   ", step.text)
		d.seen, d.checked = len(d.mock.Requests()), nil
		if err := step.do(d, ctx); err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, step.title, err)
		}
		fmt.Fprintln(d.out)
		for _, claim := range d.checked {
			fmt.Fprintf(&summary, "   %-26s ✓ %s\n", step.title, claim)
		}
	}
	all := d.mock.Requests()
	fmt.Fprintf(d.out, "What was checked:\n\n%s\n"+
		"The API received %d requests, and %d of them changed something.\n"+
		"To try it yourself, run the same mock API: make mock\n",
		summary.String(), len(all), len(changes(all)))
	return nil
}

// run runs a command of the CLI, which must end with the exit code want, and
// returns its whole output.
func (d *demo) run(ctx context.Context, want int, args ...string) (string, error) {
	fmt.Fprintf(d.out, "\n   $ %s %s\n", d.cli.name, strings.Join(args, " "))
	output, code, err := d.cli.run(ctx, args...)
	d.print("     ", d.shorten(args[0], output))
	if err == nil && code != want {
		err = fmt.Errorf("%s %s ended with exit code %d instead of %d", d.cli.name, args[0], code, want)
	}
	return output, err
}

// print prints a text, indented.
func (d *demo) print(indent, text string) {
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		fmt.Fprintln(d.out, strings.TrimRight(indent+line, " \n"))
	}
}
