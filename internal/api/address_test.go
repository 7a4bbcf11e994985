package api

import "testing"

func TestAddresses(t *testing.T) {
	t.Parallel()
	type is struct{ address, hostBits bool }
	for s, test := range map[string]struct {
		canonical string
		is        is
	}{
		"10.0.0.1":            {"10.0.0.1/32", is{true, false}},
		"10.0.0.1/32":         {"10.0.0.1/32", is{true, false}},
		"10.1.2.3/8":          {"10.0.0.0/8", is{true, true}},
		"10.0.0.0/9":          {"10.0.0.0/9", is{true, false}},
		"::/0":                {"::/0", is{true, false}},
		"::1":                 {"::1/128", is{true, false}},
		"2001:DB8::/128":      {"2001:db8::/128", is{true, false}},
		"2001:db8::1/64":      {"2001:db8::/64", is{true, true}},
		"::ffff:10.0.0.1":     {"10.0.0.1/32", is{true, false}},
		"::ffff:0:0/96":       {"0.0.0.0/0", is{true, false}},
		"::FFFF:10.1.2.3/104": {"10.0.0.0/8", is{true, true}},
		"::ffff:0:0/95":       {"::fffe:0:0/95", is{true, true}},
		"10.0.0.5/33":         {},
		"My-Network":          {"my-network", is{}},
		"fe80::1%eth0":        {},
		" 10.0.0.1":           {},
		"":                    {},
	} {
		if test.canonical == "" {
			test.canonical = s
		}
		for _, notation := range []string{s, test.canonical} {
			if got := CanonicalAddress(notation); got != test.canonical {
				t.Errorf("%q: %q, want %q", notation, got, test.canonical)
			}
		}
		if got := (is{IsAddress(s), HasHostBits(s)}); got != test.is {
			t.Errorf("%q: %+v, want %+v", s, got, test.is)
		}
	}
}

func TestContains(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		outer, inner string
		want         bool
	}{
		{"10.0.0.0/8", "10.1.0.0/16", true},
		{"10.0.0.0/8", "10.1.2.3", true},
		{"10.0.0.0/8", "10.0.0.7/8", false}, // the same
		{"10.1.0.0/16", "10.0.0.0/8", false},
		{"10.0.0.0/8", "11.0.0.0/16", false},
		{"2001:db8::/32", "2001:db8::1", true},
		{"2001:db8::/32", "10.0.0.1", false},
		{"office", "10.0.0.1", false},
		{"0.0.0.0/0", "office", false},
	} {
		if got := Contains(test.outer, test.inner); got != test.want {
			t.Errorf("%s contains %s: %t", test.outer, test.inner, got)
		}
	}
}
