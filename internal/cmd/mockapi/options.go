package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// errUsage is a command line that the flag package has reported as wrong.
var errUsage = errors.New("wrong usage")

// options is the command line.
type options struct {
	addr      string
	variants  mockapi.Variants
	faults    []mockapi.Fault
	pipes     uint
	latency   time.Duration
	rate      rate
	rateStyle mockapi.RateLimitStyle
	clockSkew time.Duration
	verbose   bool
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
	flags.Usage = func() { usage(flags) }
	flags.Func("variant", "behave like the variant with this `name`, for example -variant late=old; may be repeated", func(name string) (err error) {
		o.variants, err = mockapi.ParseVariants(append(o.variants, name)...)
		return err
	})
	flags.Func("fault", "make requests fail with this `fault`, for example -fault 503@30%, three of ten at random; may be repeated", func(text string) error {
		fault, err := mockapi.ParseFault(text)
		o.faults = append(o.faults, fault)
		return err
	})
	flags.UintVar(&o.pipes, "pipes", 0, "add this `number` of pipes with a Kafka source to the first service, for example -pipes 10; their ids end in 000000000001 and so on, and are printed")
	flags.DurationVar(&o.latency, "latency", 0, "delay every response by this `duration`, for example -latency 200ms")
	flags.Func("rate", "respond with 429 above this rate, in `requests/duration`, for example -rate 10/10s", func(text string) (err error) {
		o.rate, err = parseRate(text)
		return err
	})
	o.rateStyle = mockapi.RetryAfterSeconds
	flags.Func("rate-headers", "say in a 429 how long to wait, in a header of this `style`, for example -rate-headers x-ratelimit-reset; default: retry-after", func(text string) error {
		if o.rateStyle = mockapi.RateLimitStyle(text); !slices.Contains(mockapi.RateLimitStyles(), o.rateStyle) {
			return fmt.Errorf("must be one of %v", mockapi.RateLimitStyles())
		}
		return nil
	})
	flags.DurationVar(&o.clockSkew, "clock-skew", 0, "set the server's clock ahead by this `duration`, for example -clock-skew 5m")
	flags.BoolVar(&o.verbose, "v", false, "log paths and bodies in full")
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

var faults = `
Faults, for -fault [operation:]fault[,details][@percent%]. Without an operation, every request
can fail. Operations:
` + strings.Join(mockapi.Operations(), ", ") + `.
Details: times=N (fail only N requests), skip=N (after N requests that succeed), id=ID (only
requests for this object), delay=DURATION, and acted (act on the request before it fails).
updateService and updateKey are also the reads of services and keys: an update with {}.
For example, updateService:reset,acted,times=1.`

// usage also lists what the options' values can be.
func usage(flags *flag.FlagSet) {
	out := flags.Output()
	fmt.Fprintln(out, "Usage of mockapi:")
	flags.PrintDefaults()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nVariants, for -variant:")
	for _, variant := range mockapi.AllVariants() {
		fmt.Fprintf(table, "  %s\t%s\n", variant.Name, variant.Doc)
	}
	fmt.Fprintln(table, faults)
	for _, fault := range mockapi.AllFaults() {
		fmt.Fprintf(table, "  %s\t%s\n", cmp.Or(string(fault.Kind), "503"), fault.Doc)
	}
	_ = table.Flush()
	fmt.Fprintln(out, "\nStyles, for -rate-headers:")
	for _, style := range mockapi.RateLimitStyles() {
		fmt.Fprintln(out, "  "+style)
	}
}

func parseRate(text string) (rate, error) {
	count, per, ok := strings.Cut(text, "/")
	if !ok {
		return rate{}, errors.New("must be a number, a slash and a duration")
	}
	requests, err := strconv.Atoi(count)
	if err != nil || requests < 1 {
		return rate{}, fmt.Errorf("%q must be a number of at least 1", count)
	}
	duration, err := time.ParseDuration(per)
	if err != nil || duration <= 0 {
		return rate{}, fmt.Errorf("%q must be a positive duration, such as 10s", per)
	}
	return rate{requests, duration}, nil
}

// log writes a line for each request, with the beginning of its body or all of it.
func (o *options) log(out io.Writer) func(mockapi.Request) {
	lines := log.New(out, "", 0)
	return func(r mockapi.Request) {
		path, body := r.Path, strings.Join(strings.Fields(string(r.Body)), " ")
		if !o.verbose {
			path, body = r.ShortPath(), shorten(body)
		}
		line := strings.TrimSuffix("→ "+r.Method+" "+path+" "+body, " ")
		switch r.Status {
		case http.StatusOK:
		case 0:
			line += " (no response)"
		default:
			line += fmt.Sprintf(" (%d)", r.Status)
		}
		lines.Println(line)
	}
}

// shorten returns the beginning of a body.
func shorten(body string) string {
	const most = 100 // characters
	if text := []rune(body); len(text) > most {
		return string(text[:most]) + "…"
	}
	return body
}

// server is the mock API that the command line describes.
func (o *options) server(onRequest func(mockapi.Request)) *mockapi.Server {
	clock := func() time.Time { return time.Now().Add(o.clockSkew) }
	api := mockapi.New(mockapi.WithVariants(o.variants), mockapi.WithLog(onRequest), mockapi.WithClock(clock))
	api.Latency(o.latency)
	if o.rate.requests > 0 {
		api.LimitRate(o.rate.requests, o.rate.per, o.rateStyle)
	}
	for _, fault := range o.faults {
		api.Fail(fault)
	}
	return api
}
