package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// errUsage is a command line that the flag package has complained about.
var errUsage = errors.New("wrong usage")

// options is the command line.
type options struct {
	addr         string
	readings     []string
	listReadings bool
	pipes        int
	latency      time.Duration
	rate         rate
	json         bool
}

// rate is a number of requests in a time, 10/10s.
type rate struct {
	requests int
	per      time.Duration
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("mockapi", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "loopback `address` to listen on, for example -addr 127.0.0.1:8080; port 0 takes a free one")
	flags.Func("reading", "behave in the way of this `name`, one of those that -list-readings shows, for example -reading late=old; may be repeated", func(name string) error {
		_, err := mockapi.ParseReading(name)
		o.readings = append(o.readings, name)
		return err
	})
	flags.BoolVar(&o.listReadings, "list-readings", false, "list the readings and exit")
	flags.Func("pipes", "add a `number` of further pipes with a kafka source to the first service, for example -pipes 10", func(text string) (err error) {
		o.pipes, err = parsePipes(text)
		return err
	})
	flags.DurationVar(&o.latency, "latency", 0, "let every answer wait for a `duration`, for example -latency 200ms")
	flags.Func("rate", "answer 429 past so many `requests/duration`, for example -rate 10/10s", func(text string) (err error) {
		o.rate, err = parseRate(text)
		return err
	})
	flags.BoolVar(&o.json, "json", false, "print the address and the ids as one line of JSON")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, checkLoopback(o.addr)
}

// maxPipes is past what anybody tries by hand, and short of what takes a while
// to print.
const maxPipes = 10_000

func parsePipes(text string) (int, error) {
	pipes, err := strconv.Atoi(text)
	if err != nil || pipes < 0 || pipes > maxPipes {
		return 0, fmt.Errorf("must be a number from 0 to %d", maxPipes)
	}
	return pipes, nil
}

func parseRate(text string) (rate, error) {
	count, per, ok := strings.Cut(text, "/")
	if !ok {
		return rate{}, errors.New("must be a number, a slash and a time")
	}
	requests, err := strconv.Atoi(count)
	if err != nil || requests < 1 {
		return rate{}, fmt.Errorf("%q must be a number of at least 1", count)
	}
	duration, err := time.ParseDuration(per)
	if err != nil || duration <= 0 {
		return rate{}, fmt.Errorf("%q must be a time longer than 0, such as 10s", per)
	}
	return rate{requests, duration}, nil
}

// server is the API as the command line wants it.
func (o *options) server(log *slog.Logger) (*mockapi.Server, error) {
	readings, err := mockapi.ParseReading(o.readings...)
	if err != nil {
		return nil, err
	}
	api := mockapi.New(mockapi.WithReadings(readings), mockapi.WithLogger(log))
	api.Latency(o.latency)
	if o.rate.requests > 0 {
		api.LimitRate(o.rate.requests, o.rate.per, mockapi.RetryAfterSeconds)
	}
	return api, nil
}
