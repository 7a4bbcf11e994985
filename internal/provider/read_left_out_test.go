package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

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

// A null is not returned, in reads as in responses: what was sent is sent once.
func TestNullIsNotReturned(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		one, two  acctest.Configs
		edit      func(mockapi.Object)
		operation string
	}{
		"state":             {onKey(map[string]any{"state": "enabled"}), onKey(map[string]any{"state": "disabled"}), with("state", nil), "updateKey"},
		"name of a key":     {onKey(map[string]any{"name": "One"}), onKey(map[string]any{"name": "Two"}), with("name", nil), "updateKey"},
		"release channel":   {onService(map[string]any{"release_channel": "slow"}), onService(map[string]any{"release_channel": "fast"}), with("releaseChannel", nil), "updateService"},
		"name of a service": {onService(map[string]any{"name": "One"}), onService(map[string]any{"name": "Two"}), with("name", nil), "updateService"},
		"replicas":          {onScaling(map[string]any{"replicas": 4}), onScaling(map[string]any{"replicas": 5}), in("scaling", with("replicas", nil)), "scalePipe"},
		"a setting": {
			onSettings(map[string]any{"db_max_threads": 4}), onSettings(map[string]any{"db_max_threads": 5}), func(object mockapi.Object) {
				in("settings", with("db_max_threads", nil))(object)
				if object["db_max_threads"] != nil {
					object["db_max_threads"] = nil
				}
			}, "updatePipeSettings",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				api.reads, api.writes = test.edit, test.edit
				c := env.Core(t, nil)
				for _, config := range []acctest.Configs{test.one, test.two} {
					env.ResetRequests()
					c.Must(config)
					c.ExpectNoChanges(config)
					if writes := env.Writes(test.operation); len(writes) != 1 {
						t.Errorf("sent %s", writes)
					}
				}
				api.reads, api.writes = nil, nil
				c.ExpectNoChanges(test.two)
			})
		})
	}
}

// A pipe that is paused is returned without scaling. That is no drift, and everything else is planned and applied.
func TestPausedPipe(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(mockapi.Object){"left out": without("scaling"), "null": with("scaling", nil), "empty": with("scaling", mockapi.Object{})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				c := env.Core(t, nil)
				config := func(replicas, threads int) acctest.Configs {
					config := onScaling(map[string]any{"replicas": replicas, "replica_memory_gb": 2})
					maps.Copy(config, onSettings(map[string]any{"db_max_threads": threads}))
					return config
				}
				c.Must(config(4, 4))
				before := c.States()
				api.reads, api.writes = edit, edit
				c.ExpectNoChanges(config(4, 4))
				if !maps.Equal(before, c.States()) || len(c.Warnings) > 0 {
					t.Errorf("the state is %v, not %v, with %q", c.States(), before, c.Warnings)
				}
				env.ResetRequests()
				for _, next := range []acctest.Configs{config(4, 5), config(5, 5)} {
					c.Must(next)
					c.ExpectNoChanges(next)
				}
				env.ExpectWrites(t, "scalePipe", `{"replicas":5}`)
				if settings := env.Writes("updatePipeSettings"); len(settings) != 1 {
					t.Errorf("sent %s", settings)
				}
				c.ForgetAll()
				c.Must(config(6, 5)) // an adoption
				api.reads, api.writes = nil, nil
				c.ExpectNoChanges(config(6, 5))
			})
		})
	}
}

