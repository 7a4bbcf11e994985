package provider

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A faultCase is a fault, and what the error says if it lasts.
type faultCase struct {
	name   string
	fault  mockapi.Fault
	passes bool     // if it happens once, retries get over it
	says   []string // besides the text and the request id of the fault, if it has them
}

var (
	refused     = []string{"HTTP 200", "quota exceeded"}
	down        = "Check base_url"
	toElsewhere = http.Header{"Location": {"https://elsewhere.example/?token=hidden"}}
)

// All other statuses, headers and bodies are tested in package transport.
var faultCases = []faultCase{
	{"400", fault(400), false, []string{"HTTP 400"}},
	{"401", fault(401), false, []string{"HTTP 401", "Check key_id and key_secret"}},
	{"403", fault(403), false, []string{"HTTP 403", "forbidden (403)"}},
	{"404", fault(404), false, []string{"HTTP 404"}},
	{"409", fault(409), false, []string{"HTTP 409"}},
	{"429 for an hour", fault(429, "Retry-After", "3600"), false, []string{"HTTP 429", "asks to wait 1h0m0s", "requests_per_second"}},
	{"429 for a second", fault(429, "Retry-After", "1"), true, nil},
	{"503", fault(503), true, []string{"HTTP 503", "service unavailable (503)"}},
	{"500 after acting", mockapi.Fault{Status: 500, Body: acctest.ErrorBody, AfterActing: true}, true, []string{"HTTP 500"}},
	{"reset", mockapi.Fault{Kind: mockapi.FaultReset}, true, []string{"no response from api-", down}},
	{"reset after acting", mockapi.Fault{Kind: mockapi.FaultReset, AfterActing: true}, true, []string{"no response from api-", down}},
	{"cut", mockapi.Fault{Kind: mockapi.FaultCut}, true, []string{"the response was cut short"}},
	{"no response", mockapi.Fault{Kind: mockapi.FaultHang}, true, []string{"no response from api-", "within 2s", "request_timeout"}},
	{"no response after acting", mockapi.Fault{Kind: mockapi.FaultHang, AfterActing: true}, true, []string{"within 2s", "request_timeout"}},
	{"HTML", mockapi.Fault{Kind: mockapi.FaultHTML}, false, []string{"an HTML page, not JSON"}},
	{"empty", mockapi.Fault{Kind: mockapi.FaultEmpty}, false, []string{"the response is empty"}},
	{"error envelope", mockapi.Fault{Kind: mockapi.FaultErrorEnvelope, Status: 409, Body: acctest.ErrorText}, false, []string{"HTTP 409", acctest.ErrorText}},
	{"error in a word", mockapi.Fault{Kind: mockapi.FaultErrorStatus}, false, refused},
	{"an error", mockapi.Fault{Kind: mockapi.FaultErrorMember}, false, refused},
	{"errors", mockapi.Fault{Kind: mockapi.FaultErrorList}, false, refused},
	{"no result", mockapi.Fault{Kind: mockapi.FaultNoResult}, false, []string{"the response has no result"}},
	{"string result", mockapi.Fault{Kind: mockapi.FaultStringResult}, false, []string{"the result has a wrong type: string, not "}},
	{"another's id", mockapi.Fault{Kind: mockapi.FaultOtherID}, false, []string{"the response is about another object"}},
	{"307", mockapi.Fault{Kind: mockapi.FaultRedirect, Status: 307, Header: toElsewhere}, false, []string{"HTTP 307", "redirects to elsewhere.example"}},
}

// unshown is what the error says of a change that the API accepted without a result, and did not make.
var unshown = []string{"Change not confirmed by the API: The API accepted the change to ", " after 30s"}

