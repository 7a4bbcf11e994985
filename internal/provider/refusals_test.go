package provider

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// If the API refuses to show objects, they can be changed and destroyed all the
// same, and no read is tried twice. unreadable_objects = "error" makes it an error.
// Which statuses are refusals is tested in package api.
func TestUnreadableObjects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status  int // of each read
		setting any // unreadable_objects
		fails   string
	}{
		"422":        {422, nil, ""},
		"403, warn":  {403, "warn", ""},
		"500, warn":  {500, "warn", ""},
		"405, error": {405, "error", `Set read_method = "GET" in the provider block, or unreadable_objects = "warn".`},
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
				acctest.Contains(t, fmt.Sprint(c.Warnings), "Drift not checked: the API does not return the object: Terraform keeps the last known state.", "service "+mockapi.ServiceID+": ", fmt.Sprintf("HTTP %d", test.status))
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

// Where one cause fails many objects, each error names the setting to check in one
// line of a terminal.
func TestErrorsOfOneCauseAreShort(t *testing.T) {
	t.Parallel()
	long := `{"error":"` + strings.Repeat("The database is not available. ", 10) + `"}`
	for setting, faults := range map[string][]mockapi.Fault{
		"key_secret":                       {fault(401)},
		"requests_per_second":              {fault(429, "Retry-After", "3600")},
		"The API itself reports a failure": {fault(503)},
		"base_url": {
			{Status: 504, Kind: mockapi.FaultEmpty},
			{Kind: mockapi.FaultReset},
			{Status: 502, Body: long},
			{Status: 502, Kind: mockapi.FaultHTML},
			{Status: 404, Kind: mockapi.FaultHTML},
			{Kind: mockapi.FaultHTML},
			{Kind: mockapi.FaultEmpty},
			{Kind: mockapi.FaultRedirect},
			{Kind: mockapi.FaultOtherID},
			{Kind: mockapi.FaultCut},
		},
		"unreadable_objects": {fault(500)},
	} {
		for _, fault := range faults {
			env := newEnv(t)
			c := env.Core(t, map[string]any{"max_retries": 0})
			env.Fail(fault)
			for kind, config := range firstConfigs() {
				_, err := c.Plan(kind, c.Config(kind, config))
				if isPipe := strings.HasPrefix(kind, "pipe"); isPipe && setting == "unreadable_objects" {
					continue
				}
				summary, detail, isOneLine := strings.Cut(fmt.Sprint(err), ":  ") // the space keeps it on one line
				acctest.Contains(t, summary, "Unable to ad", " …", ": ")
				acctest.Contains(t, detail, setting)
				if !isOneLine || strings.Contains(detail, "\n") || len(summary) > 220 || strings.Contains(summary, "request ") {
					t.Errorf("%+v: %v", fault, err)
				}
			}
		}
	}
}

// A 404 of an update is not about the object, which has just been read.
func TestNotFoundAfterRead(t *testing.T) {
	t.Parallel()
	env := newEmptyEnv(t)
	c := env.Core(t, nil)
	f := fault(404)
	f.Operation, f.Skip, f.Body = "updateService", 2, `{"error":"Not Found","message":"Endpoint vpce-9 not found"}`
	env.Fail(f)
	_, err := c.Run(onService(map[string]any{"private_endpoint_ids": []any{"vpce-9"}}))
	acctest.Contains(t, fmt.Sprint(err), "vpce-9 not found", "another id that this update sends may be wrong")
}
