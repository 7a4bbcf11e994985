package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const notThere = "99999999-9999-4999-8999-999999999999"

// A 404 about the path, of a gateway, or by a GET that is not documented does not
// say that an object is gone: it stays in the state.
func TestNotFoundThatIsNotAboutTheObject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  mockapi.Fault
		method string
		says   string // "": the object is gone
	}{
		"no route": {
			mockapi.Fault{Status: 404, Body: `{"message":"no Route matched with those values"}`},
			"PATCH",
			"Check base_url (the API's address, without /v1)",
		},
		"a gateway": {
			mockapi.Fault{Status: 404, Kind: mockapi.FaultHTML},
			"PATCH",
			"Check base_url (the API's address, without /v1), any proxy in between",
		},
		"no GET":          {mockapi.Fault{Status: 404, Body: `{"error":"Not Found"}`}, "GET", `Or the API has no GET for this kind of object: run once with read_method = "PATCH" to find out.`},
		"no route, GET":   {mockapi.Fault{Status: 404, Body: `{"message":"Cannot GET /v1/organizations"}`}, "GET", "Check base_url"},
		"no organization": {mockapi.Fault{Status: 404, Body: `{"error":"Organization not found"}`}, "PATCH", "Check organization_id, key_id, and that the key belongs to that organization."},
		"no object":       {mockapi.Fault{Status: 404, Body: `{"error":"Not Found"}`}, "PATCH", ""},
	} {
		env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"read_by_get"}))
		c := env.Core(t, map[string]any{"read_method": test.method})
		c.Must(onKey(nil))
		env.Fail(test.fault)
		c.Walk()
		err := c.Refresh("api_key")
		if isGone := c.Instance("api_key").State.IsNull(); isGone != (test.says == "") || isGone != (err == nil) {
			t.Errorf("%s: gone: %t, %v", name, isGone, err)
		}
		if err == nil {
			continue
		}
		acctest.Contains(t, err.Error(), test.says)
		acctest.Lacks(t, err.Error(), "Check the id")
	}
}

// If the API refuses to show objects, they can be changed and destroyed all the
// same, and no read is tried twice. That takes unreadable_objects = "warn".
// Which statuses are refusals is tested in package api.
func TestUnreadableObjects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status  int // of each read
		setting any // unreadable_objects
		fails   string
	}{
		"422, warn":  {422, "warn", ""},
		"403, warn":  {403, "warn", ""},
		"500, warn":  {500, "warn", ""},
		"405, error": {405, "error", `set read_method = "GET" in the provider block, or unreadable_objects = "warn".`},
		"400":        {400, nil, `unreadable_objects = "warn"`},
		"403":        {403, nil, `unreadable_objects = "warn"`},
		"500":        {500, nil, `unreadable_objects = "warn"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				hides, refused := false, 0
				env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
					hidden := hides && c.Body == "{}"
					if hidden {
						refused++
						c.Fail(w, test.status)
					}
					return hidden
				})
				list := func(name, second string) acctest.Configs {
					set := map[string]any{"name": name, "ip_access_list": map[string]any{"10.0.0.0/8": "", second: ""}}
					configs := onService(set)
					maps.Copy(configs, onKey(set))
					return configs
				}
				emptyLists(env)
				c := env.Core(t, map[string]any{"unreadable_objects": test.setting})
				one, two := list("One", "192.0.2.1"), list("Two", "192.0.2.2")
				c.Must(one)
				hides = true
				if _, err := c.PlanAll(one); test.fails != "" {
					acctest.Contains(t, fmt.Sprint(err), "Unable to refresh", test.fails)
					return
				}
				if refused != len(one) {
					t.Errorf("%d reads", refused)
				}
				acctest.Contains(t, fmt.Sprint(c.Warnings), "Drift not checked: service …1111: Terraform keeps the last known state.", "service "+mockapi.ServiceID+": ", fmt.Sprintf("HTTP %d", test.status))
				c.ExpectNoChanges(one)
				c.Must(two)
				c.ExpectNoChanges(two)
				c.Must(acctest.Configs{"service": nil, "api_key": nil})
				for kind, id := range map[mockapi.Kind]string{mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID} {
					if object := env.Object(kind, id); object["name"] != "Two" || fmt.Sprint(listOf(object)) != "[10.0.0.0/8  192.0.2.2/32 ]" {
						t.Errorf("the %s is %v with %v", kind, object["name"], listOf(object))
					}
				}
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
