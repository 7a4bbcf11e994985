package mockapi

import (
	"fmt"
	"slices"
	"sync"
)

// phase is before or after a request is acted on.
type phase bool

const (
	before phase = false
	after  phase = true
)

// hook runs once, at the n-th request.
type hook struct {
	operation string
	phase     phase
	n         int // requests to go
	run       func()
}

type hooks struct {
	mu     sync.Mutex
	active []*hook
}

// Before calls run right before the server acts on the n-th request of an
// operation (its operationId; the next one is 1). Requests that fail before
// that are not counted. run may use the server. It panics on a mistake.
func (s *Server) Before(operation string, n int, run func()) { s.hooks.add(operation, n, before, run) }

// After is [Server.Before] for right after the server has acted: nothing of
// the response is written yet.
func (s *Server) After(operation string, n int, run func()) { s.hooks.add(operation, n, after, run) }

func (hs *hooks) add(operation string, n int, at phase, run func()) {
	if _, ok := handlers[operation]; !ok || n < 1 {
		panic(fmt.Sprintf("mockapi: no request %d of an operation %q", n, operation))
	}
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.active = append(hs.active, &hook{operation, at, n, run})
}

// run counts a request and calls the hooks that are due.
func (hs *hooks) run(operation string, at phase) {
	var due []func()
	hs.mu.Lock()
	hs.active = slices.DeleteFunc(hs.active, func(h *hook) bool {
		if h.operation != operation || h.phase != at {
			return false
		}
		if h.n--; h.n == 0 {
			due = append(due, h.run)
		}
		return h.n == 0
	})
	hs.mu.Unlock()
	for _, run := range due {
		run()
	}
}
