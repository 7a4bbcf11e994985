package mockapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
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
	return &recordingWriter{ResponseWriter: w, written: func(status int) {
		rec.mu.Lock()
		defer rec.mu.Unlock()
		request.Status = status
	}}
}

// recordingWriter reports the status that is written.
type recordingWriter struct {
	http.ResponseWriter
	status  int
	written func(status int)
}

func (w *recordingWriter) WriteHeader(status int) {
	w.status = status
	w.written(status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *recordingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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

// secret is a JSON member whose name suggests a secret.
var secret = regexp.MustCompile(`("[^"]*(?i:secret|password|token|credential|connection_?string|private_?key)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"`)

// masked is a body for the log, with secrets masked. Masking is slow, so it is
// left to the moment of logging.
type masked []byte

// LogValue implements [slog.LogValuer].
func (m masked) LogValue() slog.Value {
	body := secret.ReplaceAll(m, []byte(`$1"***"`))
	return slog.StringValue(string(bytes.ReplaceAll(body, []byte(KeySecret), []byte("***"))))
}
