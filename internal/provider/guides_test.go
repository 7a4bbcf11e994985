package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

// Neither way of extending an expiry lets a key expire before an apply can
// extend it again, and the numbers in the guide are right.
func TestRotatingExpiries(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	page := content(t, "docs/guides/api-keys.md")
	// The last second of every day of four years.
	var nows []time.Time
	var list []string
	for now := time.Date(2027, 1, 1, 23, 59, 59, 0, time.UTC); now.Year() < 2031; now = now.Add(day) {
		nows = append(nows, now)
		list = append(list, fmt.Sprintf("%q", now.Format(time.RFC3339)))
	}
	expiries := func(function, clock string) []time.Time {
		expression := regexp.MustCompile(`(?m)^ +expire_at = (` + function + `\(.*)$`).FindStringSubmatch(page)
		if expression == nil {
			t.Fatalf("the guide has no expire_at with %s", function)
		}
		tf := newEnv(t).CLI(t, fmt.Sprintf("output \"expiries\" {\n  value = [for now in [%s] : %s]\n}\n",
			strings.Join(list, ", "), strings.ReplaceAll(expression[1], clock, "now")))
		tf.Apply()
		var times []time.Time
		for _, value := range tf.Output("expiries").([]any) {
			at, err := time.Parse(time.RFC3339, value.(string))
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, at)
		}
		return times
	}

	acctest.Contains(t, acctest.Flat(page), "valid for another 59 to 90 days", "30 days of overlap")
	monthly := expiries("formatdate", "plantimestamp()")
	for i, expiry := range monthly {
		if left := expiry.Sub(nows[i]); left < 59*day || left > 90*day {
			t.Errorf("at %s, the key is valid for %s", nows[i], left)
		}
	}
	if n := len(slices.Compact(monthly)); n < 48 || n > 49 {
		t.Errorf("the expiry has %d values in four years", n)
	}
	for i, expiry := range expiries("timeadd", "time_rotating.deployment.rotation_rfc3339") {
		if overlap := expiry.Sub(nows[i]); overlap != 30*day {
			t.Errorf("the key expires %s after its rotation", overlap)
		}
	}
}

// The guide's moved blocks turn single resources into one with for_each, and
// nothing is sent.
func TestSingleResourcesToForEach(t *testing.T) {
	t.Parallel()
	var moved string
	for _, s := range snippetsOf(t, "docs/guides/adopting-existing-objects.md") {
		if strings.Contains(s.text, "\nmoved {") {
			moved = s.text
		}
	}
	var single strings.Builder
	for _, found := range regexp.MustCompile(`(\w+) += \{ id = "([^"]+)", (\w+ = \d+) \}`).FindAllStringSubmatch(moved, -1) {
		single.WriteString(strings.Replace(scalingConfig(found[2], found[3]), `"this"`, fmt.Sprintf("%q", found[1]), 1))
	}
	env := newEnv(t)
	tf := env.CLI(t, single.String())
	acctest.Contains(t, tf.Apply(), "2 added, 0 changed, 0 destroyed")
	env.ResetRequests()
	tf.Configure(moved)
	acctest.Contains(t, tf.Apply(), "0 added, 0 changed, 0 destroyed")
	env.ExpectOnlyReads(t)
}
