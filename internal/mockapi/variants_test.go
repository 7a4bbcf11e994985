package mockapi

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAllVariants(t *testing.T) {
	t.Parallel()
	chosen := map[string]bool{}
	for _, named := range AllVariants() {
		if !strings.HasSuffix(named.Doc, ".") {
			t.Errorf("%s: its description is not a sentence: %q", named.Name, named.Doc)
		}
		if parsed, err := ParseVariants(named.Name); err != nil || parsed != named.Variants {
			t.Errorf("%s: %v\n%s", named.Name, err, cmp.Diff(named.Variants, parsed))
		}
		for field, value := range reflect.ValueOf(named.Variants).Fields() {
			if !value.IsZero() {
				chosen[field.Name] = true
			}
		}
	}
	if all := AllVariants(); all[0].MayFail || !all[len(all)-1].MayFail {
		t.Error("it is not known which variants may fail an apply")
	}
	for field := range reflect.TypeFor[Variants]().Fields() {
		if !chosen[field.Name] {
			t.Errorf("no name chooses %s", field.Name)
		}
	}
}

func TestParseVariants(t *testing.T) {
	t.Parallel()
	got, err := ParseVariants("numbers=decimal", "shuffle", "numbers=exponent", "late=old", "stale_services=2.5s", "bare_429", "refuse_empty_patch=422")
	want := Variants{
		Shuffle: true, Numbers: Exponent, Late: LateOld, LateReads: 2, Bare429: true, RefuseEmptyPatch: 422, StaleServices: 2500 * time.Millisecond,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, name := range []string{
		"", "numbers", "numbers=octal", "Shuffle", "shuffle=true", "late_reads=3", "refuse_empty_patch=418",
		"stale_services", "stale_services=0s", "stale_services=soon", "stale_backups=1s",
	} {
		if _, err := ParseVariants("shuffle", name); err == nil {
			t.Errorf("%q: accepted", name)
		}
	}
	for _, name := range []string{"unknown", "refuse_empty_patch=many", "stale_keys=soon"} {
		if err := new(Variants).set(name); err == nil {
			t.Errorf("%q: set", name)
		}
	}
}

// valid are requests that succeed unless a variant refuses the whole operation.
var valid = []struct{ path, body string }{
	{backupsPath, ""},
	{otherServicePath + "/backups", ""},
	{scalingPath, `{"replicas":3,"replicaMemoryGb":null}`},
	{pipePath, ""},
	{settingsPath, `{"db_max_threads":4,"db_max_insert_threads":null}`},
	{pipePath, ""},
	{postgresPath, ""},
	{kinesisPath, ""},
	{servicePath, `{"name":"a","ipAccessList":{"add":[{"source":"203.0.113.9"}],"remove":[{"source":"192.0.2.7"}]},"endpoints":[{"protocol":"mysql","enabled":false}]}`},
	{otherServicePath, `{"endpoints":[{"protocol":"mysql","enabled":true}]}`},
	{keyPath, `{"expireAt":"2030-01-01T00:00:00+01:00","roles":["admin"]}`},
	{otherKeyPath, `{"ipAccessList":[]}`},
}

// No two names mean the same behavior, and none means the plain one. Only
// remove_by=source does, by itself: it differs where entry_identity=whole. All
// accept valid requests.
func TestEachVariantHasItsOwnResponses(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, named := range append(AllVariants(), NamedVariant{Name: "plain"}) {
		if named.Variants.RemoveBy == RemoveBySource {
			named.Variants.EntryIdentity = Whole
		}
		s := New(WithVariants(named.Variants), WithClock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }))
		var responses strings.Builder
		for i, step := range append(slices.Clone(valid), []struct{ path, body string }{
			{pipePath, ""},
			{servicePath, `{}`},
			{servicePath, `{}`},
			{settingsPath, `{"db_max_threads":5,"object_storage_concurrency":4}`},
			{settingsPath, `{"db_future_setting":1}`},
			{settingsPath, `{"db_max_insert_threads":1}`},
			{scalingPath, `{"replicas":null}`},
			{postgresPath + "/settings", `{"db_max_threads":4}`},
			{servicePath, `{"ipAccessList":{"add":[{"source":"10.0.0.0/8"}]}}`},
			{servicePath, `{"ipAccessList":{"add":[{"source":"a"}],"remove":[{"source":"a","description":"b"}]}}`},
			{servicePath, `{"ipAccessList":{"add":[{"source":"c","description":"1"}]}}`},
			{servicePath, `{"ipAccessList":{"add":[{"source":"c","description":"2"}],"remove":[{"source":"c","description":"1"}]}}`},
			{unknownPipe, ""},
			{keyPath, `{}`},
			{keyPath, ""},
		}...) {
			w := send(s, step.path, step.body)
			fmt.Fprintln(&responses, w.Code, w.Body)
			isIdle := named.Variants.IdleService && strings.Contains(step.path, "/services/")
			mayRefuse := i >= len(valid) || named.Variants.ReadOnlyKey || isIdle
			if w.Code != 200 && !mayRefuse {
				t.Errorf("%s: %s %s: %d %s", named.Name, step.path, step.body, w.Code, w.Body)
			}
		}
		s.LimitRate(1, time.Hour, RateLimitSilent)
		send(s, pipePath, "")
		fmt.Fprintln(&responses, send(s, pipePath, "").Body)
		text := regexp.MustCompile(`"requestId":"[^"]*"`).ReplaceAllString(responses.String(), "")
		if other, ok := seen[text]; ok {
			t.Errorf("%s responds like %s", named.Name, other)
		}
		seen[text] = named.Name
	}
}
