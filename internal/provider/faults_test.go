package provider

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A faultCase is a fault, and what it says where it lasts.
type faultCase struct {
	name   string
	fault  mockapi.Fault
	passes bool     // once, it is within the budget of retries
	says   []string // besides the words and the request id, where the fault has them
}

func faultCases() []faultCase {
	soon := time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat)
	down := "Check base_url or DBPLATFORM_BASE_URL, and that the API is up"
	elsewhere := http.Header{"Location": {"https://elsewhere.example/?token=hidden"}}
	return []faultCase{
		{"400", fault(400), false, []string{"HTTP 400"}},
		{"401", fault(401), false, []string{"HTTP 401", "Check key_id and key_secret, or DBPLATFORM_KEY_ID and DBPLATFORM_KEY_SECRET"}},
		{"403", fault(403), false, []string{"HTTP 403", "Check its roles"}},
		{"404", fault(404), false, []string{"HTTP 404"}},
		{"409", fault(409), false, []string{"HTTP 409"}},
		{"422", fault(422), false, []string{"HTTP 422"}},
		{"429 for an hour", fault(429, "Retry-After", "3600"), false, []string{"HTTP 429", "asks to wait 1h0m0s", "requests_per_second"}},
		{"429 for a second", fault(429, "Retry-After", "1"), true, nil},
		{"429 until a date", fault(429, "Retry-After", soon), true, nil},
		{"429 for no time", fault(429, "Retry-After", "0"), true, nil},
		{"429 until the reset", fault(429, "X-RateLimit-Reset", "1"), true, nil},
		{"429 for a while", fault(429), true, nil},
		{"500", fault(500), true, []string{"HTTP 500", down}},
		{"502", fault(502), true, []string{"HTTP 502", down}},
		{"503", fault(503), true, []string{"HTTP 503", down}},
		{"504", fault(504), true, []string{"HTTP 504", down}},
		{"500 after acting", mockapi.Fault{Status: 500, Body: acctest.ErrorBody, AfterActing: true}, true, []string{"HTTP 500", down}},
		{"reset", mockapi.Fault{Kind: mockapi.FaultReset}, true, []string{"no response from 127.0.0.1", down}},
		{"reset after acting", mockapi.Fault{Kind: mockapi.FaultReset, AfterActing: true}, true, []string{"no response from 127.0.0.1", down}},
		{"cut", mockapi.Fault{Kind: mockapi.FaultCut}, true, []string{"the response was cut short"}},
		{"no answer", mockapi.Fault{Kind: mockapi.FaultHang}, true, []string{"no response from 127.0.0.1", "within 2s", "request_timeout"}},
		{"no answer after acting", mockapi.Fault{Kind: mockapi.FaultHang, AfterActing: true}, true, []string{"within 2s", "request_timeout"}},
		{"HTML", mockapi.Fault{Kind: mockapi.FaultHTML}, false, []string{"an HTML page, not JSON"}},
		{"empty", mockapi.Fault{Kind: mockapi.FaultEmpty}, false, []string{"the response is empty"}},
		{"error envelope", mockapi.Fault{Kind: mockapi.FaultErrorEnvelope, Status: 409, Body: acctest.ErrorText}, false, []string{"HTTP 409", acctest.ErrorText}},
		{"no result", mockapi.Fault{Kind: mockapi.FaultNoResult}, false, []string{"the response has no result"}},
		{"null result", mockapi.Fault{Kind: mockapi.FaultNullResult}, false, []string{"the response has no result"}},
		{"string result", mockapi.Fault{Kind: mockapi.FaultStringResult}, false, []string{"the result is a string, not an "}},
		{"another's id", mockapi.Fault{Kind: mockapi.FaultOtherID}, false, []string{"the response is about another object"}},
		{"endless", mockapi.Fault{Kind: mockapi.FaultEndless}, false, []string{"larger than 32 MiB"}},
		{"302", mockapi.Fault{Kind: mockapi.FaultRedirect, Header: elsewhere}, false, []string{"HTTP 302", "redirects to elsewhere.example"}},
		{"307", mockapi.Fault{Kind: mockapi.FaultRedirect, Status: 307, Header: elsewhere}, false, []string{"HTTP 307", "redirects to elsewhere.example"}},
	}
}

// concerns tells whether an operation can have a faultCase: settings have no id,
// and the id of a backup is not asked for.
func (m faultCase) concerns(operation string) bool {
	return m.fault.Kind != mockapi.FaultOtherID || operation != "updatePipeSettings" && operation != "listBackups"
}

// user is what uses each operation: a resource, or a data source.
var users = map[string]string{
	"getPipe": "pipe_scaling", "scalePipe": "pipe_scaling", "updatePipeSettings": "pipe_settings",
	"updateService": "service", "updateKey": "api_key", "listBackups": "backups",
}

// A trial is one user in an environment of its own.
type trial struct {
	*acctest.Env
	core *acctest.Core
	kind string
}

func newTrial(t *testing.T, operation string, settings map[string]any) *trial {
	t.Helper()
	env := newEnv(t)
	return &trial{env, env.Core(t, settings), users[operation]}
}

func (tr *trial) apply(all acctest.Configs) (changed []string, err error) {
	if tr.kind == "backups" {
		tr.core.Walk()
		_, err := tr.core.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID})
		return nil, err
	}
	return tr.core.Run(acctest.Configs{tr.kind: all[tr.kind]})
}

