package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

const day = 24 * time.Hour

// Neither way of rotating an expiry lets a key expire before an apply can
// extend it, and the numbers in the guide are right.
func TestRotatingExpiries(t *testing.T) {
	t.Parallel()
	page := content(t, guides+"api-keys.md")
	expression := func(function string) string {
		found := regexp.MustCompile(`(?m)^ +expire_at = (` + function + `\(.*)$`).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("the guide has no expire_at with %s", function)
		}
		return found[1]
	}
	// The last second of every day of four years.
	var nows []time.Time
	var list []string
	for now := time.Date(2027, 1, 1, 23, 59, 59, 0, time.UTC); now.Year() < 2031; now = now.Add(day) {
		nows = append(nows, now)
		list = append(list, fmt.Sprintf("%q", now.Format(time.RFC3339)))
	}
	evaluate := func(name, expression, clock string) string {
		expression = strings.ReplaceAll(expression, clock, "now")
		return fmt.Sprintf("output %q {\n  value = [for now in [%s] : %s]\n}\n", name, strings.Join(list, ", "), expression)
	}
	tf := newEnv(t).CLI(t, "")
	tf.WriteFile("main.tf", evaluate("slots", expression("formatdate"), "plantimestamp()")+
		evaluate("rotated", expression("timeadd"), "time_rotating.deployment.rotation_rfc3339"))
	tf.Apply()
	expiries := func(name string) []time.Time {
		var times []time.Time
		if err := json.Unmarshal([]byte(tf.Must("output", "-json", name)), &times); err != nil {
			t.Fatal(err)
		}
		return times
	}

	acctest.Contains(t, page, "remains valid for 59 to 90 days", "30 days of overlap after the rotation")
	values := map[time.Time]bool{}
	for i, expiry := range expiries("slots") {
		values[expiry] = true
		if left := expiry.Sub(nows[i]); left < 59*day || left > 90*day {
			t.Errorf("at %s, the key is valid for %s", nows[i], left)
		}
	}
	if len(values) < 48 || len(values) > 49 {
		t.Errorf("the expiry has %d values in four years", len(values))
	}
	for i, expiry := range expiries("rotated") {
		if overlap := expiry.Sub(nows[i]); overlap != 30*day {
			t.Errorf("the key expires %s after its rotation", overlap)
		}
	}
}

// The tests in the guide to testing pass for the module that it shows.
func TestGuideToTesting(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	if err := os.Mkdir(filepath.Join(tf.Dir, "tests"), 0o700); err != nil {
		t.Fatal(err)
	}
	page := "docs/guides/testing-modules.md"
	var files []string
	for _, s := range snippetsOf(page, content(t, page)) {
		name := regexp.MustCompile(`^# (\S+)\n`).FindStringSubmatch(s.text)
		if name == nil {
			t.Fatalf("line %d: the snippet does not begin with the name of its file", s.line)
		}
		files = append(files, name[1])
		tf.WriteFile(name[1], s.text)
	}
	if len(files) != 3 {
		t.Fatalf("the guide shows %s", files)
	}
	tf.Must("fmt", "-check", "-recursive")
	acctest.Contains(t, tf.Must("test", "-filter=tests/mocked.tftest.hcl"), "Success! 1 passed, 0 failed.")
	if len(env.Requests()) > 0 {
		t.Error("the mocked provider sent requests")
	}
	tf.Setenv(environment(env)...)
	acctest.Contains(t, tf.Must("test"), "Success! 2 passed, 0 failed.")
}

// The guide's moved blocks turn single resources into one with for_each, and
// nothing is sent.
func TestSingleResourcesToForEach(t *testing.T) {
	t.Parallel()
	page := guides + "adopting-existing-objects.md"
	var moved string
	for _, s := range snippetsOf(page, content(t, page)) {
		if strings.Contains(s.text, "\nmoved {") {
			moved = s.text
		}
	}
	env := newEnv(t)
	tf := env.CLI(t, "")
	var single strings.Builder
	for _, found := range regexp.MustCompile(`(\w+) += \{ id = "([^"]+)", (\w+ = \d+) \}`).FindAllStringSubmatch(moved, -1) {
		fmt.Fprintf(&single, "resource \"dbplatform_pipe_scaling\" %q {\n  service_id = \"11111111-1111-4111-8111-111111111111\"\n  pipe_id = %q\n  %s\n}\n",
			found[1], found[2], found[3])
	}
	tf.Configure(single.String())
	acctest.Contains(t, tf.Apply(), "2 added, 0 changed, 0 destroyed")
	env.ResetRequests()
	tf.Configure(moved)
	acctest.Contains(t, tf.Apply(), "0 added, 0 changed, 0 destroyed")
	for _, request := range env.Requests() {
		if request.Method != http.MethodGet {
			t.Errorf("%s %s was sent", request.Method, request.Path)
		}
	}
}
