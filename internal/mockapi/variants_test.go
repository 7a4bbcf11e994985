package mockapi

import (
	"slices"
	"strings"
	"testing"
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
		"error_shape=empty", "late_reads=2", // another one of the same point
	} {
		if _, err := ParseVariants(append(names, name)...); err == nil {
			t.Errorf("%q: accepted", name)
		}
	}
}
