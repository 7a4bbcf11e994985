package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// errUsage is a command line that the flag package has complained about.
var errUsage = errors.New("wrong usage")

// options is the command line.
type options struct {
	n           []int
	latencies   []time.Duration
	repetitions int
	metered     int
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{n: []int{10, 100, 1000}, latencies: []time.Duration{0, 20 * time.Millisecond}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Func("n", "numbers of pipes, such as `10,100,1000` (the default)", list(&o.n, strconv.Atoi))
	flags.Func("latency", "what the API waits before it answers, such as `0,20ms` (the default)", list(&o.latencies, time.ParseDuration))
	flags.IntVar(&o.repetitions, "repetitions", 5, "how often each time is taken")
	flags.IntVar(&o.metered, "metered", 3, "how often CPU and memory are taken, in runs of their own")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, nil
}

// list reads a list of values, separated by commas.
func list[T any](into *[]T, read func(string) (T, error)) func(string) error {
	return func(text string) error {
		*into = nil
		for part := range strings.SplitSeq(text, ",") {
			value, err := read(part)
			if err != nil {
				return err
			}
			*into = append(*into, value)
		}
		return nil
	}
}
