package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 9, 2}, 3},
	} {
		if got := medianOf(slices.Clone(test.values)); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.values, got, test.want)
		}
	}
	got := median([]sample{{Seconds: 1, Memory: 30}, {Seconds: 3, Memory: 10}, {Seconds: 2.00049, Memory: 20}})
	if want := (sample{Seconds: 2, Memory: 20}); got != want {
		t.Errorf("median of samples is %+v, want %+v", got, want)
	}
}

func TestRateLimitMinimum(t *testing.T) {
	t.Parallel()
	for requests, want := range map[int]time.Duration{
		0: 0, 1: 0, 10: 0, 11: 10 * time.Second, 20: 10 * time.Second, 21: 20 * time.Second, 160: 150 * time.Second,
	} {
		if got := strictest.minimum(requests); got != want {
			t.Errorf("minimum of %d requests is %v, want %v", requests, got, want)
		}
	}
}

func TestFactor(t *testing.T) {
	t.Parallel()
	if got := (limitedApply{Minimum: 150, sample: sample{Seconds: 165}}).factor(); got != 1.1 {
		t.Errorf("factor is %v, want 1.1", got)
	}
	if got := (limitedApply{sample: sample{Seconds: 2}}).factor(); got != 0 {
		t.Errorf("factor without a minimum is %v, want 0", got)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-n", "10,100", "-limited", "0"})
	if err != nil || !slices.Equal(o.sizes, []int{10, 100}) || o.limited != 0 || o.limit != strictest {
		t.Errorf("parse returns %+v, %v", o, err)
	}
	for _, args := range [][]string{{"-n", "many"}, {"-repetitions", "0"}, {"extra"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("parse(%q) succeeds", args)
		}
	}
}

func TestReadUsage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "usage")
	const two = `{"cpu": 1500000000, "memory": 1048576}` + "\n" + `{"cpu": 500000000, "memory": 3145728}` + "\n"
	if err := os.WriteFile(path, []byte(two), 0o600); err != nil {
		t.Fatal(err)
	}
	cpu, memory, err := readUsage(path)
	if err != nil || cpu != 2 || memory != 3 {
		t.Errorf("readUsage returns %v s, %v MiB, %v", cpu, memory, err)
	}
	if _, _, err := readUsage(path); err == nil {
		t.Error("no error for a command without usage")
	}
}

// TestSmoke measures two pipes with a real CLI and publishes the result.
func TestSmoke(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the provider and runs a CLI")
	}
	o := options{
		repository: "../..", terraform: os.Getenv("TF_ACC_TERRAFORM_PATH"), sizes: []int{2}, repetitions: 1,
		limited: 2, limit: rateLimit{requests: 5, window: time.Second},
	}
	if _, err := findTerraform(o.terraform); err != nil {
		t.Skip(err)
	}
	r, err := measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	plan, ok := r.find(2, "plan", dbplatform.name)
	if !ok || plan.Seconds <= 0 || plan.CPU <= 0 || plan.Memory < 5 || plan.Requests != 2 || plan.Connections < 1 {
		t.Errorf("the plan is %+v", plan)
	}
	for _, l := range r.Limited {
		if l.Requests-l.Refused != 10 || l.Minimum != 1 || l.factor() < 1 {
			t.Errorf("the limited apply is %+v", l)
		}
	}
	dir := t.TempDir()
	if err := r.publish(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"README.md": "| 2 | plan | ", "results.json": `"command": "plan"`, "results.svg": ">2 pipes</text>",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v):\n%s", name, want, err, text)
		}
	}
}
