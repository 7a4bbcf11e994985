package transport

import (
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"https://api.example",
		"https://api.example/",
		"https://api.example:8443/db/prefix",
		"HTTPS://api.example",
		"https://[2001:db8::1]:443",
		"http://localhost:8080",
		"http://LOCALHOST",
		"http://127.0.0.1:1/x",
		"http://127.9.9.9",
		"http://[::1]:8080",
	} {
		if _, err := ParseBaseURL(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestParseBaseURLRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"", "must begin with https://"},
		{"api.example", "must begin with https://"},
		{"ftp://api.example", "must begin with https://"},
		{"https:api.example", "must begin with https://"},
		{"https://", "must name a host"},
		{"https://:443", "must name a host"},
		{"http://api.example", "unless its host is this machine"},
		{"http://localhost.example", "unless its host is this machine"},
		{"http://128.0.0.1", "unless its host is this machine"},
		{"https://user:hunter22@api.example", "must not hold a user name or a password"},
		{"https://user@api.example", "must not hold a user name or a password"},
		{"https://api.example/v1", "must not end in /v1"},
		{"https://api.example/prefix/v1/", "must not end in /v1"},
		{"https://api.example?x=1", "must not hold a query"},
		{"https://api.example?", "must not hold a query"},
		{"https://api.example/#x", "must not hold a fragment"},
		{"https://api.example/#", "must not hold a fragment"},
		{"https://api.example:0", "port between 1 and 65535"},
		{"https://api.example:65536", "port between 1 and 65535"},
		{"https://user:hunter22@api.example:port", "is not a valid URL"},
		{"https://api.example/%zz", "is not a valid URL"},
	} {
		t.Run(test.in, func(t *testing.T) {
			t.Parallel()
			_, err := ParseBaseURL(test.in)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want one with %q", err, test.want)
			}
			if strings.Contains(err.Error(), "hunter22") || strings.Contains(err.Error(), "\n") {
				t.Errorf("not one plain sentence without secrets: %v", err)
			}
		})
	}
}
