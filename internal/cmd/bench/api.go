package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const serviceID = mockapi.ServiceID

// pipeID is an HCL expression: the id of one of the mock API's pipes. Terraform
// would evaluate a list of ids again for each instance, which is slow at 1,000.
const pipeID = `format("55555555-5555-4555-8555-%012d", count.index + 1)`

// rateLimit lets a number of requests through per window. The first request
// after a window opens the next one.
type rateLimit struct {
	requests int
	window   time.Duration
}

// minimum is the least time in which that many requests get through.
func (l rateLimit) minimum(requests int) time.Duration {
	return time.Duration(max(requests-1, 0)/l.requests) * l.window
}

// limitHeaders are the headers of a 429 that set the time of the next attempt.
var limitHeaders = []struct {
	name      string
	style     mockapi.RateLimitStyle
	maxFactor float64 // accepted time of an apply over the minimum
}{
	{"Retry-After", mockapi.RetryAfterSeconds, 1.10},
	{"X-RateLimit-Reset", mockapi.RateLimitReset, 1.10},
	{"none", mockapi.RateLimitSilent, 1.25},
}

// api is a mock API that listens on the loopback interface.
type api struct {
	mock   *mockapi.Server
	server *httptest.Server
}

func startAPI(pipes int) *api {
	a := &api{mock: mockapi.New()}
	a.mock.AddPipes(pipes)
	a.server = httptest.NewUnstartedServer(a.mock)
	a.server.Config.ConnState = a.mock.ConnState
	a.server.Start()
	return a
}

func (a *api) stop() {
	a.server.CloseClientConnections()
	a.server.Close()
}

func (a *api) setLimit(l rateLimit, style mockapi.RateLimitStyle) {
	a.mock.LimitRate(l.requests, l.window, style)
}

// count runs f and returns the requests, refusals and new connections it causes.
func (a *api) count(f func() error) (requests, refused, connections int, err error) {
	a.mock.ResetRequests()
	before := a.mock.Connections()
	err = f()
	for _, request := range a.mock.Requests() {
		requests++
		if request.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	return requests, refused, a.mock.Connections() - before, err
}

// stateStore is a server for Terraform's http backend. Terraform writes a local
// state in full after each resource, which would hide everything else.
type stateStore struct {
	mu    sync.Mutex
	state []byte
}

func (s *stateStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodPost:
		s.state = body
	case s.state == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		_, _ = w.Write(s.state)
	}
}
