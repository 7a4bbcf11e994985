package provider

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

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
		"no organization": {mockapi.Fault{Status: 404, Body: `{"error":"Organization not found"}`}, "PATCH", "Check organization_id, key_id, and that the provider's key belongs to that organization."},
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
		"405, warn":  {405, "warn", ""},
		"422, warn":  {422, "warn", ""},
		"403, warn":  {403, "warn", ""},
		"500, warn":  {500, "warn", ""},
		"405, error": {405, "error", `try read_method = "GET" in the provider block, or else set unreadable_objects = "warn".`},
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

// The same value in another notation is no drift: the state keeps the notation that it has.
func TestOtherNotationsAreNoDrift(t *testing.T) {
	t.Parallel()
	entries := func(object mockapi.Object) {
		object["ipAccessList"] = []any{mockapi.Object{"source": "10.0.0.1/32", "description": nil}, mockapi.Object{"source": "2001:DB8:0::1", "description": "v6"}}
	}
	list := map[string]any{"10.0.0.1": nil, "2001:db8::1": "v6"}
	for name, test := range map[string]struct {
		config acctest.Configs
		object mockapi.Kind
		id     string
		now    func(mockapi.Object)
	}{
		"addresses of a service": {onService(map[string]any{"ip_access_list": list}), mockapi.Service, mockapi.ServiceID, entries},
		"addresses of a key":     {onKey(map[string]any{"ip_access_list": list}), mockapi.Key, mockapi.APIKeyID, entries},
		"an expiry":              {onKey(map[string]any{"expire_at": "2090-01-31T12:00:00Z"}), mockapi.Key, mockapi.APIKeyID, with("expireAt", "2090-01-31 13:00:00.000+01:00")},
		"no expiry":              {onKey(map[string]any{"expire_at": "never"}), mockapi.Key, mockapi.APIKeyID, with("expireAt", "0001-01-01T00:00:00Z")},
		"a 32-bit float":         {onScaling(map[string]any{"replica_memory_gb": 0.7}), mockapi.Pipe, mockapi.KafkaPipeID, in("scaling", with("replicaMemoryGb", 0.699999988079071))},
		"an entry":               {onEntry("10.0.0.1", nil), mockapi.Service, mockapi.ServiceID, entries},
	} {
		env := newEmptyEnv(t)
		c := env.Core(t, nil)
		c.Must(test.config)
		c.ExpectNoChanges(test.config)
		before := c.States()
		env.Change(test.object, test.id, test.now)
		env.ResetRequests()
		if c.ExpectNoChanges(test.config); !maps.Equal(before, c.States()) {
			t.Errorf("%s: the state is %v, not %v", name, c.States(), before)
		}
		env.ExpectOnlyReads(t)
	}
}
