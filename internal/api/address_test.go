package api

import "testing"

func TestCanonicalAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"10.0.0.1": "10.0.0.1/32", "10.0.0.1/32": "10.0.0.1/32", "10.0.0.1/31": "10.0.0.0/31",
		"10.1.2.3/8": "10.0.0.0/8", "10.0.0.0/9": "10.0.0.0/9", "1.2.3.4/0": "0.0.0.0/0", "::/0": "::/0",
		"2001:DB8::1": "2001:db8::1/128", "2001:db8:0:0::1": "2001:db8::1/128", "2001:db8::1/64": "2001:db8::/64",
		"my-network": "my-network", "My-Network": "My-Network", "": "",
	} {
		if got := CanonicalAddress(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
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
		if CanonicalAddress(otherNotation(s)) != canonical {
			t.Errorf("%q and %q are not the same address", s, otherNotation(s))
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
