package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// An exchange is a request that was sent, and its response. It has no credentials
// and no secret values.
type exchange struct {
	method, path string         // the path below the organization
	sent         map[string]any // nil for a GET
	status       int
	header       http.Header    // only what is about rate limits
	envelope     map[string]any // nil if the response is no JSON object
	text         string         // of an error, its beginning
	at           time.Time      // of the response
}

// isRead reports whether a request changes nothing: a GET, or a PATCH with {}.
func isRead(method string, body []byte) bool {
	return method == http.MethodGet || method == http.MethodPatch && string(bytes.TrimSpace(body)) == "{}"
}

// isWrite reports whether the request may have changed something.
func (e *exchange) isWrite() bool { return len(e.sent) > 0 }

func (e *exchange) isAccepted() bool { return e.status >= 200 && e.status < 300 }

func (e *exchange) result() any { return e.envelope["result"] }

// object returns the path of the object that a request is about.
func (e *exchange) object() string { return objectOf(e.path) }

func objectOf(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, "/scaling"), "/settings")
}

// shown returns the members of the object that a response shows, by the name of
// the kind's part: those of a pipe's scaling, settings, or the object's own.
func (e *exchange) shown(part string) map[string]any {
	result, _ := e.result().(map[string]any)
	if part == "" || strings.HasSuffix(e.path, "/settings") && part == "settings" {
		return result
	}
	members, _ := result[part].(map[string]any)
	return members
}

// decode reads JSON with numbers as they are written; nil if it is none.
func jsonText(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

func decode(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

var (
	secretMember = regexp.MustCompile(`(?i)secret|password|token|connectionString|^encryptionKey$`)
	limitHeader  = regexp.MustCompile(`(?i)rate-?limit|^retry-after$`)
)

// masked replaces secret texts in a response.
func masked(value any) any {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			value[i] = masked(element)
		}
	case map[string]any:
		for name, member := range value {
			if text, isText := member.(string); isText && text != "" && secretMember.MatchString(name) {
				member = "(masked)"
			}
			value[name] = masked(member)
		}
	}
	return value
}

// A recorder is a proxy on loopback. It keeps what it sends, and sends nothing but
// reads and the change that is allowed.
type recorder struct {
	prefix string // of every path
	hide   *strings.Replacer
	server *http.Server
	url    string

	mu        sync.Mutex
	exchanges []*exchange
	allowed   *change   // nil: only reads
	refused   []string  // requests that were not sent
	written   time.Time // when a change was last under way
}

const maxBody = 32 << 20 // bytes

func newRecorder(ctx context.Context, s *settings) (*recorder, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	basic := base64.StdEncoding.EncodeToString([]byte(s.keyID + ":" + s.keySecret))
	r := &recorder{
		prefix: s.baseURL.Path + "/v1/organizations/" + s.organizationID,
		hide:   strings.NewReplacer(s.keySecret, "(masked)", basic, "(masked)"),
		url:    "http://" + listener.Addr().String() + s.baseURL.Path,
	}
	target := url.URL{Scheme: s.baseURL.Scheme, Host: s.baseURL.Host}
	r.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: &httputil.ReverseProxy{
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(&target) },
		Transport: r,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// allow lets one change be sent, or with nil none.
func (r *recorder) allow(c *change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.allowed = c
}

// RoundTrip implements [http.RoundTripper].
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(io.LimitReader(request.Body, maxBody)); err != nil {
			return nil, err
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	kept := &exchange{method: request.Method, path: strings.TrimPrefix(request.URL.Path, r.prefix)}
	kept.sent, _ = decode(body).(map[string]any)
	request.Header.Del("Accept-Encoding") // the transport sets it, and decompresses what is looked at
	if !isRead(kept.method, body) {
		if err := r.check(kept); err != nil {
			return r.refuse(request, kept, err), nil
		}
		// It would be unknown what a change did that is given up, so none is.
		limited, cancel := context.WithTimeout(context.WithoutCancel(request.Context()), 30*time.Second)
		defer cancel()
		request = request.WithContext(limited)
		r.noteWrite()
		defer r.noteWrite()
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	received, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(received))
	r.keep(kept, response, received)
	return response, nil
}

func (r *recorder) keep(kept *exchange, response *http.Response, received []byte) {
	kept.status, kept.at, kept.header = response.StatusCode, time.Now(), response.Header.Clone()
	maps.DeleteFunc(kept.header, func(name string, _ []string) bool { return !limitHeader.MatchString(name) })
	kept.envelope, _ = masked(decode(received)).(map[string]any)
	if !kept.isAccepted() {
		const enough = 4 << 10
		kept.text = r.hide.Replace(string(received[:min(len(received), enough)]))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchanges = append(r.exchanges, kept)
}

func (r *recorder) noteWrite() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = time.Now()
}

// check returns why a change must not be sent.
func (r *recorder) check(e *exchange) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.allowed == nil {
		return fmt.Errorf("%s %s is no read", e.method, e.path)
	}
	var shown map[string]any
	isRefused := false // before, so something may be left out
	for _, before := range r.exchanges {
		if before.object() != r.allowed.Path {
			continue
		}
		if now := before.shown(r.allowed.kind().part); before.isAccepted() && len(now) > 0 && !before.isWrite() {
			shown = now
		}
		isRefused = isRefused || before.path == e.path && (before.status == http.StatusBadRequest || before.status == http.StatusUnprocessableEntity)
	}
	return r.allowed.check(e, shown, isRefused)
}

// refuse responds in place of the API, with a status that the provider takes as final.
func (r *recorder) refuse(request *http.Request, kept *exchange, err error) *http.Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = append(r.refused, err.Error())
	text, _ := json.Marshal(map[string]any{"status": http.StatusForbidden, "error": fmt.Sprintf("make testlive did not send %s %s: %v", kept.method, kept.path, err)})
	return &http.Response{
		StatusCode: http.StatusForbidden,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(text)),
		ContentLength: int64(len(text)),
		Request:       request,
	}
}

// all returns the exchanges so far.
func (r *recorder) all() []*exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.exchanges)
}
