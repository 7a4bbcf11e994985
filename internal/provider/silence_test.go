package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A silence edits the results of an API that leaves out members, or returns them as it should not.
type silence struct {
	reads, writes func(result mockapi.Object) // nil: as they are
	read          int                         // the reads so far
	before        func()                      // is called before a write is carried out; nil: nothing
}

// newSilentEnv returns an environment whose results of successes are edited.
func newSilentEnv() (*acctest.Env, *silence) {
	s := &silence{}
	return underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
		edit := s.reads
		if c.Writes() {
			edit = s.writes
			if s.before != nil {
				s.before()
			}
		} else {
			s.read++
		}
		if edit == nil {
			return false
		}
		recorded := c.Record()
		var envelope mockapi.Object
		body := recorded.Body.Bytes()
		if json.Unmarshal(body, &envelope) == nil {
			if result, ok := envelope["result"].(mockapi.Object); ok {
				edit(result)
				body, _ = json.Marshal(envelope)
			}
		}
		acctest.Respond(w, recorded, body)
		return true
	}), s
}

// in edits an object inside a result.
func in(part string, edit func(mockapi.Object)) func(mockapi.Object) {
	return func(result mockapi.Object) {
		if object, ok := result[part].(mockapi.Object); ok {
			edit(object)
		}
	}
}

func without(members ...string) func(mockapi.Object) {
	return func(object mockapi.Object) {
		maps.DeleteFunc(object, func(name string, _ any) bool { return slices.Contains(members, name) })
	}
}

func with(member string, value any) func(mockapi.Object) {
	return func(object mockapi.Object) { object[member] = value }
}

func onScaling(set map[string]any) acctest.Configs {
	return acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, set)}
}

func onSettings(set map[string]any) acctest.Configs {
	return acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, set)}
}

// A list or an expiry that a read leaves out is empty, and the plan shows it.
func TestLeftOutByReads(t *testing.T) {
	t.Parallel()
	list := map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "vpc"}, "name": "Mine"}
	for name, test := range map[string]struct {
		config  acctest.Configs
		edit    func(mockapi.Object)
		changes []string
		sent    string // "": nothing
	}{
		"an expiry":                   {onKey(map[string]any{"expire_at": "2031-02-03T04:05:06Z"}), without("expireAt"), []string{"expire_at"}, `{"expireAt":"2031-02-03T04:05:06Z"}`},
		"no expiry":                   {onKey(map[string]any{"expire_at": "never"}), without("expireAt"), nil, ""},
		"roles":                       {onKey(map[string]any{"roles": []any{"admin"}}), without("roles"), []string{"roles"}, `{"roles":["admin"]}`},
		"a list of a key":             {onKey(list), without("ipAccessList"), []string{"ip_access_list"}, `{"ipAccessList":[{"source":"10.0.0.0/8","description":"vpc"}]}`},
		"the only entry of a service": {onService(list), without("ipAccessList"), []string{"ip_access_list"}, `{"ipAccessList":{"add":[{"source":"10.0.0.0/8","description":"vpc"}]}}`},
		"null as a list":              {onService(list), with("ipAccessList", nil), []string{"ip_access_list"}, `{"ipAccessList":{"add":[{"source":"10.0.0.0/8","description":"vpc"}]}}`},
		"a mistyped list":             {onService(list), with("ipAccessList", "all"), nil, ""},
		"no list":                     {onService(map[string]any{"ip_access_list": map[string]any{}, "name": "Mine"}), without("ipAccessList"), nil, ""},
		"private endpoints": {
			onService(map[string]any{"private_endpoint_ids": []any{"vpce-1"}}), without("privateEndpointIds"),
			[]string{"private_endpoint_ids"},
			`{"privateEndpointIds":{"add":["vpce-1"]}}`,
		},
		"a mistyped list of an entry": {onEntry("203.0.113.9", "mine"), with("ipAccessList", "all"), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				emptyLists(env)
				c := env.Core(t, nil)
				c.Must(test.config)
				c.ExpectNoChanges(test.config)
				api.reads = test.edit
				var changes []string
				for kind := range c.MustPlan(test.config) {
					changes = c.Changes(kind, test.config[kind])
				}
				if !slices.Equal(changes, test.changes) {
					t.Fatalf("the plan changes %v, not %v", changes, test.changes)
				}
				api.reads = nil
				c.ExpectNoChanges(test.config)
				// Removed in the API, and left out because it is empty: the apply sends it again.
				if test.changes == nil {
					return
				}
				for kind, object := range map[mockapi.Kind]string{mockapi.Pipe: mockapi.KafkaPipeID, mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID} {
					env.Change(kind, object, test.edit)
				}
				env.ResetRequests()
				c.Must(test.config)
				for _, request := range env.Requests() {
					if request.Writes() && test.sent != "any" && !mockapi.SameJSON(string(request.Body), test.sent) {
						t.Errorf("sent %s, not %s", request.Body, test.sent)
					}
				}
				c.ExpectNoChanges(test.config)
			})
		})
	}
}