// outcome is all that a run leaves behind.
func (tr *trial) outcome() map[string]any {
	left := map[string]any{}
	for kind, id := range map[mockapi.Kind]string{
		mockapi.Pipe: mockapi.KafkaPipeID, mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID,
	} {
		object := tr.Object(kind, id)
		maps.DeleteFunc(object, func(name string, _ any) bool { return name == "updatedAt" })
		if list, ok := object["ipAccessList"].([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		left[string(kind)] = object
	}
	for kind, state := range tr.core.States() {
		left["state of "+kind] = state
	}
	return left
}

// places are the requests of an operation in two runs at which a fault makes a
// difference: the first, and those that write. A quiet life tells them, how
// many requests there are in the first run, and what both leave.
func places(t *testing.T, operation string) (at []int, first int, left map[string]any) {
	t.Helper()
	tr := newTrial(t, operation, nil)
	for _, config := range []acctest.Configs{firstConfigs(), secondConfigs()} {
		first = len(tr.Sent(operation)) - first
		if _, err := tr.apply(config); err != nil {
			t.Fatal(err)
		}
	}
	at = []int{0}
	for i, body := range tr.Sent(operation) {
		if i > 0 && body != "{}" && body != "" {
			at = append(at, i)
		}
	}
	return at, first, tr.outcome()
}

// TestFaultsThatPass: what passes within the budget of retries leaves the same
// as if nothing had happened, wherever it happens.
func TestFaultsThatPass(t *testing.T) {
	t.Parallel()
	type point struct {
		operation string
		faultCase faultCase
		at        int
		left      map[string]any
	}
	var points []point
	for operation := range users {
		at, _, left := places(t, operation)
		for _, m := range faultCases() {
			for _, at := range at {
				if m.passes {
					points = append(points, point{operation, m, at, left})
				}
			}
		}
	}
	inParallel(points, func(p point) {
		where := fmt.Sprintf("%s of %s %d", p.faultCase.name, p.operation, p.at)
		tr := newTrial(t, p.operation, map[string]any{"request_timeout": "2s"})
		fault := p.faultCase.fault
		fault.Operation, fault.Skip, fault.Times = p.operation, p.at, 1
		tr.Fail(fault)
		for _, config := range []acctest.Configs{firstConfigs(), secondConfigs()} {
			if _, err := tr.apply(config); err != nil {
				t.Errorf("%s: %v", where, err)
				return
			}
			changed, err := tr.apply(config)
			if len(changed) > 0 || err != nil {
				t.Errorf("%s: the second plan changes %v (%v)", where, changed, err)
			}
		}
		if got := tr.outcome(); !reflect.DeepEqual(got, p.left) {
			t.Errorf("%s left\n%v\nnot\n%v", where, got, p.left)
		}
	})
}

// TestFaultsThatLast: what lasts is one diagnostic that says everything, leaves
// the truth, and the same apply corrects it.
func TestFaultsThatLast(t *testing.T) {
	t.Parallel()
	type point struct {
		operation string
		faultCase faultCase
		at        int  // the first request that fails
		change    bool // of what has been adopted
	}
	var points []point
	for operation := range users {
		at, first, _ := places(t, operation)
		for _, m := range faultCases() {
			if m.says == nil || !m.concerns(operation) {
				continue
			}
			points = append(points, point{operation, m, at[0], false})
			if m.fault.Kind == mockapi.FaultEndless {
				continue // it takes long, and is the same everywhere
			}
			points = append(points, point{operation, m, at[0], true})
			if len(at) > 1 && at[1] < first {
				points = append(points, point{operation, m, at[1], false})
			}
		}
	}
	inParallel(points, func(p point) {
		where := fmt.Sprintf("%s of %s from %d (change: %v)", p.faultCase.name, p.operation, p.at, p.change)
		settings := map[string]any{"max_retries": 1}
		if p.faultCase.fault.Kind == mockapi.FaultHang {
			settings["request_timeout"] = "2s"
		}
		tr := newTrial(t, p.operation, nil)
		config := firstConfigs()
		if p.change {
			if _, err := tr.apply(firstConfigs()); err != nil {
				t.Errorf("%s: %v", where, err)
				return
			}
			config = secondConfigs()
		}
		tr.ResetRequests()
		patient := tr.core.Connect
		tr.core.Connect = func() tfprotov6.ProviderServer { return tr.Connect(t, settings) }
		fault := p.faultCase.fault
		fault.Operation, fault.Skip = p.operation, p.at
		remove := tr.Fail(fault)
		_, err := tr.apply(config)
		if err == nil {
			t.Errorf("%s: no error", where)
			return
		}
		p.faultCase.expect(t, where, err)
		most := 3 // what is gone is read again to be adopted, in the plan and in the apply
		if p.operation == "updateService" || p.operation == "updateKey" {
			most = 6 // for reading, and for the ways in which the API may take a list
		}
		if tries := len(tr.Sent(p.operation)) - p.at; !p.faultCase.passes && tries > most {
			t.Errorf("%s: tried %d times", where, tries)
		}
		remove()
		tr.core.Connect = patient
		if _, err := tr.apply(config); err != nil {
			t.Errorf("%s: once it is over: %v", where, err)
		}
		if changed, err := tr.apply(config); len(changed) > 0 || err != nil {
			t.Errorf("%s: the second plan changes %v (%v)", where, changed, err)
		}
	})
}

func (m faultCase) expect(t *testing.T, where string, err error) {
	t.Helper()
	text := err.Error()
	want := m.says
	if m.fault.Body == acctest.ErrorBody {
		want = append([]string{acctest.ErrorText, acctest.ErrorRequestID}, want...)
	}
	for _, words := range want {
		if !strings.Contains(text, words) {
			t.Errorf("%s: %q is not in:\n%s", where, words, text)
		}
	}
	if n := strings.Count(text, "Unable to "); n != 1 {
		t.Errorf("%s: %d diagnostics:\n%s", where, n, text)
	}
	if strings.Contains(text, "hidden") {
		t.Errorf("%s tells a secret:\n%s", where, text)
	}
}
