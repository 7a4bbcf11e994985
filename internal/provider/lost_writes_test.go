package provider

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A lossyEnv can lose the writes of an apply, or the responses to them.
type lossyEnv struct {
	*acctest.Env
	core   *acctest.Core
	losing string // "writes", or "responses" to them
}

func newLossyEnv(t *testing.T, variants mockapi.Variants) *lossyEnv {
	t.Helper()
	e := &lossyEnv{}
	e.Env = underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		if e.losing == "" || !c.Writes() {
			return false
		}
		if e.losing == "responses" {
			c.Record()
		}
		c.Fail(w, http.StatusBadGateway)
		return true
	}, mockapi.WithVariants(variants))
	emptyLists(e.Env)
	e.core = e.Core(t, map[string]any{"max_retries": 0})
	return e
}

// lose applies configurations and loses their writes, or the responses to them.
func (e *lossyEnv) lose(t *testing.T, what string, configs acctest.Configs) {
	t.Helper()
	e.losing = what
	if _, err := e.core.Run(configs); err == nil {
		t.Fatal("no error")
	}
	e.losing = ""
	e.ResetRequests()
}

// After a lost response it is unknown what the API has of an attribute that it
// does not return. The next plan sends it again, also if it is what the state
// had before.
func TestLostResponseIsNotForgotten(t *testing.T) {
	t.Parallel()
	unreadable, absent := mockapi.Variants{RefuseEmptyPatch: 400}, mockapi.Variants{Missing: mockapi.AsAbsent}
	for name, test := range map[string]struct {
		variants  mockapi.Variants
		on        func(map[string]any) acctest.Configs
		attribute string
		one, two  any
		again     string // the body once the configuration is reverted
	}{
		"state":           {mockapi.Variants{}, onKey, "state", "enabled", "disabled", `{"state":"enabled"}`},
		"release_channel": {mockapi.Variants{}, onService, "release_channel", "fast", "slow", `{"releaseChannel":"fast"}`},
		"endpoints_enabled": {
			mockapi.Variants{EndpointsAlwaysListed: true},
			onService, "endpoints_enabled",
			map[string]any{"mysql": true},
			map[string]any{"mysql": false},
			`{"endpoints":[{"protocol":"mysql","enabled":true}]}`,
		},
		"roles of a key that cannot be read": {unreadable, onKey, "roles", []any{"admin"}, []any{"developer"}, `{"roles":["admin"]}`},
		"an expiry that the API leaves out if there is none": {
			absent, onKey, "expire_at",
			"2032-01-01T00:00:00Z", "never", `{"expireAt":"2032-01-01T00:00:00Z"}`,
		},
		"addresses of a key that the API leaves out if there are none": {
			absent, onKey, "ip_access_list",
			map[string]any{"::1": ""},
			map[string]any{},
			`{"ipAccessList":[{"source":"::1","description":""}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := test.on(map[string]any{test.attribute: test.one}), test.on(map[string]any{test.attribute: test.two})
			e := newLossyEnv(t, test.variants)
			e.core.Must(one)
			e.lose(t, "responses", two)
			e.core.Must(one)
			if sent := append(e.Writes("updateKey"), e.Writes("updateService")...); len(sent) != 1 || sent[0] != test.again {
				t.Errorf("sent %s, not %s", sent, test.again)
			}
			e.core.ExpectNoChanges(one)
		})
	}
}

// A lost response leaves in the state what the API returns: the next refresh shows what the
// update did.
func TestLostResponseToAReturnedAttribute(t *testing.T) {
	t.Parallel()
	onScaling := func(set map[string]any) acctest.Configs {
		return acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, set)}
	}
	for attribute, test := range map[string]struct {
		on       func(map[string]any) acctest.Configs
		one, two any
	}{
		"endpoints_enabled": {onService, map[string]any{"mysql": false}, map[string]any{"mysql": true}},
		"name":              {onService, "One", "Two"},
		"replicas":          {onScaling, 4.0, 5.0},
		"expire_at":         {onKey, "2032-01-01T00:00:00Z", "2033-01-01T00:00:00Z"},
		"roles":             {onKey, []any{"admin"}, []any{"developer"}},
	} {
		one, two := test.on(map[string]any{attribute: test.one}), test.on(map[string]any{attribute: test.two})
		e := newLossyEnv(t, mockapi.Variants{EchoWriteOnly: true, EndpointsAlwaysListed: true})
		e.core.Must(one)
		e.lose(t, "responses", two)
		for kind := range two {
			state := acctest.Plain(e.core.Instance(kind).State).(map[string]any)
			if diff := cmp.Diff(test.one, state[attribute]); diff != "" {
				t.Errorf("%s (-before +after):\n%s", attribute, diff)
			}
		}
		e.core.ExpectNoChanges(two)
	}
}

// A removal whose outcome is unknown is sent again, and nothing else: lists that
// are sent as differences keep their prior value.
func TestLostRemovalIsSentAgain(t *testing.T) {
	t.Parallel()
	both := onService(map[string]any{"ip_access_list": map[string]any{"::1": "", "::2": ""}, "private_endpoint_ids": []any{"vpce-1", "vpce-2"}})
	one := onService(map[string]any{"ip_access_list": map[string]any{"::1": ""}, "private_endpoint_ids": []any{"vpce-1"}})
	e := newLossyEnv(t, mockapi.Variants{RefuseEmptyPatch: 400})
	e.core.Must(both)
	e.lose(t, "writes", one)
	e.core.Must(one)
	e.ExpectWrites(t, "updateService", `{"ipAccessList":{"remove":[{"source":"::2","description":""}]},"privateEndpointIds":{"remove":["vpce-2"]}}`)
	e.core.ExpectNoChanges(one)
}

// A lost removal from the roles of a key is sent again, also without a refresh.
func TestLostRemovalOfARole(t *testing.T) {
	t.Parallel()
	fewer := onKey(map[string]any{"roles": []any{"developer"}})
	e := newLossyEnv(t, mockapi.Variants{})
	e.core.Must(onKey(map[string]any{"roles": []any{"admin", "developer"}}))
	e.lose(t, "writes", fewer)
	e.core.Walk()
	p, err := e.core.Plan("api_key", e.core.Config("api_key", fewer["api_key"]))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.core.ApplyAll(map[string]acctest.Plan{"api_key": p}); err != nil {
		t.Error(err)
	}
	e.ExpectWrites(t, "updateKey", `{"roles":["developer"]}`)
}

// A change may have worked although the response shows the old value. If the
// object cannot be read, reverting the configuration sends the old value again.
func TestUnconfirmedChangeIsNotForgotten(t *testing.T) {
	t.Parallel()
	unreadable := mockapi.Variants{RefuseEmptyPatch: 400}
	env := newEnv(t, mockapi.WithVariants(unreadable))
	c := env.Core(t, nil)
	named := func(name string) acctest.Configs { return onKey(map[string]any{"name": name}) }
	c.Must(named("One"))
	env.SetVariants(mockapi.Variants{RefuseEmptyPatch: 400, StaleKeys: time.Hour})
	_, err := c.Run(named("Two"))
	acctest.Contains(t, fmt.Sprint(err), "not confirmed")
	env.SetVariants(unreadable)
	c.Must(named("One"))
	if got := env.Object(mockapi.Key, mockapi.APIKeyID)["name"]; got != "One" {
		t.Errorf("the name is %v", got)
	}
}
