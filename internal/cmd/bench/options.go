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

// errNothing is a choice of which nothing is left.
var errNothing = errors.New("no scenario has a step of that name")

// options is the command line, and sizes that only tests change.
type options struct {
	n           []int // pipes
	latencies   []time.Duration
	local       []int // pipes with a local state
	entries     []int // of access lists
	repetitions int
	metered     int
	only        []string
	limitApply  bool
	check       bool
	from, out   string

	counted int // pipes whose requests are counted
	limited int // pipes under a rate limit
	limit   limit
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{counted: counted, limited: limited, limit: theLimit}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Func("n", "numbers of pipes, such as `10,100,1000`, the default", list(&o.n, strconv.Atoi))
	flags.Func("latency", "what the API waits before it answers, such as `0,20ms`, the default", list(&o.latencies, time.ParseDuration))
	flags.Func("local", "numbers of pipes whose state is a local file, such as `10,100`, the default", list(&o.local, strconv.Atoi))
	flags.Func("entries", "numbers of entries of an access list, such as `10,1000,5000`, the default", list(&o.entries, strconv.Atoi))
	flags.IntVar(&o.repetitions, "repetitions", 5, fmt.Sprintf("how often a time is taken; of what takes long, at most %d times", few))
	flags.IntVar(&o.metered, "metered", 3, "how often CPU and memory are taken, in runs of their own")
	flags.Func("only", "measure `what` is named alone: scenarios ("+strings.Join(scenarioNames, ", ")+"), steps ("+
		strings.Join(stepNames, ", ")+"), or both, such as pipes,plan", list(&o.only, known))
	flags.BoolVar(&o.limitApply, "limited-apply", false, "apply under the rate limit as well, which takes minutes")
	flags.BoolVar(&o.check, "check", false, "measure what the goals need, say which are missed, and fail if any is")
	flags.StringVar(&o.from, "from", "", "measure nothing and read this `file`, a results.json")
	flags.StringVar(&o.out, "out", "", "write results.json, results.svg and README.md into this `folder`")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o.complete(), nil
}

// complete sets what the command line left out: what the goals need, or all.
func (o *options) complete() *options {
	all := !o.check
	setDefault(&o.n, all, []int{10, small, large}, []int{small, large})
	setDefault(&o.latencies, all, []time.Duration{0, 20 * time.Millisecond}, []time.Duration{0})
	setDefault(&o.local, all, []int{10, small}, []int{small})
	setDefault(&o.entries, all, []int{10, 1000, longest}, []int{longest})
	setDefault(&o.only, all, nil, []string{"validate", "apply", "plan", "change"})
	return o
}

func setDefault[T any](value *[]T, all bool, whole, needed []T) {
	switch {
	case *value != nil:
	case all:
		*value = whole
	default:
		*value = needed
	}
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
