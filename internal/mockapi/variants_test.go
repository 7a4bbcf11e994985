package mockapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAllVariants(t *testing.T) {
	t.Parallel()
	all := AllVariants()
	for _, variant := range all {
		if !strings.HasSuffix(variant.Doc, ".") {
			t.Errorf("%s: its description is not a sentence: %q", variant.Name, variant.Doc)
		}
	}
	if all[0].MayFail || !all[len(all)-1].MayFail {
		t.Error("it is not known which variants may fail an apply")
	}
}

// A number or a duration may be any other one.
func TestParseVariants(t *testing.T) {
	t.Parallel()
	names := []string{"error_shape=html", "shuffle", "late=old", "late_reads=1", "stale_services=2.5s", "refuse_empty_patch=422"}
	variants, err := ParseVariants(names...)
	if err != nil || !slices.Equal(variants, names) {
		t.Errorf("%v %v", variants, err)
	}
	if !variants.Has("late=old") || variants.Has("late=zero") || variants.Value("late") != "old" || variants.Value("numbers") != "" {
		t.Errorf("%v", variants)
	}
	for _, name := range []string{
		"", "numbers", "numbers=octal", "Shuffle", "shuffle=true", "late_reads=0", "late_reads=1s", "refuse_empty_patch", "refuse_empty_patch=many",
		"stale_services", "stale_services=0s", "stale_services=5", "stale_services=soon", "stale_backups=1s",
	} {
		if _, err := ParseVariants(name); err == nil {
			t.Errorf("%q: accepted", name)
		}
	}
	if _, err := ParseVariants("late=old", "late=zero"); err == nil {
		t.Error("two variants of one point: accepted")
	}
}

// A variant that changes no response needs another request in effectRequests.
func TestEveryVariantHasAnEffect(t *testing.T) {
	t.Parallel()
	needs := map[string]Variants{"late_reads=3": {"late=old"}, "lost_read=404": {"late=old"}, "lost_read=page": {"late=old"}, "remove_by=source": {"entry_identity=whole"}}
	plain := effect(nil)
	for _, variant := range AllVariants() {
		without := plain
		if needs[variant.Name] != nil {
			without = effect(needs[variant.Name])
		}
		if slices.Equal(without, effect(append(needs[variant.Name], variant.Name))) {
			t.Errorf("%s has no effect", variant.Name)
		}
	}
}

var effectRequests = []struct{ path, body string }{
	{pipePath, ""},
	{scalingPath, `{"replicaMemoryGb":0.7}`},
	{pipePath, ""},
	{pipePath, ""},
	{pipePath, ""},
	{pipePath, ""},
	{settingsPath, `{"db_max_threads":0,"db_max_insert_threads":3}`},
	{settingsPath, `{"db_max_insert_threads":null,"object_storage_concurrency":4}`},
	{settingsPath, `{"streaming_max_insert_wait_ms":600}`},
	{postgresPath + "/settings", `{"db_max_threads":4}`},
	{pipePath, ""},
	{unknownPipe, ""},
	{backupsPath, ""},
	{servicePath, ""},
	{servicePath, `{"ipAccessList":{
		"add":[{"source":"192.0.2.7","description":" é & "},{"source":"::ffff:192.0.2.9"},{"source":"0.0.0.0","description":" é & "}],
		"remove":[{"source":"192.0.2.7"}]
	}}`},
	{servicePath, `{"ipAccessList":{"add":[{"source":"10.0.0.0/8","description":"new"}]}}`},
	{servicePath, `{"endpoints":[{"protocol":"mysql","enabled":false}]}`},
	{otherServicePath, `{"privateEndpointIds":{"add":["VPCE-1"]}}`},
	{servicePath, `{}`},
	{keyPath, `{"roles":["developer"]}`},
	{keyPath, `{}`},
	{otherKeyPath, `{"ipAccessList":[]}`},
}

// effect is the responses to effectRequests.
func effect(variants Variants) (responses []string) {
	requestID := regexp.MustCompile(`"requestId":"[-0-9a-f]{36}"`)
	s := New(WithVariants(variants), WithClock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }))
	for _, r := range effectRequests {
		w := send(s, r.path, r.body)
		responses = append(responses, fmt.Sprint(w.Code, w.Header()["Link"], requestID.ReplaceAllString(w.Body.String(), "")))
	}
	return responses
}