// isAccepted reports whether the fault is the response to an accepted write, of operations that do
// not read as well.
func (f faultCase) isAccepted(of use) bool {
	isWrite := of.operation == "scalePipe" || of.operation == "updatePipeSettings"
	return isWrite && slices.Contains([]mockapi.FaultKind{mockapi.FaultEmpty, mockapi.FaultNoResult, mockapi.FaultStringResult}, f.fault.Kind)
}

// A use is an operation, and a resource or data source that calls it.
type use struct{ operation, kind string }

var uses = []use{
	{"getPipe", "pipe_scaling"},
	{"scalePipe", "pipe_scaling"},
	{"updatePipeSettings", "pipe_settings"},
	{"updateService", "service"},
	{"updateService", entryKind},
	{"updateKey", "api_key"},
	{"listBackups", "backups"},
}

// A user uses one operation in an environment of its own.
type user struct {
	*acctest.Env
	core *acctest.Core
	kind string
}

func newUser(t *testing.T, of use, settings map[string]any) *user {
	t.Helper()
	env := underTest.NewVirtualEnv(nil)
	share(env)
	return &user{env, env.Core(t, settings), of.kind}
}

func (u *user) apply(all acctest.Configs) (changed []string, err error) {
	if u.kind == "backups" {
		u.core.Walk()
		_, err := u.core.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID})
		return nil, err
	}
	return u.core.Run(acctest.Configs{u.kind: all[u.kind]})
}

// applyTwice applies, and checks that the second plan changes nothing.
func (u *user) applyTwice(t *testing.T, all acctest.Configs) {
	t.Helper()
	if _, err := u.apply(all); err != nil {
		t.Error(err)
	} else if changed, err := u.apply(all); len(changed) > 0 || err != nil {
		t.Errorf("the second plan changes %v (%v)", changed, err)
	}
}

// outcome is all that applies leave behind.
func (u *user) outcome() map[string]any {
	left := map[string]any{"states": u.core.States()}
	for id, kind := range map[string]mockapi.Kind{
		mockapi.KafkaPipeID: mockapi.Pipe, mockapi.ServiceID: mockapi.Service, mockapi.OtherServiceID: mockapi.Service, mockapi.APIKeyID: mockapi.Key,
	} {
		object := u.Object(kind, id)
		delete(object, "updatedAt")
		if list, ok := object["ipAccessList"].([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		left[string(kind)+id] = object
	}
	return left
}

// requestsToFail applies twice without faults. It returns the requests at which
// a fault makes a difference, which are the first and those that write, the
// number of requests of the first apply, and the outcome.
func requestsToFail(t *testing.T, of use) (at []int, first int, left map[string]any) {
	t.Helper()
	underTest.InVirtualTime(t, func(t *testing.T) {
		u := newUser(t, of, nil)
		for _, config := range []acctest.Configs{firstConfigs(), secondConfigs()} {
			first = len(u.Sent(of.operation)) - first
			if _, err := u.apply(config); err != nil {
				t.Fatal(err)
			}
		}
		at = []int{0}
		for i, body := range u.Sent(of.operation) {
			if i > 0 && body != "{}" && body != "" {
				at = append(at, i)
			}
		}
		left = u.outcome()
	})
	return at, first, left
}

// A fault that retries get over leaves the same as if nothing had happened. One that
// lasts is one error that says everything and leaves the state true. Without it, the same
// apply succeeds.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, of := range uses {
		t.Run(of.operation+" of "+of.kind, func(t *testing.T) {
			t.Parallel()
			requests, first, without := requestsToFail(t, of)
			for _, f := range faultCases {
				if f.passes {
					for _, at := range requests {
						f.happensOnce(t, of, at, without)
					}
				}
				// Settings have no id, and the id of a backup is not compared.
				hasNoID := of.operation == "updatePipeSettings" || of.operation == "listBackups"
				if f.says == nil || hasNoID && f.fault.Kind == mockapi.FaultOtherID {
					continue
				}
				f.lasts(t, of, requests[0], false)
				f.lasts(t, of, requests[0], true)
				if len(requests) > 1 && requests[1] < first {
					f.lasts(t, of, requests[1], false)
				}
			}
		})
	}
}

