package provider

import (
	"testing"
)

func TestInstant(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000Z", "2030-01-31T13:00:00+01:00", "2030-01-31T13:00:00+0100", "2030-01-31T13:00:00+01",
		"2030-01-31 12:00:00Z", "2030-01-31T12:00Z", "2030-01-31T12:00:00", "2030-01-31 12:00:00.000",
	} {
		got, ok := instant(s)
		if !ok || got.Unix() != 1896091200 {
			t.Errorf("%s: %v %v", s, got, ok)
		}
	}
	for s, want := range map[string]bool{
		"0001-01-01T00:00:00Z": true, "0001-01-01 00:00:00-05:00": true, "1970-01-01T00:00:00.000Z": true, "1970-01-01T01:00:00+01:00": true,
		"1970-01-01T00:00:01Z": false, "2030-01-31T12:00:00Z": false, "": false, "never": false,
	} {
		if got := isNoTime(s); got != want {
			t.Errorf("%q is no time: %t", s, got)
		}
	}
	for _, s := range []string{"", "never", "1896091200", "2030-02-30T00:00:00Z"} {
		if got, ok := instant(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestCanonicalInstant(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"2030-01-31T12:00:00.000Z", "2030-01-31 13:00:00+01:00", "2030-01-31t12:00:00z"} {
		if got := canonicalInstant(s); got != "2030-01-31T12:00:00Z" {
			t.Errorf("%s: %s", s, got)
		}
	}
	if got := canonicalInstant(never); got != never {
		t.Error(got)
	}
}
