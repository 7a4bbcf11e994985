package mockapi

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong with a request: instead of the API's response, or after the
// API has acted.
type Fault struct {
	// Operation is the operationId in openapi.yaml of the requests that fail.
	// Empty: every request, also those of no operation.
	Operation string
	// ID narrows it to requests whose path holds this id. Empty: all.
	ID string
	// Percent is the probability that a matching request fails. 0: each does.
	Percent int
	// Skip is how many matching requests succeed first.
	Skip int
	// Times is how many requests then fail. 0: until the fault is removed.
	Times int

	// Kind is what happens.
	Kind FaultKind
	// Status, Header and Body are of the response. Kind decides which of them count, and
	// what their zero values mean.
	Status int
	Header http.Header
	Body   string
	// Delay comes before everything else.
	Delay time.Duration
	// AfterActing lets the server act on the request first, so that the client does not know
	// the outcome.
	AfterActing bool
}

// FaultKind is what happens in a [Fault].
type FaultKind string

// The kinds of fault; [AllFaults] says what each does. Those with a body of their own ignore Body.
const (
	FaultStatus        FaultKind = ""
	FaultReset         FaultKind = "reset"
	FaultHang          FaultKind = "hang"
	FaultCut           FaultKind = "cut"
	FaultHTML          FaultKind = "html"
	FaultPlain         FaultKind = "plain"
	FaultEmpty         FaultKind = "empty"
	FaultErrorEnvelope FaultKind = "error-envelope"
	FaultErrorStatus   FaultKind = "error-status"
	FaultErrorMember   FaultKind = "error-member"
	FaultErrorList     FaultKind = "error-list"
	FaultNoResult      FaultKind = "no-result"
	FaultStringResult  FaultKind = "string-result"
	FaultOtherID       FaultKind = "other-id"
	FaultRedirect      FaultKind = "redirect"
)

// Fail makes requests fail from now on. If several faults match a request, the oldest is played, and
// the others do not count it. It panics on a fault that would do nothing. remove ends the fault and
// the requests that hang in it, and may be called more than once.
func (s *Server) Fail(f Fault) (remove func()) {
	if f.isNothing() {
		panic("mockapi: a fault without a Kind needs a Status or a Delay")
	}
	return s.faults.add(f)
}

func (f *Fault) isNothing() bool { return f.Kind == FaultStatus && f.Status == 0 && f.Delay == 0 }

// activeFault is a fault that has not been removed.
type activeFault struct {
	Fault
	seen int           // matching requests so far
	over chan struct{} // closed once the fault is removed
}

type faults struct {
	mu     sync.Mutex
	active []*activeFault
}

func (fs *faults) add(f Fault) (remove func()) {
	added := &activeFault{Fault: f, over: make(chan struct{})}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.active = append(fs.active, added)
	return sync.OnceFunc(func() {
		fs.mu.Lock()
		defer fs.mu.Unlock()
		fs.active = slices.DeleteFunc(fs.active, func(fault *activeFault) bool { return fault == added })
		close(added.over)
	})
}

// match is the fault of a request, nil for none.
func (fs *faults) match(c *call) *activeFault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, fault := range fs.active {
		isSpared := fault.Percent > 0 && rand.IntN(100) >= fault.Percent //nolint:gosec // no secret
		if !fault.concerns(c) || fault.spent() || isSpared {
			continue
		}
		fault.seen++
		if fault.seen > fault.Skip {
			return fault
		}
	}
	return nil
}

func (f *activeFault) concerns(c *call) bool {
	return (f.Operation == "" || f.Operation == c.name()) &&
		(f.ID == "" || strings.Contains(strings.ToLower(c.URL.Path), strings.ToLower(f.ID)))
}

// spent reports whether the fault is used up.
func (f *activeFault) spent() bool {
	return f.Times > 0 && f.seen >= f.Skip+f.Times
}
