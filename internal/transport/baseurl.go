package transport

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ParseBaseURL reads the address of the API: https://…, with a path prefix if
// need be; http://… only to a host that is this machine, because credentials go
// over it. Each error is one plain sentence, and none repeats s: it may hold a
// password.
func ParseBaseURL(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		return nil, errors.New("the base URL must begin with https://")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("the base URL is not a valid URL")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the base URL must begin with https://")
	case u.Hostname() == "":
		return nil, errors.New("the base URL must name a host")
	case u.User != nil:
		return nil, errors.New("the base URL must not hold a user name or a password")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/v1"):
		return nil, errors.New("the base URL must not end in /v1, which the provider adds itself")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("the base URL must not hold a query")
	case strings.Contains(s, "#"):
		return nil, errors.New("the base URL must not hold a fragment")
	case u.Port() != "" && !isPort(u.Port()):
		return nil, errors.New("the base URL must hold a port between 1 and 65535, or none")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, errors.New("the base URL must begin with https:// unless its host is this machine (localhost, 127.0.0.0/8 or ::1)")
	}
	return u, nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
