// Package mockapi is the whole management API as a stateful HTTP server, for
// tests, measurements and demonstrations.
//
// It is strict where the specification speaks: every request is held against
// openapi.yaml, and so is every answer. Where the specification is silent it
// can behave in every way that a real server may ([Readings]), and it can fail
// in the ways that real servers and networks do ([Fault]).
//
// It shares no code with the client, so that a mistake must be made twice to
// stay hidden.
package mockapi

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is the API as an [http.Handler]. It is safe for concurrent use.
type Server struct {
	mu       sync.Mutex // guards what follows, up to the blank line
	store    *store
	readings Readings

	now         func() time.Time
	log         *slog.Logger
	requests    recorder
	faults      faults
	limiter     limiter
	latency     atomic.Int64 // a time.Duration
	connections atomic.Int64
}

// Option configures a [Server].
type Option func(*Server)

// WithReadings has the server behave as readings say from the start.
func WithReadings(readings Readings) Option {
	return func(s *Server) { s.readings = readings }
}

// WithClock replaces the clock from which updatedAt, the recorded times and
// the rate limit's windows come.
func WithClock(now func() time.Time) Option {
	return func(s *Server) { s.now = now }
}

// WithLogger has the server write a line about every request: its method, path,
// status (0: the connection was cut instead) and duration.
func WithLogger(log *slog.Logger) Option {
	return func(s *Server) { s.log = log }
}

// New is a server with a store of its own that holds the seed.
func New(opts ...Option) *Server {
	s := &Server{now: time.Now, log: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(s)
	}
	s.store = newStore(s.now)
	s.store.seed()
	s.SetReadings(s.readings)
	return s
}

// maxBody is the size in bytes past which a body is refused with 413, and so
// also the most that is recorded of one.
const maxBody = 1 << 20

// ServeHTTP answers one request: first the latency, then the rate limit, then
// the faults, and only then the API itself.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(r)
	c.body, c.bodyErr = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	arrived := s.now()
	recording := s.requests.record(w, c, arrived)
	defer func() {
		s.log.InfoContext(r.Context(), "request", "method", c.Method, "path", c.URL.Path, "body", string(c.body),
			"status", recording.status, "duration", s.now().Sub(arrived))
	}()
	s.serve(recording, c)
}

func (s *Server) serve(w http.ResponseWriter, c *call) {
	if !pause(c.Context(), time.Duration(s.latency.Load())) {
		return
	}
	if refusal := s.limiter.take(s.now()); refusal != nil {
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

// SetReadings has the server behave as readings say from the next request on.
func (s *Server) SetReadings(readings Readings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readings = readings
	for _, pipe := range s.store.records[Pipe] {
		pipe.offerExtraSetting(readings.ExtraMembers)
	}
}

// Latency has every answer wait for d from now on.
func (s *Server) Latency(d time.Duration) { s.latency.Store(int64(d)) }

// ConnState counts connections. Give it to an [http.Server] as its ConnState.
func (s *Server) ConnState(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.connections.Add(1)
	}
}

// Connections is how many connections were opened, where the [http.Server]
// reports them to [Server.ConnState].
func (s *Server) Connections() int { return int(s.connections.Load()) }
