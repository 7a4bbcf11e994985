package mockapi

import (
	"reflect"
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
	got, err := ParseVariants("error_shape=html", "shuffle", "error_shape=empty", "late=old", "stale_services=2.5s", "refuse_empty_patch=405")
	want := Variants{
		Shuffle: true, ErrorShape: "empty", Late: "old", LateReads: 2, RefuseEmptyPatch: 405, StaleServices: 2500 * time.Millisecond,
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
