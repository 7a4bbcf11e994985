package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A removal sends nothing if the entry or its service is gone. One that does not show, or
// was planned for another organization, is an error, and the entry stays in the state.
func TestEntryIsRemoved(t *testing.T) {
	t.Parallel()
	const remove = `{"ipAccessList":{"remove":[{"source":"203.0.113.9","description":"mine"}]}}`
	for name, test := range map[string]struct {
		before func(*acctest.Env, *acctest.Core)
		says   string // of the error
		sent   string
	}{
		"hidden":       {func(env *acctest.Env, _ *acctest.Core) { env.SetVariants(mockapi.Variants{RefuseEmptyPatch: 405}) }, "", remove},
		"entry gone":   {func(env *acctest.Env, _ *acctest.Core) { setEntries(env) }, "", ""},
		"service gone": {func(env *acctest.Env, _ *acctest.Core) { env.Forget(mockapi.Service, mockapi.ServiceID) }, "", ""},
		"overdue":      {func(env *acctest.Env, _ *acctest.Core) { env.SetVariants(mockapi.Variants{StaleServices: time.Hour}) }, "has not shown it after 3s", remove},
		"elsewhere": {func(env *acctest.Env, c *acctest.Core) {
			c.Connect = func() tfprotov6.ProviderServer {
				return env.Connect(t, map[string]any{"organization_id": acctest.OtherOrganization})
			}
		}, "Another organization or API", ""},
		"refused": {func(env *acctest.Env, _ *acctest.Core) {
			env.Fail(mockapi.Fault{Operation: "updateService", Skip: 1, Status: 403})
		}, "Unable to remove access list entry of service …1111: forbidden (403)", remove},
		"no such operation": {func(env *acctest.Env, _ *acctest.Core) {
			env.Fail(mockapi.Fault{Operation: "updateService", Skip: 1, Status: 405})
		}, "objects of its kind. If it does not, leave the object alone: remove its block, and run terraform state rm.", remove},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		c.Must(onEntry("203.0.113.9", "mine"))
		plans := c.MustPlan(noEntry)
		env.ResetRequests()
		test.before(env, c)
		err := c.ApplyAll(plans)
		if test.says != "" {
			acctest.Contains(t, fmt.Sprint(err), test.says)
			acctest.Lacks(t, fmt.Sprint(err), "from the configuration") // where it is not
		}
		if failed := err != nil; failed != (test.says != "") || failed == c.Instance(entryKind).State.IsNull() {
			t.Errorf("%s: %v, state %s", name, err, c.Instance(entryKind).State)
		}
		env.ExpectWrites(t, "updateService", oneOrNone(test.sent)...)
	}
}

// The plan that destroys an entry or a private endpoint says so, also beside the warnings of
// objects that stay, which Terraform folds. A replacement does not: its plan shows it.
func TestDestroyedEntriesAreNamed(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, serviceConfig(mockapi.ServiceID, `name = "Orders"`)+scalingConfig(mockapi.KafkaPipeID, "replicas = 2")+
		fmt.Sprintf("resource \"dbplatform_service_ip_access_entry\" \"this\" {\n  service_id = %[1]q\n  source = \"203.0.113.9\"\n}\n"+
			"resource \"dbplatform_service_private_endpoint\" \"this\" {\n  service_id = %[1]q\n  private_endpoint_id = \"vpce-8c9d0e1f\"\n}\n", mockapi.ServiceID))
	tf.Apply()
	out := tf.Must("plan", "-destroy")
	acctest.Contains(t, out, "Warning: Destroy leaves the object as it is", "Warning: Destroy removes the access list entry from the service",
		"Warning: Destroy removes the private endpoint from the service", "removes 203.0.113.9 from ip_access_list of service "+mockapi.ServiceID,
		"removes vpce-8c9d0e1f from private_endpoint_ids of service "+mockapi.ServiceID, "To keep it, use a removed block with destroy = false")
	tf.ExpectNoChanges()

	c := newEnv(t).Core(t, nil)
	c.Must(onEntry("203.0.113.9", "mine"))
	c.MustPlan(onEntry("203.0.113.10", "mine"))
	acctest.Lacks(t, fmt.Sprint(c.Warnings), "Destroy removes")
}

