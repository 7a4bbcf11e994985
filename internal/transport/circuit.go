package transport

import (
	"context"
	"sync"
	"time"
)

// longestRest is how long, at the most, nothing is sent while the API is down.
const longestRest = 30 * time.Second

// circuits keep a run of many requests from waiting out an outage with each of
// them: one that has used up its retries speaks for those that come after it.
// An outage is the whole API's or one operation's; one object's is none, since
// requests about other objects get through.
type circuits struct {
	whole circuit

	mu          sync.Mutex
	byOperation map[string]*circuit
}

func (cs *circuits) of(operation string) *circuit {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.byOperation == nil {
		cs.byOperation = map[string]*circuit{}
	}
	if cs.byOperation[operation] == nil {
		cs.byOperation[operation] = &circuit{}
	}
	return cs.byOperation[operation]
}

// A circuit is what is known of the API, or of one of its operations. The zero
// circuit is closed: requests go.
//
// While it is open, one request at a time finds out, in one attempt, whether it
// still has to be. The others wait for that one, and where it fails too, nothing
// is sent for as long as the outage has lasted already.
type circuit struct {
	mu     sync.Mutex
	worked time.Time     // when the last answer came that was none of an outage
	outage *Error        // what used up a request's retries; nil: closed
	since  time.Time     // when that request began
	rest   time.Time     // nothing is sent until then
	probe  chan struct{} // closed when the one that finds out has; nil: nobody is at it
}

// A way is a request's way through one circuit.
type way struct {
	circuit *circuit
	probe   chan struct{} // the circuit's, where the request is the one that finds out
}

// enter waits until a request may go. The outage is why it may not go at all;
// the error is the context's.
func (c *circuit) enter(ctx context.Context) (w way, outage *Error, err error) {
	for {
		w, others, outage := c.turn()
		if others == nil {
			return w, outage, nil
		}
		select {
		case <-others:
		case <-ctx.Done():
			return way{}, nil, ctx.Err()
		}
	}
}

func (c *circuit) turn() (w way, others chan struct{}, outage *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w = way{circuit: c}
	switch {
	case c.outage == nil:
		return w, nil, nil
	case c.probe != nil:
		return w, c.probe, nil
	case time.Now().Before(c.rest):
		return w, nil, c.outage
	}
	c.probe = make(chan struct{})
	w.probe = c.probe
	return w, nil, nil
}

// leave ends a probe.
func (c *circuit) leave(probe chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if probe != nil && c.probe == probe {
		c.endProbe()
	}
}

func (c *circuit) endProbe() {
	if c.probe != nil {
		close(c.probe)
		c.probe = nil
	}
}

// works notes an answer that was none of an outage, and closes the circuit.
func (c *circuit) works() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.worked = time.Now()
	c.outage = nil
	c.endProbe()
}

// failed notes that a request which began at began got nowhere. If it has used
// up its retries and nobody else got through for at least half of its time, it
// opens the circuit.
func (c *circuit) failed(w way, began time.Time, failure *Error, usedUp bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.outage == nil && usedUp && now.Sub(c.worked) >= now.Sub(began)/2 {
		c.outage, c.since = failure, began
	}
	if c.outage != nil && w.probe != nil && w.probe == c.probe {
		c.rest = now.Add(min(max(now.Sub(c.since), failure.wait), longestRest))
	}
}

func (c *circuit) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.outage != nil
}

// A passage is a request's way through the circuits that concern it.
type passage struct {
	ways  []way
	began time.Time
}

// enter lets a request through, or says why it is not sent.
func (cs *circuits) enter(ctx context.Context, r Request) (*passage, *Error) {
	p := &passage{}
	for _, next := range []struct {
		circuit *circuit
		says    string
	}{
		{&cs.whole, "not sent, because the API is down: "},
		{cs.of(r.Operation), "not sent, because the API is down for this operation: "},
	} {
		w, outage, err := next.circuit.enter(ctx)
		if err != nil || outage != nil {
			p.leave()
			if err != nil {
				return nil, &Error{Operation: r.Operation, Err: err}
			}
			return nil, outage.spokenFor(r, next.says)
		}
		p.ways = append(p.ways, w)
	}
	p.began = time.Now()
	return p, nil
}

func (p *passage) leave() {
	for _, w := range p.ways {
		w.circuit.leave(w.probe)
	}
}

func (p *passage) works() {
	for _, w := range p.ways {
		w.circuit.works()
	}
}

func (p *passage) failed(failure *Error, usedUp bool) {
	for _, w := range p.ways {
		w.circuit.failed(w, p.began, failure, usedUp)
	}
}

// probes reports whether this request finds out whether an outage has ended.
func (p *passage) probes() bool {
	for _, w := range p.ways {
		if w.probe != nil {
			return true
		}
	}
	return false
}

// isBlocked reports whether there is an outage by now.
func (p *passage) isBlocked() bool {
	for _, w := range p.ways {
		if w.circuit.isOpen() {
			return true
		}
	}
	return false
}
