package mockapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Request is one request that the server received.
type Request struct {
	// Operation is the operationId in openapi.yaml; empty where none fits.
	Operation string
	Method    string
	// Path is decoded and without the query.
	Path string
	// Body is what was sent, up to one MiB.
	Body []byte
	// Status is of the response; 0 before it, and if the connection was cut
	// instead.
	Status int
	// Header is what was sent, without Authorization.
	Header http.Header
	// Time is when the request had arrived in full.
	Time time.Time
}

// Writes reports whether the request changes something. A PATCH with {} is the read of an
// object that has no GET.
func (r Request) Writes() bool { return r.Method != http.MethodGet && string(r.Body) != "{}" }

// SameJSON reports whether two texts are the same JSON value.
func SameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// recorder keeps the requests in the order in which they arrived.
type recorder struct {
	mu       sync.Mutex
	requests []*Request
}

// record keeps a request, and its status once that is written to w.
func (rec *recorder) record(w http.ResponseWriter, c *call, now time.Time) *recordingWriter {
	request := &Request{
		Operation: c.name(),
		Method:    c.Method,
		Path:      c.URL.Path,
		Body:      c.body,
		Header:    c.Header.Clone(),
		Time:      now,
	}
	request.Header.Del("Authorization")
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.requests = append(rec.requests, request)
	return &recordingWriter{w, rec, request}
}

// recordingWriter records the status that is written.
type recordingWriter struct {
	http.ResponseWriter
	recorder *recorder
	request  *Request
}

func (w *recordingWriter) WriteHeader(status int) {
	w.recorder.mu.Lock()
	w.request.Status = status
	w.recorder.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *recordingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// snapshot is a request as it is now: its status may be still to come.
func (rec *recorder) snapshot(request *Request) Request {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return *request
}

// Requests is everything received since the start or [Server.ResetRequests],
// in the order of arrival.
func (s *Server) Requests() []Request {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	requests := make([]Request, len(s.requests.requests))
	for i, request := range s.requests.requests {
		requests[i] = *request
	}
	return requests
}

// ResetRequests forgets what was received.
func (s *Server) ResetRequests() {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	s.requests.requests = nil
}

// Sent is the bodies sent to an operation (its operationId), in the order of
// arrival, as compact JSON with the members in the order in which they were
// sent. A body that is not JSON is returned as it is.
func (s *Server) Sent(operation string) []string {
	var sent []string
	for _, request := range s.Requests() {
		if request.Operation != operation {
			continue
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, request.Body); err != nil {
			sent = append(sent, string(request.Body))
			continue
		}
		sent = append(sent, compact.String())
	}
	return sent
}

var longID = regexp.MustCompile(`(?i)[0-9a-f-]{32}([0-9a-f]{4})`)

// ShortPath is the path without the organization, and with the last digits of
// ids: /keys/…1111.
func (r Request) ShortPath() string {
	path := strings.TrimPrefix(r.Path, "/v1/organizations/"+OrganizationID)
	return longID.ReplaceAllString(path, "…$1")
}
