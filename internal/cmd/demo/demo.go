package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A demo plays the story to out: for each step a headline, the command with its
// output, and what was checked.
type demo struct {
	out     io.Writer
	cli     *cli
	mock    *mockapi.Server
	shorten func(command, output string) string // cuts what the CLI repeats
	seen    int                                 // requests before this step
	checked []string                            // in this step
	before  []mockapi.Object                    // before this step
}

// play plays the whole story, or up to the first check that fails.
func (d *demo) play(ctx context.Context, story []step) error {
	fmt.Fprintf(d.out, "The provider at work, with %s, in %d steps.\n"+
		"Output that repeats itself is cut; make demo ARGS=-v shows all of it.\n\n", d.cli.version, len(story))
	var summary strings.Builder
	for i, step := range story {
		fmt.Fprintf(d.out, "%d. %s\n", i+1, step.title)
		d.print("   ", step.text)
		if err := d.do(ctx, step); err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, step.title, err)
		}
		fmt.Fprintln(d.out)
		for _, claim := range d.checked {
			fmt.Fprintf(&summary, "   %-26s ✓ %s\n", step.title, claim)
		}
	}
	all := d.mock.Requests()
	updates := len(updates(all))
	fmt.Fprintf(d.out, "What was checked:\n\n%s\n"+
		"The API received %d requests: %d reads, and the %d updates that are marked with → above.\n"+
		"To try it yourself, run the same mock API: make mock\n",
		summary.String(), len(all), len(all)-updates, updates)
	return nil
}

// do runs the step's command and checks what it printed and what the API received.
func (d *demo) do(ctx context.Context, step step) error {
	d.seen, d.checked = len(d.mock.Requests()), nil
	if step.prepare != nil {
		if err := step.prepare(d, ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(d.out, "\n   $ %s %s\n", d.cli.name, strings.Join(step.command, " "))
	output, code, err := d.cli.run(ctx, step.command...)
	d.print("     ", d.shorten(step.command[0], output))
	if err != nil {
		return err
	}
	if code != step.exitCode {
		return fmt.Errorf("%s %s ended with exit code %d instead of %d", d.cli.name, step.command[0], code, step.exitCode)
	}
	if err := d.checkSent(step.sent); err != nil {
		return err
	}
	if step.verify != nil {
		return step.verify(d, output)
	}
	return nil
}

// print prints a text, indented.
func (d *demo) print(indent, text string) {
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		fmt.Fprintln(d.out, strings.TrimRight(indent+line, " \n"))
	}
}
