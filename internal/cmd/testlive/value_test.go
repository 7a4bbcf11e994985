package main

import "testing"

// Of an access entry, only what the documentation has of it counts: an API may
// give a new id to an entry that is sent again.
func TestSameEntries(t *testing.T) {
	t.Parallel()
	was := decode([]byte(`[{"source": "10.0.0.0/8", "description": "vpn", "id": 1}, {"source": "192.0.2.7", "description": null}]`))
	for text, want := range map[string]bool{
		`[{"source": "192.0.2.7"}, {"source": "10.0.0.0/8", "description": "vpn", "id": 2}]`:            true,
		`[{"source": "192.0.2.7", "description": "x"}, {"source": "10.0.0.0/8", "description": "vpn"}]`: false,
		`[{"source": "10.0.0.0/8", "description": "vpn"}]`:                                              false,
	} {
		if got := sameValue(was, decode([]byte(text))); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// A restored list keeps what somebody else has added, and loses what the tests have
// added.
func TestListBack(t *testing.T) {
	t.Parallel()
	const was = `[{"source": "10.0.0.0/8", "description": "vpn"}, {"source": "192.0.2.7", "description": ""}]`
	const now = `[{"source": "10.0.0.0/8", "description": "vpn"}, {"source": "203.0.113.71/32", "description": "make testlive"}, {"source": "198.51.100.1", "description": "other"}]`
	for kind, want := range map[string]string{
		"service": `{"add":[{"source":"192.0.2.7","description":""}],"remove":[{"source":"203.0.113.71/32","description":"make testlive"}]}`,
		"key":     `[{"source":"10.0.0.0/8","description":"vpn"},{"source":"192.0.2.7","description":""},{"source":"198.51.100.1","description":"other"}]`,
	} {
		back := (&object{Kind: kind}).listBack(decode([]byte(was)), decode([]byte(now)))
		if got := content(back); got != content(decode([]byte(want))) {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