// when is an object, or another one that shares nothing with it.
func when(isSo bool, object any) any {
	if isSo {
		return object
	}
	return mockapi.Object{}
}

// What was sent, a read before showed, and the response leaves out is read once more, before the
// apply is complete. An API that returns what it was sent costs no request more.
func TestLeftOutByResponses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first, second acctest.Configs
		edit          func(mockapi.Object)
		requests      int // if the response shows it
	}{
		"a number":      {onScaling(map[string]any{"replicas": 4}), onScaling(map[string]any{"replicas": 5}), in("scaling", without("replicas")), 2},
		"all of it":     {onScaling(map[string]any{"replicas": 4}), onScaling(map[string]any{"replicas": 5}), without("scaling"), 2},
		"a setting":     {onSettings(map[string]any{"db_max_threads": 4}), onSettings(map[string]any{"db_max_threads": 5}), without("db_max_threads"), 3},
		"a name":        {onService(map[string]any{"name": "One"}), onService(map[string]any{"name": "Two"}), without("name"), 2},
		"no expiry":     {onKey(map[string]any{"expire_at": "2031-02-03T04:05:06Z"}), onKey(map[string]any{"expire_at": "never"}), without("expireAt"), 2},
		"the endpoints": {onService(map[string]any{"endpoints_enabled": map[string]any{"mysql": true}}), onService(map[string]any{"endpoints_enabled": map[string]any{"mysql": false}}), without("endpoints"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				for _, edit := range []func(mockapi.Object){nil, test.edit} {
					env, api := newSilentEnv()
					c := env.Core(t, nil)
					c.Must(test.first)
					plans := c.MustPlan(test.second)
					env.ResetRequests()
					api.writes = edit
					if err := c.ApplyAll(plans); err != nil {
						t.Fatal(err)
					}
					want := test.requests
					if edit != nil {
						want++
					}
					if n := len(env.Requests()); n != want {
						t.Errorf("%d requests, not %d", n, want)
					}
					before := c.States()
					c.ExpectNoChanges(test.second)
					if after := c.States(); !maps.Equal(before, after) {
						t.Errorf("a refresh changes the state from %v to %v", before, after)
					}
				}
			})
		})
	}
}

// With a real CLI, the plan shows what was removed elsewhere, although the API leaves it out.
func TestLeftOutInTerraform(t *testing.T) {
	t.Parallel()
	env := newEmptyEnv(t, mockapi.WithVariants(mockapi.Variants{"omit_empty=all"}))
	tf := env.CLI(t, serviceConfig(mockapi.ServiceID, `
  ip_access_list = { "10.0.0.0/8" = "vpc" }`)+keyConfig(mockapi.APIKeyID, `
  expire_at = "2031-02-03T04:05:06Z"`))
	tf.Apply()
	tf.ExpectNoChanges()
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) { service["ipAccessList"] = []any{} })
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["expireAt"] = nil })
	out, code := tf.Run("plan", "-detailed-exitcode")
	t.Log(out)
	if code != 2 {
		t.Errorf("the plan ended with %d", code)
	}
	acctest.Contains(t, out, `+ "10.0.0.0/8" = "vpc"`, `~ expire_at = "never" -> "2031-02-03T04:05:06Z"`,
		"0 to add, 2 to change, 0 to destroy")
	tf.Apply()
	tf.ExpectNoChanges()
	if strings.Contains(fmt.Sprint(env.Object(mockapi.Service, mockapi.ServiceID)["ipAccessList"]), "10.0.0.0/8") == false {
		t.Error("the entry is missing")
	}
}