// A read that shows no more than id and name shows nothing: the state of the object, and of all its entries, stays, with
// a warning, however often that happens.
func TestReadsThatShowNothing(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(mockapi.Object){"id and name": showsNothing, "the id": without("name"), "nothing": func(object mockapi.Object) { clear(object) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				c := env.Core(t, nil)
				config := onService(map[string]any{"transparent_data_encryption_key_id": "tde-key-1", "release_channel": "fast", "endpoints_enabled": map[string]any{"mysql": true}})
				for _, more := range []acctest.Configs{
					onKey(map[string]any{"roles": []any{"admin"}, "expire_at": "2090-01-01T00:00:00Z", "ip_access_list": map[string]any{"198.51.100.0/24": "runners", "2001:db8::1": ""}}),
					onEntry("203.0.113.9", "mine"), onEndpoint("vpce-8c9d0e1f"),
				} {
					maps.Copy(config, more)
				}
				c.Must(config)
				other := c.Sibling() // has another entry
				if err := other.Import(entryKind, mockapi.ServiceID+"/192.0.2.7"); err != nil {
					t.Fatal(err)
				}
				c.ExpectNoChanges(config)
				before, otherBefore := c.States(), other.States()
				env.ResetRequests()
				api.reads = func(object mockapi.Object) { showsNothing(object); edit(object) }
				for range 3 {
					c.ExpectNoChanges(config)
					other.Server, other.Warnings = c.Server, nil
					if err := other.Refresh(entryKind); err != nil {
						t.Error(err)
					}
					for _, want := range []string{
						"Drift not checked: service …1111: The API did not return ip_access_list and private_endpoint_ids of service " + mockapi.ServiceID,
						"Drift not checked: API key …1111: The API did not return ip_access_list of API key " + mockapi.APIKeyID,
					} {
						if len(warned(c, want)) != 1 {
							t.Errorf("no warning %q: %q", want, c.Warnings)
						}
					}
					entries := slices.Concat(warned(c, "Drift not checked: access list entry of service …1111: "), warned(c, "Drift not checked: private endpoint of service …1111: "), other.Warnings)
					if len(entries) != 3 || len(c.Warnings)+len(other.Warnings) != 5 {
						t.Errorf("warnings: %q, %q", c.Warnings, other.Warnings)
					}
					if !maps.Equal(before, c.States()) || !maps.Equal(otherBefore, other.States()) {
						t.Errorf("the state is %v and %v, not %v and %v", c.States(), other.States(), before, otherBefore)
					}
				}
				env.ExpectOnlyReads(t)
				api.reads = nil
				c.ExpectNoChanges(config)
			})
		})
	}
}

// The read of an apply, and no other, leaves a list out. What the plan removes is sent all the same: it would keep its
// access, and be in no state.
func TestRemovalAfterAnIncompleteRead(t *testing.T) {
	t.Parallel()
	whole := func(list map[string]any) acctest.Configs { return onService(map[string]any{"ip_access_list": list}) }
	for name, test := range map[string]struct{ before, after acctest.Configs }{
		"an entry": {onEntry("10.0.0.0/8", "mine"), acctest.Configs{entryKind: nil}},
		"the list": {whole(map[string]any{"10.0.0.0/8": "mine"}), whole(map[string]any{})},
		"a key's":  {onKey(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "mine"}}), onKey(map[string]any{"ip_access_list": map[string]any{}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				emptyLists(env)
				c := env.Core(t, nil)
				c.Must(test.before)
				plans := c.MustPlan(test.after)
				api.reads = without("ipAccessList")
				err := c.ApplyAll(plans)
				api.reads = nil
				service, key := env.Object(mockapi.Service, mockapi.ServiceID), env.Object(mockapi.Key, mockapi.APIKeyID)
				if lists := fmt.Sprint(service["ipAccessList"], key["ipAccessList"]); err != nil || lists != "[] []" {
					t.Errorf("%s, %v", lists, err)
				}
			})
		})
	}
}

// An entry that is the first of its list: the API left the list out while it was empty. Later, a read
// that leaves it out again means that the entry is gone.
func TestFirstEntryIsGone(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"omit_empty=reads"}))
	setEntries(env)
	c := env.Core(t, nil)
	c.Must(onEntry("203.0.113.9", "mine"))
	setEntries(env)
	if plans := c.MustPlan(onEntry("203.0.113.9", "mine")); len(plans) != 1 || !c.Instance(entryKind).State.IsNull() {
		t.Errorf("the plan does not add the entry: %v", plans)
	}
}

