package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// An exchange is a request and its response.
type exchange struct {
	method, path string // the path below the organization
	sent         []byte
	status       int
	header       http.Header
	received     []byte
	at           time.Time // of the response
}

// isRead reports whether the request changes nothing: a GET, or a PATCH with {}.
func isRead(method string, body []byte) bool {
	return method == http.MethodGet || method == http.MethodPatch && string(bytes.TrimSpace(body)) == "{}"
}

// result returns what the envelope holds, with numbers as they are written; nil
// for an error.
func (e *exchange) result() any { return e.member("result") }

// isAccepted reports whether a change was accepted, also with another status than
// the documented 200.
func (e *exchange) isAccepted() bool {
	return e.status >= http.StatusOK && e.status < http.StatusMultipleChoices
}

// member returns a member of the response.
func (e *exchange) member(name string) any {
	object, _ := decode(e.received).(map[string]any)
	return object[name]
}

// text describes a refusal, in one line. It does not quote what may be an object.
func (e *exchange) text() string {
	if e.isAccepted() {
		return fmt.Sprintf("%d without an object in the envelope", e.status)
	}
	text := []rune(strings.Join(strings.Fields(string(e.received)), " "))
	return fmt.Sprintf("%d %s", e.status, string(text[:min(len(text), 200)]))
}

// decode returns nil for what is not JSON.
func decode(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// A record sends all requests of a run, the provider's and its own, and keeps
// them. It sends none that its guard refuses.
type record struct {
	transport http.RoundTripper
	guard     *guard
	prefix    string // of every path

	mu        sync.Mutex
	exchanges []*exchange
	refused   []string                   // what the guard has refused
	touched   map[string]map[string]bool // members that were changed, by the path of the object
	lost      time.Time                  // see [record.lastLost]
}

func newRecord(s *settings) *record {
	return &record{
		transport: http.DefaultTransport.(*http.Transport).Clone(),
		guard:     newGuard(),
		touched:   map[string]map[string]bool{},
		prefix:    s.baseURL.Path + "/v1/organizations/" + s.organizationID,
	}
}

const (
	maxBody       = 32 << 20 // bytes
	changeTimeout = 30 * time.Second
)

// RoundTrip implements [http.RoundTripper].
func (r *record) RoundTrip(request *http.Request) (*http.Response, error) {
	kept := &exchange{method: request.Method, path: strings.TrimPrefix(request.URL.Path, r.prefix)}
	if request.Body != nil {
		kept.sent, _ = io.ReadAll(io.LimitReader(request.Body, maxBody))
		_ = request.Body.Close()
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(kept.sent))
	}
	request.Header.Del("Accept-Encoding") // the transport sets it, and decompresses what is looked at
	if err := r.guard.check(kept.method, kept.path, kept.sent); err != nil {
		return r.refuse(request, kept, err), nil
	}
	if !isRead(kept.method, kept.sent) {
		before := r.touchedOf(objectPath(kept.path))
		r.touch(kept)
		defer func() {
			switch {
			case isRefusal(kept.status):
				r.setTouched(objectPath(kept.path), before)
			case !kept.isAccepted():
				r.mu.Lock()
				defer r.mu.Unlock()
				r.lost = time.Now()
			}
		}()
		// It would be unknown what a change did that is given up, so none is.
		limited, cancel := context.WithTimeout(context.WithoutCancel(request.Context()), changeTimeout)
		defer cancel()
		request = request.WithContext(limited)
	}
	response, err := r.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	kept.received, err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(kept.received))
	kept.status, kept.header, kept.at = response.StatusCode, response.Header.Clone(), time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchanges = append(r.exchanges, kept)
	return response, nil
}

// refuse answers in place of the API, with a status that nobody tries again.
func (r *record) refuse(request *http.Request, kept *exchange, err error) *http.Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = append(r.refused, fmt.Sprintf("%s %s: %v", kept.method, kept.path, err))
	text, _ := json.Marshal(map[string]any{"status": http.StatusBadRequest, "error": "make testlive refused this request: " + err.Error()})
	return &http.Response{
		StatusCode: http.StatusBadRequest,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(text)),
		ContentLength: int64(len(text)),
		Request:       request,
	}
}

// touch notes what a request may change.
func (r *record) touch(e *exchange) {
	path := objectPath(e.path)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.touched[path] == nil {
		r.touched[path] = map[string]bool{}
	}
	sent, _ := decode(e.sent).(map[string]any)
	for name := range sent {
		r.touched[path][name] = true
	}
}

// objectPath is the path of the object that a request changes.
func objectPath(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, "/scaling"), "/settings")
}

func (r *record) touchedOf(path string) map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.touched[path])
}

func (r *record) setTouched(path string, members map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touched[path] = members
}

// lastLost is when a change last ended without a response that tells its outcome.
func (r *record) lastLost() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// forget is for an object that was restored.
func (r *record) forget(path string) { r.setTouched(path, nil) }

// isRefusal reports whether a change with this status was certainly not made.
func isRefusal(status int) bool {
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError
}

// all returns the exchanges so far.
func (r *record) all() []*exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.exchanges)
}

// serve forwards requests from a loopback address to the API. end waits for those
// that are under way, and refuses all others.
func (r *record) serve(ctx context.Context, target *url.URL) (baseURL string, end func() error, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = target.Scheme, target.Host, ""
		},
		Transport: r,
		// The provider reports what it does not receive.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	end = func() error {
		const grace = changeTimeout + 5*time.Second
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		return errors.Join(server.Shutdown(limited), server.Close())
	}
	return "http://" + listener.Addr().String() + target.Path, end, nil
}
