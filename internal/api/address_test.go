package api

import "testing"

func TestSameAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"10.0.0.1", "10.0.0.1", true},
		{"10.0.0.1", "10.0.0.1/32", true},
		{"10.0.0.1", "10.0.0.1/31", false},
		{"10.0.0.1", "10.0.0.2", false},
		{"10.1.2.3/8", "10.0.0.0/8", true},
		{"10.0.0.0/8", "10.0.0.0/9", false},
		{"0.0.0.0/0", "1.2.3.4/0", true},
		{"2001:DB8::1", "2001:db8::1", true},
		{"2001:DB8::1", "2001:db8::1/128", true},
		{"2001:db8:0:0::1", "2001:db8::1", true},
		{"2001:db8::1/64", "2001:db8::/64", true},
		{"::/0", "0.0.0.0/0", false},
		{"my-network", "my-network", true},
		{"my-network", "My-Network", false},
		{"", "", true},
		{"", "0.0.0.0/0", false},
	} {
		t.Run(test.a+" and "+test.b, func(t *testing.T) {
			t.Parallel()
			if SameAddress(test.a, test.b) != test.want || SameAddress(test.b, test.a) != test.want {
				t.Errorf("want %t; canonical %q and %q", test.want, CanonicalAddress(test.a), CanonicalAddress(test.b))
			}
		})
	}
}

func TestIsAddress(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"10.0.0.1": true, "10.0.0.0/8": true, "::1": true, "2001:db8::/32": true,
		"": false, "10.0.0": false, "10.0.0.0/33": false, "10.0.0.1-10.0.0.9": false,
		"host.example": false, "fe80::1%eth0": false, " 10.0.0.1": false,
	} {
		if IsAddress(s) != want {
			t.Errorf("IsAddress(%q) = %t", s, !want)
		}
	}
}

func TestOtherNotation(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"10.0.0.1":       "10.0.0.1/32",
		"10.0.0.1/32":    "10.0.0.1",
		"::1":            "::1/128",
		"2001:DB8::/128": "2001:DB8::",
		"10.0.0.0/8":     "10.0.0.0/8",
		"my-network":     "my-network",
	} {
		if got := otherNotation(in); got != want {
			t.Errorf("otherNotation(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzCanonicalAddress(f *testing.F) {
	for _, seed := range []string{"10.0.0.1", "10.0.0.1/32", "10.9.8.7/8", "2001:DB8::1/128", "::ffff:10.0.0.1", "fe80::1%eth0", "x", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		canonical := CanonicalAddress(s)
		if CanonicalAddress(canonical) != canonical {
			t.Errorf("%q: %q is not canonical", s, canonical)
		}
		if IsAddress(s) != IsAddress(canonical) {
			t.Errorf("%q and %q: only one is an address", s, canonical)
		}
		if !SameAddress(s, otherNotation(s)) {
			t.Errorf("%q and %q are not the same", s, otherNotation(s))
		}
	})
}

func TestHasHostBits(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"10.0.0.5/8": true, "2001:db8::1/32": true, "10.0.0.1/0": true,
		"10.0.0.0/8": false, "10.0.0.5/32": false, "10.0.0.5": false, "10.0.0.5/33": false, "example.com": false, "": false,
	} {
		if got := HasHostBits(source); got != want {
			t.Errorf("%q: %v", source, got)
		}
	}
}
