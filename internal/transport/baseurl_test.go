package transport

import (
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	const start, local, user = "must begin with https://", "unless its host is this machine", "must not hold a user name or a password"
	for in, want := range map[string]string{ // "": valid
		"https://api.example":                    "",
		"https://api.example/":                   "",
		"https://api.example:8443/db/prefix":     "",
		"HTTPS://api.example":                    "",
		"https://[2001:db8::1]:443":              "",
		"http://localhost:8080":                  "",
		"http://LOCALHOST":                       "",
		"http://127.9.9.9":                       "",
		"http://[::1]:8080":                      "",
		"":                                       start,
		"api.example":                            start,
		"ftp://api.example":                      start,
		"https:api.example":                      start,
		"https://":                               "must name a host",
		"https://:443":                           "must name a host",
		"http://api.example":                     local,
		"http://localhost.example":               local,
		"http://128.0.0.1":                       local,
		"https://user:hunter22@api.example":      user,
		"https://user@api.example":               user,
		"https://api.example/v1":                 "must not end in /v1",
		"https://api.example/prefix/v1/":         "must not end in /v1",
		"https://api.example?x=1":                "must not hold a query",
		"https://api.example?":                   "must not hold a query",
		"https://api.example/#x":                 "must not hold a fragment",
		"https://api.example/#":                  "must not hold a fragment",
		"https://api.example:0":                  "port between 1 and 65535",
		"https://api.example:65536":              "port between 1 and 65535",
		"https://user:hunter22@api.example:port": "is not a valid URL",
		"https://api.example/%zz":                "is not a valid URL",
	} {
		_, err := ParseBaseURL(in)
		if err == nil || want == "" {
			if err != nil || want != "" {
				t.Errorf("%s: error %v, want %q", in, err, want)
			}
			continue
		}
		if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "hunter22") || strings.Contains(text, "\n") {
			t.Errorf("%s: %s is not one plain sentence with %q", in, text, want)
		}
	}
}