// happensOnce plays a fault at a request of two applies.
func (f faultCase) happensOnce(t *testing.T, of use, at int, without map[string]any) {
	t.Helper()
	underTest.InVirtualTime(t, func(t *testing.T) {
		u := newUser(t, of, map[string]any{"request_timeout": "2s"})
		f.fault.Operation, f.fault.Skip, f.fault.Times = of.operation, at, 1
		u.Fail(f.fault)
		u.applyTwice(t, firstConfigs())
		u.applyTwice(t, secondConfigs())
		if diff := cmp.Diff(without, u.outcome()); diff != "" || t.Failed() {
			t.Errorf("%s at request %d leaves (-without +with):\n%s", f.name, at, diff)
		}
	})
}

// lasts plays a fault from a request on, in an adoption or in a change.
func (f faultCase) lasts(t *testing.T, of use, from int, change bool) {
	t.Helper()
	if f.fault.Kind == mockapi.FaultOtherID && of.operation == "scalePipe" {
		return // it may be that of an operation, and reads show the change
	}
	underTest.InVirtualTime(t, func(t *testing.T) {
		defer func() {
			if t.Failed() {
				t.Logf("%s from request %d (change: %v)", f.name, from, change)
			}
		}()
		u := newUser(t, of, nil)
		config := firstConfigs()
		if change {
			u.applyTwice(t, config)
			config = secondConfigs()
		}
		u.ResetRequests()
		withRetries := u.core.Connect
		u.core.Connect = func() tfprotov6.ProviderServer {
			return u.Connect(t, map[string]any{"max_retries": 1, "request_timeout": "2s"})
		}
		f.fault.Operation, f.fault.Skip = of.operation, from
		remove := u.Fail(f.fault)
		_, err := u.apply(config)
		if f.fault.Body == acctest.ErrorBody {
			f.says = append(f.says, acctest.ErrorText, acctest.ErrorRequestID)
		}
		failures := 1
		if f.isAccepted(of) {
			f.says, failures = unshown, 0
		}
		acctest.Contains(t, fmt.Sprint(err), f.says...)
		acctest.Lacks(t, fmt.Sprint(err), "hidden")
		if slices.Equal(f.says, refused) {
			acctest.Lacks(t, fmt.Sprint(err), "base_url")
		}
		if isSaid := regexp.MustCompile(`…\d{4}: no response`).MatchString(fmt.Sprint(err)); f.fault.Kind == mockapi.FaultHang && !isSaid {
			t.Errorf("the summary does not say that there was no response: %v", err)
		}
		if n := strings.Count(fmt.Sprint(err), "Unable to "); n != failures {
			t.Errorf("%d errors: %v", n, err)
		}
		most := 3 // what is gone is read again to be adopted, in the plan and in the apply
		if of.operation == "updateService" || of.operation == "updateKey" {
			most = 6 // for reading, and for the ways in which the API may take a list
		}
		if tries := len(u.Sent(of.operation)) - from; !f.passes && tries > most {
			t.Errorf("tried %d times", tries)
		}
		remove()
		u.core.Connect = withRetries
		isThere := has(u.Object(mockapi.Service, mockapi.OtherServiceID)["ipAccessList"], "203.0.113.9/32")
		if of.kind == entryKind && isThere && u.core.Instance(entryKind).State.IsNull() { // after an unknown outcome, or a 404
			if err := u.core.Import(entryKind, mockapi.OtherServiceID+"/203.0.113.9"); err != nil {
				t.Error(err)
			}
		}
		if isLost := change && (of.kind == "service" || of.kind == "api_key") && u.core.Instance(of.kind).State.IsNull(); isLost { // by a 404
			u.applyTwice(t, firstConfigs())
		}
		u.applyTwice(t, config)
	})
}
