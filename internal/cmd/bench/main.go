// Command bench measures what the provider costs. It runs Terraform or OpenTofu
// against the mock API, and beside it the two cheapest things there are: the
// built-in terraform_data and an empty provider. It needs Linux or macOS.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type options struct {
	terraform   string // name or path of the CLI; empty means terraform, then tofu
	sizes       []int  // numbers of pipes
	repetitions int
	limited     int // pipes of the rate-limited apply; 0 skips it
	limit       rateLimit
	out         string
}

// strictest is the strictest rate limit known of an API of this kind.
var strictest = rateLimit{requests: 10, window: 10 * time.Second}

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatalf("bench: %v", err)
	}
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG"} { // would change the result
		_ = os.Unsetenv(name)
	}
	r, err := measure(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n%s", r.table(), r.limitTable())
	if o.out == "" {
		return nil
	}
	return r.publish(o.out)
}

func parse(args []string) (options, error) {
	o := options{terraform: os.Getenv("TERRAFORM"), sizes: []int{100, 1000}, limit: strictest}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.Func("n", "numbers of pipes, comma-separated (default 100,1000); 0 skips them", func(text string) (err error) {
		o.sizes, err = parseSizes(text)
		return err
	})
	flags.IntVar(&o.repetitions, "repetitions", 3, "runs behind each median")
	flags.IntVar(&o.limited, "limited", 40, "number of pipes of the rate-limited apply; 0 skips it")
	flags.StringVar(&o.out, "out", "", "write README.md, results.json and results.svg to this `directory`")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.repetitions < 1 {
		return o, errors.New("-repetitions must be at least 1")
	}
	return o, nil
}

func parseSizes(text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		switch {
		case err != nil:
			return nil, err
		case n > 0:
			sizes = append(sizes, n)
		}
	}
	return sizes, nil
}
