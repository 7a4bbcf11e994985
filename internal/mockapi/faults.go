package mockapi

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong with requests, instead of the API's
// response or after it.
type Fault struct {
	// Operation is the operationId in openapi.yaml of the requests that fail.
	// Empty: every request, also those of no operation.
	Operation string
	// ID narrows it to requests whose path holds this id. Empty: all.
	ID string
	// Skip is how many matching requests succeed first.
	Skip int
	// Times is how many requests then fail. 0: until the fault is removed.
	Times int

	// Kind is what happens.
	Kind FaultKind
	// Status, Header and Body are of the response; Kind says which of them it
	// uses and what their zero means.
	Status int
	Header http.Header
	Body   string
	// Delay comes before everything else.
	Delay time.Duration
	// AfterActing lets the server first do what it was asked for, and then
	// fail: the client does not know the outcome.
	AfterActing bool
}

// FaultKind is what happens in a [Fault].
type FaultKind string

// The kinds of fault. Those that have a body of their own ignore Body.
const (
	// FaultStatus responds with Status, Header and Body; without a Body with an
	// error in the shape of [ErrorEnvelope]. Without a Status it only delays
	// the API's response.
	FaultStatus FaultKind = ""
	// FaultReset resets the connection (RST) without a response.
	FaultReset FaultKind = "reset"
	// FaultHang never responds, until the client leaves or the fault is removed.
	FaultHang FaultKind = "hang"
	// FaultCut acts, and closes the connection half-way through the response.
	FaultCut FaultKind = "cut"
	// FaultHTML responds with a gateway's page, under Status or 200.
	FaultHTML FaultKind = "html"
	// FaultPlain responds with Body (or what the status means) as plain text,
	// under Status or 404.
	FaultPlain FaultKind = "plain"
	// FaultEmpty responds with an empty body, under Status or 200.
	FaultEmpty FaultKind = "empty"
	// FaultErrorEnvelope responds under HTTP 200 with an envelope whose status
	// is Status (or 500) and whose error is Body.
	FaultErrorEnvelope FaultKind = "error-envelope"
	// FaultNoResult responds with an envelope without a result.
	FaultNoResult FaultKind = "no-result"
	// FaultNullResult responds with an envelope whose result is null.
	FaultNullResult FaultKind = "null-result"
	// FaultStringResult responds with an envelope whose result is a string.
	FaultStringResult FaultKind = "string-result"
	// FaultOtherID acts, and responds with the id of another object, or for
	// backups of another service. Settings have no id and stay as they are.
	FaultOtherID FaultKind = "other-id"
	// FaultEndless responds with JSON that never ends, until the client leaves.
	FaultEndless FaultKind = "endless"
	// FaultRedirect responds with Status (or 302) to the Location in Header.
	FaultRedirect FaultKind = "redirect"
)

// Fail lets requests fail from now on. If several faults match a request, the
// oldest is played and the others do not count it. It panics on a fault that
// would do nothing. remove ends the fault, and requests that hang in it; it may
// be called more than once.
func (s *Server) Fail(f Fault) (remove func()) {
	if f.isNothing() {
		panic("mockapi: a fault without a Kind needs a Status or a Delay")
	}
	return s.faults.add(f)
}

func (f *Fault) isNothing() bool { return f.Kind == FaultStatus && f.Status == 0 && f.Delay == 0 }

// activeFault is a fault and what it has seen.
type activeFault struct {
	Fault
	seen int           // matching requests
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
		if !fault.concerns(c) || fault.spent() {
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

// spent tells whether the fault is used up.
func (f *activeFault) spent() bool {
	return f.Times > 0 && f.seen >= f.Skip+f.Times
}
