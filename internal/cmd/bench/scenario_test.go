package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func TestOnly(t *testing.T) {
	t.Parallel()
	for only, want := range map[string]string{
		"":                "start: validate; pipes: apply plan destroy; local: apply plan destroy; list: apply plan destroy; requests: apply plan change destroy; limit: (apply) plan",
		"plan":            "pipes: (apply) plan; local: (apply) plan; list: (apply) plan; requests: (apply) plan; limit: (apply) plan",
		"pipes":           "pipes: apply plan destroy",
		"pipes,plan":      "pipes: (apply) plan",
		"pipes,destroy":   "pipes: (apply) destroy",
		"destroy":         "pipes: (apply) destroy; local: (apply) destroy; list: (apply) destroy; requests: (apply) (change) destroy",
		"change":          "requests: (apply) change",
		"start,list":      "start: validate; list: apply plan destroy",
		"limit,apply":     "", // it is under no limit there
		"validate,change": "start: validate; requests: (apply) change",
	} {
		t.Run(only, func(t *testing.T) {
			t.Parallel()
			o, err := parse(strings.Fields("-n 5 -local 5 -entries 5"), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if only != "" {
				o.only = strings.Split(only, ",")
			}
			scenarios, err := o.scenarios()
			if (err != nil) != (want == "") {
				t.Fatal(err)
			}
			if got := outline(scenarios); got != want {
				t.Errorf("measured is %q, not %q", got, want)
			}
		})
	}
}

// outline has what is not measured in brackets.
func outline(scenarios []scenario) string {
	var all []string
	for _, s := range scenarios {
		var steps []string
		for _, step := range s.steps {
			if step.aside {
				step.name = "(" + step.name + ")"
			}
			steps = append(steps, step.name)
		}
		all = append(all, s.name+": "+strings.Join(steps, " "))
	}
	return strings.Join(all, "; ")
}

func TestLimitedApply(t *testing.T) {
	t.Parallel()
	for also, want := range map[bool]string{false: "(apply) plan!", true: "apply! plan!"} {
		var got []string
		for _, step := range limits(4, theLimit, also).steps {
			text := step.name
			if step.aside {
				text = "(" + text + ")"
			}
			if step.limited {
				text += "!"
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("with an apply %v: %s, not %s", also, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	for _, args := range []string{"-n many", "-latency 5", "-entries ,", "-only everything", "-nope", "more"} {
		if o, err := parse(strings.Fields(args), &said); err == nil {
			t.Errorf("%s is understood: %+v", args, o)
		}
	}
	if _, err := parse([]string{"-help"}, &said); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help is %v", err)
	}

	o, err := parse(nil, &said)
	if err != nil || !slices.Equal(o.n, []int{10, 100, 1000}) || !slices.Equal(o.local, []int{10, 100}) || !slices.Equal(o.entries, []int{10, 1000, 5000}) ||
		!slices.Equal(o.latencies, []time.Duration{0, 20 * time.Millisecond}) || o.limited != 40 || o.limit.requests != 10 || o.limit.per != 10*time.Second {
		t.Errorf("by default it is %+v, %v", o, err)
	}
	o, err = parse(strings.Fields("-n 7,8 -latency 3ms -entries 9 -only pipes,plan"), &said)
	if err != nil || !slices.Equal(o.n, []int{7, 8}) || !slices.Equal(o.latencies, []time.Duration{3 * time.Millisecond}) ||
		!slices.Equal(o.entries, []int{9}) || !slices.Equal(o.only, []string{"pipes", "plan"}) {
		t.Errorf("chosen is %+v, %v", o, err)
	}
}

// The configurations name pipes that are there.
func TestPipeID(t *testing.T) {
	t.Parallel()
	format := regexp.MustCompile(`^format\("(.*)", count\.index \+ 1\)$`).FindStringSubmatch(pipeID)
	if format == nil {
		t.Fatalf("%s is no format", pipeID)
	}
	for i, id := range mockapi.New().AddPipes(1000) {
		if got := fmt.Sprintf(format[1], i+1); got != id {
			t.Fatalf("pipe %d is %s, not %s", i, id, got)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	if n := len(addresses(5000)); n != 5000 {
		t.Errorf("%d entries are different, not 5000", n)
	}
}
