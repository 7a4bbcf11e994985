package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestSmoke measures two pipes with a real CLI and publishes the result.
func TestSmoke(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the meter needs Unix")
	}
	o := options{
		terraform: os.Getenv("TF_ACC_TERRAFORM_PATH"), sizes: []int{2}, repetitions: 1,
		limited: 2, limit: rateLimit{requests: 5, window: time.Second},
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
		"README.md": "| 2 | plan | ", "results.json": `"command": "plan"`, "results.svg": ">2 pipes, in seconds</text>",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v):\n%s", name, want, err, text)
		}
	}
}
