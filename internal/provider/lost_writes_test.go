package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// After a lost response it is unknown what the API has of an attribute that it
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

// A removal whose outcome is unknown is sent again, and nothing else: lists that
// are sent as differences keep their prior value.
func TestLostRemovalIsSentAgain(t *testing.T) {
	t.Parallel()
	lost := false
	env := newHookedEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		hit := lost && c.Writes()
		if hit {
			c.Fail(w, http.StatusBadGateway)
		}
		return hit
	}, mockapi.WithVariants(mockapi.Variants{RefuseEmptyPatch: 400}))
	c := env.Core(t, map[string]any{"max_retries": 0})
	both := onService(map[string]any{"ip_access_list": map[string]any{"::1": "", "::2": ""}, "private_endpoint_ids": []any{"vpce-1", "vpce-2"}})
	one := onService(map[string]any{"ip_access_list": map[string]any{"::1": ""}, "private_endpoint_ids": []any{"vpce-1"}})
	c.Must(both)
	lost = true
	if _, err := c.Run(one); err == nil {
		t.Fatal("no error")
	}
	lost = false
	env.ResetRequests()
	c.Must(one)
	env.ExpectWrites(t, "updateService", `{"ipAccessList":{"remove":[{"source":"::2","description":""}]},"privateEndpointIds":{"remove":["vpce-2"]}}`)
	c.ExpectNoChanges(one)
}

// Of two lists in one PATCH, each is waited for by itself: one that shows late
// is not sent again.
func TestOneListShowsLate(t *testing.T) {
	t.Parallel()
	for _, late := range []string{"privateEndpointIds", "ipAccessList"} {
		underTest.InVirtualTime(t, func(t *testing.T) {
			var before any // the list, as the response to the write still shows it
			env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
				if c.Operation != "updateService" {
					return false
				}
				recorded := c.Record()
				var envelope map[string]any
				if err := json.Unmarshal(recorded.Body.Bytes(), &envelope); err != nil {
					t.Error(err)
				}
				result, _ := envelope["result"].(map[string]any)
				if result == nil { // an error, which the test is about
					acctest.Respond(w, recorded, recorded.Body.Bytes())
					return true
				}
				if c.Writes() {
					result[late] = before
				}
				before = result[late]
				body, _ := json.Marshal(envelope)
				acctest.Respond(w, recorded, body)
				return true
			}, mockapi.WithVariants(mockapi.Variants{AddExisting: mockapi.Refuse}))
			c := env.Core(t, nil)
			config := onService(map[string]any{"ip_access_list": map[string]any{"::1": ""}, "private_endpoint_ids": []any{"vpce-1"}})
			c.Must(config)
			if sent := env.Writes("updateService"); len(sent) != 1 {
				t.Errorf("%s shows late: %s was sent", late, sent)
			}
			c.ExpectNoChanges(config)
		})
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