// A block whose source the plan did not know has the entry after the apply: another block
// does not remove it.
func TestKeptEntryIsNotRemoved(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	blocks := siblings(t, env, 2)
	gone, stays := blocks[0], blocks[1]
	for _, c := range blocks {
		setEntries(env)
		c.Must(onEntry("203.0.113.9", "mine"))
	}
	walk(blocks)
	if err := stays.Destroy(entryKind, acctest.Plan{}); err != nil { // its source may be another one
		t.Error(err)
	}
	again := mustPlan(t, stays, onEntry("203.0.113.9/32", "mine"))
	if err := stays.ApplyPlanned(entryKind, again); err != nil {
		t.Error(err)
	}
	acctest.Contains(t, fmt.Sprint(gone.Destroy(entryKind, acctest.Plan{})), removedAndKept)
	expectEntries(t, env, "203.0.113.9/32 mine")
	if gone.Instance(entryKind).State.IsNull() {
		t.Error("the entry that stays is not in the state")
	}
}

// Errors name the entry, its service, what to do, and the API's own words.
func TestEntryIsRefused(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	refused := mockapi.Variants{AddExisting: mockapi.RefuseBadRequest}
	c.Must(onEntry("203.0.113.9", "old"))
	env.SetVariants(refused)
	_, err := c.Run(onEntry("203.0.113.9", "new words"))
	acctest.Contains(t, fmt.Sprint(err), "Unable to update access list entry of service …1111: bad request (400)", "access list entry 203.0.113.9 of service "+mockapi.ServiceID, "203.0.113.9 is in the list already", "change its description in two applies")
	expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 old")

	const body = `{"error":"203.0.113.7 (other words) is not allowed"}`
	for status, skip := range map[int]int{422: 1, 500: 0, 404: 2} { // the update, the read, the update
		env = newEnv(t)
		env.Fail(mockapi.Fault{Operation: "updateService", Status: status, Skip: skip, Body: body})
		_, err = env.Core(t, map[string]any{"max_retries": 0}).Run(onEntry("203.0.113.7", "other words"))
		acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …1111", "203.0.113.7 (other words) is not allowed",
			map[int]string{404: "The service existed when Terraform read it."}[status])
		acctest.Lacks(t, fmt.Sprint(err), "may exist now") // nothing was added
	}

	// Warnings have the API's words, too.
	env = newEnv(t)
	c = env.Core(t, nil)
	c.Must(onEntry("2001:db8::", "words"))
	env.Fail(mockapi.Fault{Operation: "updateService", Status: 422, Body: `{"error":"[2001:0DB8::] is protected"}`})
	c.MustPlan(onEntry("2001:db8::", "words"))
	acctest.Contains(t, fmt.Sprint(warned(c, "Drift not checked")), "[2001:0DB8::] is protected")
	c = env.Core(t, nil)
	c.MustPlan(onEntry("2001:db8::", "words"))
	acctest.Contains(t, fmt.Sprint(warned(c, "Entry may exist already")), "[2001:0DB8::] is protected")

	// The read of an apply fails, of an update and of a removal.
	env = newEnv(t)
	c = env.Core(t, map[string]any{"unreadable_objects": "error"})
	c.Must(onEntry("203.0.113.7", "old"))
	for _, config := range []acctest.Configs{onEntry("203.0.113.7", "new"), noEntry} {
		env.Fail(mockapi.Fault{Operation: "updateService", Status: 405, Skip: 1, Times: 1})
		_, err = c.Run(config)
		acctest.Contains(t, fmt.Sprint(err), `Set read_method = "GET" in the provider block`)
	}

	c = newEnv(t, mockapi.WithVariants(mockapi.Variants{StaleServices: time.Hour})).Core(t, nil)
	_, err = c.Run(onEntry("203.0.113.9", nil))
	acctest.Contains(t, fmt.Sprint(err), "Change not confirmed by the API: The entry may exist now. If the next plan says so, import it:",
		"} The API accepted the access list entry 203.0.113.9 of service "+mockapi.ServiceID+" but does not show it. It may still show. If the API needs longer, raise update_timeout.")
	acctest.Lacks(t, fmt.Sprint(err), "apply again") // that would say that it exists

	_, err = newEnv(t).Core(t, nil).Run(acctest.Configs{entryKind: {"service_id": notThere, "source": "203.0.113.9"}})
	acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …9999: not found (404)", "Check service_id, and that organization_id", `AttributeName("service_id")`)
}