// What no read shows is not adopted if nothing is sent either: nothing would show that it exists. If something is sent,
// the plan warns with the API's own words.
func TestUnseenObjectIsNotAdopted(t *testing.T) {
	t.Parallel()
	const unseen = "the configuration sets nothing that could be sent"
	for kind, id := range map[string]string{"service": "service_id", "api_key": "key_id"} {
		env := newEnv(t)
		remove := env.Fail(fault(422))
		c := env.Core(t, map[string]any{"unreadable_objects": "warn"})
		_, err := c.PlanAll(acctest.Configs{kind: {id: notThere}})
		acctest.Contains(t, fmt.Sprint(err), "Unable to adopt ", unseen, acctest.ErrorText)
		plans := c.MustPlan(acctest.Configs{kind: {id: notThere, "name": "One"}})
		acctest.Contains(t, fmt.Sprint(c.Warnings), "current values unknown", acctest.ErrorText, acctest.ErrorRequestID)
		if err := c.Apply(kind, plans[kind]); err == nil || !c.Instance(kind).State.IsNull() {
			t.Errorf("%s: error: %v, state: %s", kind, err, c.Instance(kind).State)
		}
		remove()

		// The plan has seen the object, and the apply does not.
		env.ResetRequests()
		plans = c.MustPlan(acctest.Configs{kind: {id: map[string]string{"service": mockapi.ServiceID, "api_key": mockapi.APIKeyID}[kind]}})
		env.Fail(fault(422))
		c.Walk()
		if err := c.ApplyPlanned(kind, plans[kind]); err == nil || !c.Instance(kind).State.IsNull() || !strings.Contains(err.Error(), unseen) {
			t.Errorf("%s: error: %v, state: %s", kind, err, c.Instance(kind).State)
		}
		env.ExpectOnlyReads(t)
	}
}

// The list of a key is sent whole. If nothing shows it, an update may remove entries that no plan shows: the plan says
// so, once.
func TestListThatNothingShows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		on     func(map[string]any) acctest.Configs
		reads  func(mockapi.Object)
		hidden bool
		list   string // ip_access_list by default
		warns  int
	}{
		"shown":          {on: onKey},
		"not shown":      {on: onKey, reads: showsNothing, warns: 1},
		"mistyped":       {on: onKey, reads: with("ipAccessList", "all"), warns: 1},
		"hidden":         {on: onKey, hidden: true, warns: 1},
		"roles":          {on: onKey, hidden: true, list: "roles", warns: 1},
		"of a service":   {on: onService, reads: showsNothing},
		"hidden service": {on: onService, hidden: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				emptyLists(env)
				api.reads = test.reads
				if test.hidden {
					env.SetVariants(mockapi.Variants{"refuse_empty_patch=405"})
				}
				c := env.Core(t, nil)
				c.Must(test.on(map[string]any{"name": "CI"})) // its list is not managed yet
				list := cmp.Or(test.list, "ip_access_list")
				config := test.on(map[string]any{"name": "CI", list: map[string]any{"ip_access_list": map[string]any{"198.51.100.7": "runners"}, "roles": []any{"admin"}}[list]})
				env.ResetRequests()
				for _, warns := range []int{test.warns, 0} {
					plans := c.MustPlan(config)
					if found := warned(c, "Other entries may be removed: API key …1111: The API does not return "+list+" of API key "+mockapi.APIKeyID); len(found) != warns {
						t.Errorf("%q", c.Warnings)
					}
					if err := c.ApplyAll(plans); err != nil {
						t.Error(err)
					}
				}
				if writes := append(env.Writes("updateKey"), env.Writes("updateService")...); len(writes) != 1 {
					t.Errorf("sent %s", writes)
				}
				c.ExpectNoChanges(config)
			})
		})
	}
}
