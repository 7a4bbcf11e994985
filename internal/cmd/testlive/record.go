package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// An exchange is a request that was sent, and its response. It stays in memory: it may
// have secret values.
type exchange struct {
	method, path string         // the path below the organization
	sent         map[string]any // nil for a GET
	status       int
	envelope     map[string]any // nil if the response is no JSON object
	hasBody      bool           // the response
}

// isWrite reports whether the request may change something: it is no GET, and no
// PATCH with {}.
func (e *exchange) isWrite() bool {
	return e.method != http.MethodGet && (e.method != http.MethodPatch || e.sent == nil || len(e.sent) > 0)
}

// shown returns the members of an object in the response to a read: a pipe's scaling,
// its settings, or without a part all of them.
func (e *exchange) shown(part string) map[string]any {
	if e == nil {
		return nil
	}
	result, _ := e.envelope["result"].(map[string]any)
	if part == "" {
		return result
	}
	members, _ := result[part].(map[string]any)
	return members
}

// isShown reports whether this is a read that the API accepted.
func (e *exchange) isShown() bool {
	return !e.isWrite() && e.status == http.StatusOK && e.envelope["result"] != nil
}

// latest returns the last read that shows an object, or nil.
func latest(exchanges []*exchange, path string) *exchange {
	for _, e := range slices.Backward(exchanges) {
		if e.path == path && e.isShown() {
			return e
		}
	}
	return nil
}

// A recorder is a proxy on loopback. It keeps what it sends, and sends nothing but
// reads and the change that is allowed.
type recorder struct {
	server      *http.Server
	prefix, url string // of every path; for the provider

	mu        sync.Mutex
	exchanges []*exchange
	allowed   *change  // nil: only reads
	refused   []string // why requests were not sent
}

func newRecorder(ctx context.Context, s *settings) (*recorder, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &recorder{
		prefix: s.baseURL.Path + "/v1/organizations/" + s.organizationID,
		url:    "http://" + listener.Addr().String() + s.baseURL.Path,
	}
	target := url.URL{Scheme: s.baseURL.Scheme, Host: s.baseURL.Host}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&target)
			p.Out.Header.Del("Accept-Encoding") // the transport sets it, and decompresses
		},
	}
	r.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.forward(w, request, *proxy)
	})}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// forward sends a request if it may be sent, and keeps it and its response.
func (r *recorder) forward(w http.ResponseWriter, request *http.Request, proxy httputil.ReverseProxy) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // nobody waits for a response
	}
	kept := &exchange{method: request.Method, path: strings.TrimPrefix(request.URL.Path, r.prefix)}
	_ = decode(body, &kept.sent)
	if kept.isWrite() {
		if err := r.check(kept); err != nil {
			// The provider does not retry after this status.
			http.Error(w, fmt.Sprintf("make testlive did not send %s %s: %v", kept.method, kept.path, err), http.StatusForbidden)
			return
		}
		// The outcome of an aborted change would be unknown.
		limited, cancel := context.WithTimeout(context.WithoutCancel(request.Context()), 30*time.Second)
		defer cancel()
		request = request.WithContext(limited)
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	proxy.ModifyResponse = func(response *http.Response) error {
		received, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		response.Body = io.NopCloser(bytes.NewReader(received))
		kept.status, kept.hasBody = response.StatusCode, len(received) > 0
		_ = decode(received, &kept.envelope)
		r.locked(func() { r.exchanges = append(r.exchanges, kept) })
		return nil
	}
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
		kept.status = http.StatusBadGateway
		r.locked(func() { r.exchanges = append(r.exchanges, kept) })
		http.Error(w, err.Error(), kept.status)
	}
	proxy.ServeHTTP(w, request)
}

// allow lets one change be sent, or with nil none.
func (r *recorder) allow(c *change) { r.locked(func() { r.allowed = c }) }

func (r *recorder) locked(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// check returns why a change must not be sent, and keeps the reason for the output.
func (r *recorder) check(e *exchange) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = fmt.Errorf("%s is no read", e.method); r.allowed != nil {
		err = r.allowed.check(e, latest(r.exchanges, r.allowed.path))
	}
	if err != nil {
		r.refused = append(r.refused, err.Error())
	}
	return err
}

// all returns the exchanges so far.
func (r *recorder) all() (all []*exchange) {
	r.locked(func() { all = slices.Clone(r.exchanges) })
	return all
}
