package provider

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// listWith is a service with the seed's addresses, of which the first has this
// description.
func listWith(description string, more ...string) acctest.Configs {
	list := map[string]any{"10.0.0.0/8": description, "192.0.2.7": "office"}
	for _, source := range more {
		list[source] = "new"
	}
	return onService(map[string]any{"ip_access_list": list})
}

// A description that the API refuses is an error. Nothing is removed for it.
func TestRefusedDescriptionRemovesNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusUnprocessableEntity} {
		env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
			refused := strings.Contains(c.Body, "forbidden words")
			if refused {
				c.Fail(rw, status)
			}
			return refused
		})
		c := env.Core(t, nil)
		c.Must(listWith("private network"))
		env.ResetRequests()
		_, err := c.Run(listWith("forbidden words"))
		acctest.Contains(t, fmt.Sprint(err), acctest.ErrorText, acctest.ErrorRequestID)
		acctest.Lacks(t, fmt.Sprint(env.Writes("updateService")), `"remove"`)
		if got := fmt.Sprint(env.AccessList(mockapi.Service, mockapi.ServiceID)); got != "map[10.0.0.0/8:private network 192.0.2.7:office]" {
			t.Errorf("the list is %s", got)
		}
		c.Must(listWith("allowed words"))
		c.ExpectNoChanges(listWith("allowed words"))
	}
}

// A changed description that cannot be added beside the old entry is removed
// first. What interrupts the update between the two leaves the address there.
func TestAddressIsPutBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault func(t *testing.T, co *acctest.Core, rw http.ResponseWriter, c acctest.Call)
		stays bool // the fault goes on
	}{
		"401":              {fault: failWith(401)},
		"403":              {fault: failWith(403)},
		"503":              {fault: failWith(503)},
		"400":              {fault: failWith(400)},
		"interrupt":        {fault: interrupt},
		"401 from then on": {fault: failWith(401), stays: true},
		"403 from then on": {fault: failWith(403), stays: true},
		"503 from then on": {fault: failWith(503), stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var co *acctest.Core
			var removed, over atomic.Bool
			env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
				if c.Operation != "updateService" || over.Load() {
					return false
				}
				if !removed.Load() {
					if strings.Contains(c.Body, `"remove"`) && !strings.Contains(c.Body, `"add"`) {
						removed.Store(true)
					}
					return false
				}
				over.Store(!test.stays)
				test.fault(t, co, rw, c)
				return true
			}, mockapi.WithVariants(mockapi.Variants{AddExisting: mockapi.Refuse, RemoveBeforeAdd: false}))
			co = env.Core(t, map[string]any{"max_retries": 0})
			co.Must(listWith("private network"))
			_, err := co.Run(listWith("network"))
			if !removed.Load() {
				t.Fatal("the update never removed an entry alone")
			}
			if err == nil {
				t.Fatal("no error")
			}
			_, there := env.AccessList(mockapi.Service, mockapi.ServiceID)["10.0.0.0/8"]
			named := strings.Contains(err.Error(), "10.0.0.0/8")
			switch {
			case !there && !test.stays:
				t.Errorf("the address is not put back: %v", err)
			case !there && !named:
				t.Errorf("the address is missing, and the error does not name it: %v", err)
			case there && test.stays:
				t.Error("the address is put back, through a fault that stays")
			}
			over.Store(true)
			co.Must(listWith("network"))
			co.ExpectNoChanges(listWith("network"))
			if got := env.AccessList(mockapi.Service, mockapi.ServiceID)["10.0.0.0/8"]; got != "network" {
				t.Errorf("the description is %q", got)
			}
		})
	}
}

// failWith responds with an error.
func failWith(status int) func(*testing.T, *acctest.Core, http.ResponseWriter, acctest.Call) {
	return func(_ *testing.T, _ *acctest.Core, rw http.ResponseWriter, c acctest.Call) { c.Fail(rw, status) }
}

// interrupt stops the provider while it waits for a response.
func interrupt(t *testing.T, co *acctest.Core, _ http.ResponseWriter, c acctest.Call) {
	t.Helper()
	stop(t, co.Server)
	<-c.Request.Context().Done()
	panic(http.ErrAbortHandler)
}

