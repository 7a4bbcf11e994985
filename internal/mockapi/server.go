// Package mockapi is the whole management API as a stateful HTTP server, for
// tests, measurements and demonstrations.
//
// It is strict where openapi.yaml is: it checks every request and every response
// against it. Where openapi.yaml promises nothing, it can behave in every way
// that a real server may ([Variants]), and it can fail as real servers and
// networks do ([Fault]).
//
// It shares no code with the client, so that a mistake must be made twice to
// stay hidden.
package mockapi

import (
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Server is the API as an [http.Handler]. It is safe for concurrent use.
type Server struct {
	mu       sync.Mutex // guards what follows, up to the blank line
	store    *store
	variants Variants

	now         func() time.Time
	log         func(Request)
	requests    recorder
	faults      faults
	limiter     limiter
	latency     atomic.Int64 // a time.Duration
	connections atomic.Int64
}

// Option configures a [Server].
type Option func(*Server)

// WithVariants sets how the server behaves from the start.
func WithVariants(variants Variants) Option {
	return func(s *Server) { s.variants = variants }
}

// WithClock replaces the clock of the server: updatedAt, the Date of responses, the
// recorded times, the rate limit's windows, the age of stale objects, the expiry of keys.
func WithClock(now func() time.Time) Option {
	return func(s *Server) { s.now = now }
}

// WithLog calls log after every request, several at a time.
func WithLog(log func(Request)) Option {
	return func(s *Server) { s.log = log }
}

// New returns a server that holds the seed and nothing else.
func New(opts ...Option) *Server {
	s := &Server{now: time.Now, log: func(Request) {}}
	for _, opt := range opts {
		opt(s)
	}
	s.store = newStore(s.now)
	s.store.seed()
	s.SetVariants(s.variants)
	return s
}

// maxBody is the size in bytes past which a body is refused with 413. No more
// than that is recorded.
const maxBody = 1 << 20

// ServeHTTP serves one request: the latency, the rate limit, the faults, and only then the
// API itself.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	c := newCall(r, s.variants)
	s.mu.Unlock()
	c.body, c.bodyErr = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	arrived := s.now()
	recording := s.requests.record(w, c, arrived)
	defer func() { s.log(s.requests.snapshot(recording.request)) }()
	w.Header().Set("Date", arrived.UTC().Format(http.TimeFormat))
	s.serve(recording, c)
}

func (s *Server) serve(w http.ResponseWriter, c *call) {
	if !pause(c.Context(), time.Duration(s.latency.Load())) {
		return
	}
	header, refusal := s.limiter.take(s.now())
	maps.Copy(w.Header(), header)
	if refusal != nil {
		s.refusal(refusal).write(w)
		return
	}
	act := func() reply { return s.act(c) }
	if fault := s.faults.match(c); fault != nil {
		fault.play(w, c, act)
		return
	}
	act().write(w)
}

// HidesObjects reports whether the server is one that does not return services and keys, so that a
// client needs a setting for that. Variants under which an apply has to fail do not count.
func (s *Server) HidesObjects() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.variants.number("refuse_empty_patch")
	return status != 0 && status != http.StatusInternalServerError && !s.variants.Has("read_only_key")
}

// SetVariants sets how the server behaves from the next request on. It panics on a name that
// VARIANTS.md does not have, and on two of one point.
func (s *Server) SetVariants(variants Variants) {
	if err := variants.check(); err != nil {
		panic("mockapi: " + err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.variants = slices.Clone(variants)
	for _, pipe := range s.store.objects[Pipe] {
		pipe.offerExtraSetting(variants)
	}
}

// Latency delays every response by d from now on.
func (s *Server) Latency(d time.Duration) { s.latency.Store(int64(d)) }

// ConnState counts connections. Give it to an [http.Server] as its ConnState.
func (s *Server) ConnState(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.connections.Add(1)
	}
}

// Connections is how many connections were opened, if the [http.Server] reports
// them to [Server.ConnState].
func (s *Server) Connections() int { return int(s.connections.Load()) }
