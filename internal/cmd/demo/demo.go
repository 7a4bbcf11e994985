package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A demo plays the story to out: for each step a headline, the command with its
// output, and what was checked.
type demo struct {
	out     io.Writer
	cli     *cli
	mock    *mockapi.Server
	all     bool             // shows all output of the CLI
	seen    int              // requests before this step
	checked []string         // in this step
	before  []mockapi.Object // before this step
}

// play plays the whole story, or up to the first check that fails.
func (d *demo) play(ctx context.Context, story []step) error {
	fmt.Fprintf(d.out, "The provider at work, with %s, in %d steps.\n"+
		"Most of its output is cut; make demo ARGS=-v shows all.\n\n", d.cli.version, len(story))
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
	shown := output
	if !d.all && code == step.exitCode {
		shown = shorten(output)
	}
	d.print("     ", shown)
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

// telling matches the lines of the CLI that say what happens.
var telling = regexp.MustCompile(`^(No changes|Plan|Apply|Destroy|Success|Warning: (Adoption|Destroy|Removed)|\w+ has been successfully initialized)|^  # \S+ will be |^ +~ \w+ += `)

// shorten returns the telling lines of an output, and how many others it has.
func shorten(output string) string {
	var kept []string
	cut := 0
	for line := range strings.Lines(output) {
		switch {
		case telling.MatchString(line):
			kept = append(kept, strings.TrimSpace(line))
		case strings.TrimSpace(line) != "":
			cut++
		}
	}
	return fmt.Sprintf("%s\n[%d lines cut]", strings.Join(kept, "\n"), cut)
}

// print prints a text, indented.
func (d *demo) print(indent, text string) {
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		fmt.Fprintln(d.out, strings.TrimRight(indent+line, " \n"))
	}
}
