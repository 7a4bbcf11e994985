package transport

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

var errScheme = errors.New("must begin with https://, or with http:// if its host is this machine (localhost, 127.0.0.0/8 or ::1)")

// ParseBaseURL reads the address of the API: https://…, optionally with a path
// prefix. Credentials go over it, so http://… is only for a host that is this
// machine. Errors do not quote s, which may hold a password.
//
// Its result is canonical: addresses of one API are equal. The scheme and the host
// are in lower case, and there is neither a default port nor a slash at the end.
func ParseBaseURL(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		return nil, errScheme
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("is not a valid URL")
	}
	u = u.JoinPath() // without // and ..
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	isPort := err == nil && port > 0
	addr, _ := netip.ParseAddr(u.Hostname()) // the zero Addr if it is a name
	isLoopback := addr.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errScheme
	case u.Hostname() == "":
		return nil, errors.New("must name a host")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(s, "#"):
		return nil, errors.New("must not hold a user name, a password, a query or a fragment")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/v1"):
		return nil, errors.New("must not end in /v1, which the provider adds itself")
	case u.Port() != "" && !isPort:
		return nil, errors.New("must hold a port between 1 and 65535, or none")
	case u.Scheme == "http" && !isLoopback:
		return nil, errScheme
	}
	defaultPort := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	u.Host = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(u.Host), ":"+defaultPort), ":")
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path, err = url.PathUnescape(u.RawPath)
	return u, err
}
