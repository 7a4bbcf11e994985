package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A demo tells the story to out: of each step a headline, the commands with what
// they print, and what was verified.
type demo struct {
	out     io.Writer
	cli     *cli
	mock    *mockapi.Server
	baseURL string // of mock
	seen    int    // requests that came before the present step
}

// tell tells the whole story, or up to the first thing that is not as it should
// be.
func (d *demo) tell(ctx context.Context) error {
	fmt.Fprintf(d.out, "What the provider does, with %s, in %d steps.\n\n", d.cli.version, len(story))
	for i, step := range story {
		fmt.Fprintf(d.out, "%d. %s\n\n", i+1, step.title)
		d.print("   ", step.text)
		d.seen = len(d.mock.Requests())
		if err := step.do(d, ctx); err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, step.title, err)
		}
		fmt.Fprintln(d.out)
	}
	all := d.mock.Requests()
	fmt.Fprintf(d.out, "All %d steps went as they should. The API received %d requests; %d of them changed something.\n"+
		"To try it by hand, start the same mock API: make mock\n",
		len(story), len(all), len(changes(all)))
	return nil
}

// run runs a command of the CLI, which must end with the exit code want, and
// returns what it printed.
func (d *demo) run(ctx context.Context, want int, args ...string) (string, error) {
	fmt.Fprintf(d.out, "   $ %s %s\n\n", d.cli.name, strings.Join(args, " "))
	output, code, err := d.cli.run(ctx, args...)
	d.print("     ", output)
	if err == nil && code != want {
		err = fmt.Errorf("%s %s ended with exit code %d instead of %d", d.cli.name, args[0], code, want)
	}
	return output, err
}

// print prints a text, indented, and an empty line after it.
func (d *demo) print(indent, text string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintln(d.out, strings.TrimRight(indent+line, " \n"))
	}
	fmt.Fprintln(d.out)
}