// A plan warns of private endpoints that it adds and that are not available, if the API
// shows which ones are.
func TestUnavailableEndpoints(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int{mockapi.ServiceID: 1, mockapi.OtherServiceID: 0} {
		c := newEmptyEnv(t).Core(t, nil)
		config := acctest.Configs{"service": {"service_id": id, "private_endpoint_ids": []any{"vpce-8c9d0e1f", "vpce-none", "vpce-b", "vpce-c", "vpce-a"}}}
		plans := c.MustPlan(config)
		if found := warned(c, "Private endpoint is not available: service …1111: The plan adds private endpoints that available_private_endpoint_ids of the service does not list: vpce-a, vpce-b, vpce-c, vpce-none."); len(found) != want {
			t.Errorf("%s: %q", id, c.Warnings)
		}
		if err := c.ApplyAll(plans); err != nil {
			t.Error(err)
		}
		c.MustPlan(config)
		if found := warned(c, "Private endpoint is not available"); len(found) > 0 {
			t.Errorf("after the apply: %q", found)
		}
	}
	c := newEnv(t).Core(t, nil) // an id that is known only after apply may be available
	notKnown := func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if v.Equal(tftypes.NewValue(tftypes.String, "later")) {
			v = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
		return v, nil
	}
	config, _ := tftypes.Transform(c.Config("service", onService(map[string]any{"private_endpoint_ids": []any{"vpce-8c9d0e1f", "later"}})["service"]), notKnown)
	if _, err := c.Plan("service", config); err != nil || len(warned(c, "Private endpoint is not available")) > 0 {
		t.Errorf("an unknown id: %v, %q", err, c.Warnings)
	}
}

// Where no response shows the list, the state counts: an entry is added, changed and
// removed once.
func TestEntryOfAnUnreturnedList(t *testing.T) {
	t.Parallel()
	env := underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		recorded := c.Record()
		acctest.Respond(w, recorded, []byte(strings.Replace(recorded.Body.String(), `"ipAccessList"`, `"other"`, 1)))
		return true
	})
	c := env.Core(t, nil)
	for _, config := range []acctest.Configs{onEntry("203.0.113.9", "old"), onEntry("203.0.113.9", "mine"), noEntry} {
		c.MustPlan(config)
		acctest.Lacks(t, fmt.Sprint(c.Warnings), "may become empty")
		c.Must(config)
		c.ExpectNoChanges(config)
	}
	env.ExpectWrites(t, "updateService", strings.Replace(addMine, "mine", "old", 1), addMine, strings.Replace(addMine, "add", "remove", 1))
	if err := c.Import(entryKind, mockapi.ServiceID+"/203.0.113.9"); err != nil || !strings.Contains(string(c.Instance(entryKind).Private), `"origin"`) {
		t.Errorf("the organization of an import is not remembered: %v", err)
	}
	acctest.Contains(t, fmt.Sprint(c.Warnings), "Entry may not exist: "+mockapi.ServiceID+"/203.0.113.9: ", "the API does not return the list")
	c.ExpectNoChanges(onEntry("203.0.113.9", nil))
	if len(c.Warnings) > 0 {
		t.Errorf("after the import: %q", c.Warnings)
	}
}
