package transport

import (
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	const scheme, parts = "must begin with https://, or with http:// if its host is this machine", "must not hold a user name, a password, a query or a fragment"
	for in, want := range map[string]string{ // the canonical form, or a part of the error
		"https://api.example":                    "https://api.example",
		"https://api.example//":                  "https://api.example",
		"HTTPS://API.Example:443":                "https://api.example",
		"https://api.example:/":                  "https://api.example",
		"https://api.example:8443/DB/prefix/":    "https://api.example:8443/DB/prefix",
		"https://api.example:80/a/%2f/":          "https://api.example:80/a/%2f",
		"https://api.example/a//b/../c":          "https://api.example/a/c",
		"https://[2001:DB8::443]:443":            "https://[2001:db8::443]",
		"http://LOCALHOST:80":                    "http://localhost",
		"http://127.9.9.9:443":                   "http://127.9.9.9:443",
		"http://[::1]:8080":                      "http://[::1]:8080",
		"":                                       scheme,
		"api.example":                            scheme,
		"ftp://api.example":                      scheme,
		"https:api.example":                      scheme,
		"https://":                               "must name a host",
		"https://:443":                           "must name a host",
		"http://api.example":                     scheme,
		"http://localhost.example":               scheme,
		"http://128.0.0.1":                       scheme,
		"https://user:hunter22@api.example":      parts,
		"https://api.example/v1":                 "must not end in /v1",
		"https://api.example/prefix/v1/":         "must not end in /v1",
		"https://api.example/v1/.":               "must not end in /v1",
		"https://api.example?x=1":                parts,
		"https://api.example?":                   parts,
		"https://api.example/#":                  parts,
		"https://api.example:0":                  "port between 1 and 65535",
		"https://api.example:65536":              "port between 1 and 65535",
		"https://user:hunter22@api.example:port": "is not a valid URL",
		"https://api.example/%zz":                "is not a valid URL",
	} {
		u, err := ParseBaseURL(in)
		switch {
		case err != nil:
			if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "hunter22") || strings.Contains(text, "\n") {
				t.Errorf("%s: %s is not one plain sentence with %q", in, text, want)
			}
		case u.String() != want:
			t.Errorf("%s became %s, want %s", in, u, want)
		default:
			if again, err := ParseBaseURL(want); err != nil || *again != *u {
				t.Errorf("%s became %+v, %v", want, again, err)
			}
		}
	}
}