// A response that shows nothing of a PATCH is no reason for the next step: the
// lists may show it a moment later.
func TestLateListsAreReadAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variant mockapi.Variants
		second  acctest.Configs
		want    string
	}{
		"a new address": {
			mockapi.Variants{AddExisting: mockapi.Refuse},
			listWith("private network", "203.0.113.9"),
			"map[10.0.0.0/8:private network 192.0.2.7:office 203.0.113.9:new]",
		},
		"a changed description": {
			mockapi.Variants{},
			listWith("network"),
			"map[10.0.0.0/8:network 192.0.2.7:office]",
		},
		"a changed description, remove before add": {
			mockapi.Variants{RemoveBeforeAdd: true},
			listWith("network"),
			"map[10.0.0.0/8:network 192.0.2.7:office]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var env *acctest.Env
			var writes atomic.Int64
			late := stale(2)
			env = newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
				handled := late(rw, c)
				if c.Operation == "updateService" && c.Writes() {
					writes.Add(1)
					if len(env.AccessList(mockapi.Service, mockapi.ServiceID)) < 2 {
						t.Errorf("after %s an address is missing", c.Body)
					}
				}
				return handled
			}, mockapi.WithVariants(test.variant))
			c := env.Core(t, nil)
			c.Must(listWith("private network"))
			c.Must(test.second)
			if n := writes.Load(); n != 1 {
				t.Errorf("%d PATCHes were sent: %s", n, env.Writes("updateService"))
			}
			if got := fmt.Sprint(env.AccessList(mockapi.Service, mockapi.ServiceID)); got != test.want {
				t.Errorf("the list is %s", got)
			}
			c.ExpectNoChanges(test.second)
		})
	}
}

// After a lost response nobody knows what the API has of an attribute that it
// does not return. The next plan sends it again, also if it is what the state
// had before.
func TestLostResponseIsNotForgotten(t *testing.T) {
	t.Parallel()
	unreadable := mockapi.Variants{RefuseEmptyPatch: 400}
	for name, test := range map[string]struct {
		variant  mockapi.Variants
		on       func(map[string]any) acctest.Configs
		one, two map[string]any
		lost     string // in the body of the update
		again    string // the body once the configuration is reverted
	}{
		"state": {
			mockapi.Variants{},
			onKey,
			map[string]any{"state": "enabled"},
			map[string]any{"state": "disabled"},
			"disabled", `{"state":"enabled"}`,
		},
		"release_channel": {
			mockapi.Variants{},
			onService,
			map[string]any{"release_channel": "fast"},
			map[string]any{"release_channel": "slow"},
			"slow", `{"releaseChannel":"fast"}`,
		},
		"endpoints_enabled": {
			mockapi.Variants{EndpointsAlwaysListed: true},
			onService,
			map[string]any{"endpoints_enabled": map[string]any{"mysql": true}},
			map[string]any{"endpoints_enabled": map[string]any{"mysql": false}},
			"false", `{"endpoints":[{"protocol":"mysql","enabled":true}]}`,
		},
		"roles of a key that cannot be read": {
			unreadable, onKey,
			map[string]any{"roles": []any{"admin"}},
			map[string]any{"roles": []any{"developer"}},
			"developer", `{"roles":["admin"]}`,
		},
		"addresses of a key that cannot be read": {
			unreadable, onKey,
			map[string]any{"ip_access_list": map[string]any{"::1": ""}},
			map[string]any{"ip_access_list": map[string]any{"::2": ""}},
			"::2", `{"ipAccessList":[{"source":"::1","description":""}]}`,
		},
		"an expiry that the API leaves out if there is none": {
			mockapi.Variants{Missing: mockapi.AsAbsent},
			onKey,
			map[string]any{"expire_at": "2032-01-01T00:00:00Z"},
			map[string]any{"expire_at": ""},
			`{"expireAt":null}`, `{"expireAt":"2032-01-01T00:00:00Z"}`,
		},
		"addresses of a key that the API leaves out if there are none": {
			mockapi.Variants{Missing: mockapi.AsAbsent},
			onKey,
			map[string]any{"ip_access_list": map[string]any{"::1": ""}},
			map[string]any{"ip_access_list": map[string]any{}},
			`{"ipAccessList":[]}`, `{"ipAccessList":[{"source":"::1","description":""}]}`,
		},
	} {
		for fault, lose := range map[string]func(http.ResponseWriter, acctest.Call){
			"502": func(rw http.ResponseWriter, c acctest.Call) { c.Fail(rw, 502) },
			"cut": func(http.ResponseWriter, acctest.Call) { panic(http.ErrAbortHandler) },
		} {
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
					lost := c.Writes() && strings.Contains(c.Body, test.lost)
					if lost {
						c.Record()
						lose(rw, c)
					}
					return lost
				}, mockapi.WithVariants(test.variant))
				c := env.Core(t, map[string]any{"max_retries": 0})
				c.Must(test.on(test.one))
				if _, err := c.Run(test.on(test.two)); err == nil {
					t.Fatal("no error")
				}
				env.ResetRequests()
				c.Must(test.on(test.one))
				sent := append(env.Writes("updateKey"), env.Writes("updateService")...)
				if len(sent) != 1 || sent[0] != test.again {
					t.Errorf("sent %s, not %s", sent, test.again)
				}
				c.ExpectNoChanges(test.on(test.one))
			})
		}
	}
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
	if _, err := c.Run(named("Two")); err == nil || !strings.Contains(err.Error(), "not confirmed") {
		t.Fatalf("the error is %v", err)
	}
	env.SetVariants(unreadable)
	c.Must(named("One"))
	if got := env.Object(mockapi.Key, mockapi.APIKeyID)["name"]; got != "One" {
		t.Errorf("the name is %v", got)
	}
}
