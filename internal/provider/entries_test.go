package provider

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A plan that would add an entry that exists fails at the entry's id, after one read. It
// names the entry and the ways out.
func TestEntryExists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config acctest.Configs
		says   []string
	}{
		"the same":            {onEntry("192.0.2.7", "office"), []string{existsAlready, "ip_access_list of service " + mockapi.ServiceID + " has the entry 192.0.2.7,", `import it, with the id "` + mockapi.ServiceID + `/192.0.2.7"`}},
		"in another notation": {onEntry("192.0.2.7/32", nil), []string{existsAlready}},
		"described otherwise": {onEntry("192.0.2.7", "mine"), []string{existsAlready, "moved block", "terraform untaint", "remove the block in one apply and add it in the next"}},
		"endpoint":            {onEndpoint("vpce-4e5f6a7b"), []string{"Entry exists already: private endpoint of service …1111", `/vpce-4e5f6a7b"`}},
		"in another case":     {onEndpoint("VPCE-4E5F6A7B"), []string{"has the entry VPCE-4E5F6A7B (the API writes vpce-4e5f6a7b)", `with the id "` + mockapi.ServiceID + `/vpce-4e5f6a7b"`}},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		_, err := c.Run(test.config)
		text := fmt.Sprint(err)
		acctest.Contains(t, text, append(test.says, `AttributeName("`)...)
		if sent := env.Requests(); len(sent) != 1 || len(c.Warnings) > 0 {
			t.Errorf("%s: sent %d requests, with %q", name, len(sent), c.Warnings)
		}
	}
}

// What only the apply can know: the entry appeared after the plan, or another block has
// added it. Nothing is sent for it.
func TestEntryAppears(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	plans := c.MustPlan(onEntry("203.0.113.9", "mine"))
	setEntries(env, "203.0.113.9 theirs")
	err := c.ApplyAll(plans)
	acctest.Contains(t, fmt.Sprint(err), existsAlready, `AttributeName("source")`)
	env.ExpectOnlyReads(t)

	// Two blocks, in both orders of planning and adding.
	for _, interleaved := range []bool{false, true} {
		env = newEnv(t)
		blocks, plans := siblings(t, env, 2), make([]acctest.Plan, 2)
		walk(blocks)
		for i := range blocks {
			plans[i] = planWithoutRefresh(t, blocks[i], onEntry("203.0.113.9", "mine"))
		}
		walk(blocks)
		if interleaved { // both are planned again before one is added
			for i := range blocks {
				plans[i] = planWithoutRefresh(t, blocks[i], onEntry("203.0.113.9", "mine"))
			}
			err = blocks[0].ApplyPlanned(entryKind, plans[0])
			again := blocks[1].ApplyPlanned(entryKind, plans[1])
			acctest.Contains(t, fmt.Sprint(again), existsAlready)
		} else {
			err = blocks[0].Apply(entryKind, plans[0])
			acctest.Contains(t, fmt.Sprint(blocks[1].Apply(entryKind, plans[1])), existsAlready)
		}
		if err != nil || !blocks[1].Instance(entryKind).State.IsNull() {
			t.Errorf("%v, the second has %s", err, blocks[1].Instance(entryKind).State)
		}
		env.ExpectWrites(t, "updateService", addMine)
	}
}

// Somebody adds the same address right before the request. Theirs stays, and the error of
// a description that does not show is at the attribute.
func TestEntryAppearsLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants mockapi.Variants
		list     []string
	}{
		"beside it":  {mockapi.Variants{"entry_identity=whole"}, []string{"203.0.113.9/32 mine", "203.0.113.9/32 theirs"}},
		"in its way": {mockapi.Variants{"add_existing=ignore"}, []string{"203.0.113.9/32 theirs"}},
	} {
		var env *acctest.Env
		env = underTest.NewEnv(t, func(_ http.ResponseWriter, c acctest.Call) bool {
			if c.Writes() && len(env.Writes("updateService")) == 0 {
				setEntries(env, "203.0.113.9 theirs")
			}
			return false
		}, mockapi.WithVariants(test.variants))
		_, err := env.Core(t, map[string]any{"update_timeout": "1ms"}).Run(onEntry("203.0.113.9", "mine"))
		acctest.Contains(t, fmt.Sprint(name, ": ", err), "Change not confirmed by the API", `AttributeName("description")`)
		env.ExpectWrites(t, "updateService", addMine)
		expectEntries(t, env, test.list...)
	}
}

// A creation whose response is lost is found by a read. If that fails too, the error says
// how to import the entry.
func TestEntryIsLost(t *testing.T) {
	t.Parallel()
	lost := mockapi.Fault{Operation: "updateService", Kind: mockapi.FaultReset, AfterActing: true, Skip: 1, Times: 1}
	env := newEnv(t)
	env.Fail(lost)
	c := env.Core(t, nil)
	c.Must(onEntry("203.0.113.9", "mine"))
	env.ExpectWrites(t, "updateService", addMine)
	c.ExpectNoChanges(onEntry("203.0.113.9", "mine"))

	const form = "If the next plan says so, import it: import { to = <address of this resource> id = \"" + mockapi.ServiceID + "/203.0.113.9\" }"
	env = newEnv(t)
	c = env.Core(t, map[string]any{"max_retries": 0})
	plans := c.MustPlan(onEntry("203.0.113.9", "mine"))
	env.Fail(lost)
	env.Fail(mockapi.Fault{Operation: "updateService", Kind: mockapi.FaultReset, AfterActing: true, Skip: 1})
	_ = c.ApplyAll(plans)
	acctest.Contains(t, acctest.Flat(fmt.Sprint(c.Warnings)), form)
	if !c.Instance(entryKind).State.IsNull() || !strings.Contains(listsOf(env), "203.0.113.9") {
		t.Errorf("state %s, list %s", c.Instance(entryKind).State, listsOf(env))
	}
}

// Errors name the entry, its service, what to do, and the API's own words.
func TestEntryIsRefused(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	refused := mockapi.Variants{"add_existing=refuse_400"}
	c.Must(onEntry("203.0.113.9", "old"))
	env.SetVariants(refused)
	_, err := c.Run(onEntry("203.0.113.9", "new words"))
	acctest.Contains(t, fmt.Sprint(err), "Unable to update access list entry of service …1111: bad request (400)", "access list entry 203.0.113.9 of service "+mockapi.ServiceID, "203.0.113.9 is in the list already", "change its description in two applies")
	expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 old")

	const body = `{"error":"203.0.113.7 (other words) is not allowed"}`
	for status, skip := range map[int]int{422: 1, 500: 0, 404: 2} { // the update, the read, the update
		env = newEnv(t)
		env.Fail(mockapi.Fault{Operation: "updateService", Status: status, Skip: skip, Body: body})
		c = env.Core(t, map[string]any{"max_retries": 0})
		_, err = c.Run(onEntry("203.0.113.7", "other words"))
		acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …1111", "203.0.113.7 (other words) is not allowed",
			map[int]string{404: "If the service exists,"}[status])
		acctest.Lacks(t, fmt.Sprint(err, c.Warnings), "may exist now") // nothing was added
	}

	// The read of an apply fails, of an update and of a removal.
	env = newEnv(t)
	c = env.Core(t, map[string]any{"unreadable_objects": "error"})
	c.Must(onEntry("203.0.113.7", "old"))
	for _, config := range []acctest.Configs{onEntry("203.0.113.7", "new"), noEntry} {
		env.Fail(mockapi.Fault{Operation: "updateService", Status: 405, Skip: 1, Times: 1})
		_, err = c.Run(config)
		acctest.Contains(t, fmt.Sprint(err), `try read_method = "GET" in the provider block`)
	}

	c = newEnv(t, mockapi.WithVariants(mockapi.Variants{"stale_services=1h"})).Core(t, nil)
	_, err = c.Run(onEntry("203.0.113.9", nil))
	acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …1111", "the API's list does not have this entry")
	acctest.Contains(t, fmt.Sprint(c.Warnings), "The entry may exist now")
	acctest.Lacks(t, fmt.Sprint(err), "apply again") // that would say that it exists

	_, err = newEnv(t).Core(t, nil).Run(acctest.Configs{entryKind: {"service_id": notThere, "source": "203.0.113.9"}})
	acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …9999: not found (404)", "Check organization_id, service_id, and that the provider's key belongs")
}

const bothThere = "[10.0.0.0/8 private network 192.0.2.7/32 office] [vpce-0a1b2c3d vpce-4e5f6a7b]"

// Adding an entry: what the plan warns of, that it takes one read, and what is sent. A
// destroy removes the entry, and no other.
func TestEntryIsAdded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config   acctest.Configs
		warns    string // the beginning of the only warning
		sent     string
		variants mockapi.Variants
	}{
		"new":         {config: onEntry("203.0.113.9", "mine"), sent: addMine},
		"undescribed": {config: onEntry("203.0.113.9", nil), sent: `{"ipAccessList":{"add":[{"source":"203.0.113.9"}]}}`},
		"hidden":      {config: onEntry("203.0.113.9", "mine"), warns: "Addition of access list entry of service …1111: current entries unknown", sent: addMine, variants: mockapi.Variants{"refuse_empty_patch=405"}},
		"endpoint, hidden": {
			config: onEndpoint("vpce-8c9d0e1f"), sent: `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"]}}`, variants: mockapi.Variants{"refuse_empty_patch=405"},
			warns: "Addition of private endpoint of service …1111: current entries unknown", // it has no description
		},
		"open":     {config: onEntry("::/0", nil), warns: "Open to everyone: access list entry of service …1111: ::/0: 0.0.0.0/0 and ::/0 contain every address", sent: `{"ipAccessList":{"add":[{"source":"::/0"}]}}`},
		"endpoint": {config: onEndpoint("vpce-8c9d0e1f"), sent: `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, mockapi.WithVariants(test.variants))
			c := env.Core(t, nil)
			plans := c.MustPlan(test.config)
			if reads := len(env.Requests()); reads != 1 {
				t.Errorf("the plan sent %d requests", reads)
			}
			if warnings := strings.Join(c.Warnings, "\n"); !strings.HasPrefix(warnings, test.warns) || (test.warns == "") != (warnings == "") || len(c.Warnings) > 1 {
				t.Errorf("warnings: %q", c.Warnings)
			}
			if err := c.ApplyAll(plans); err != nil {
				t.Fatal(err)
			}
			env.ExpectWrites(t, "updateService", oneOrNone(test.sent)...)
			c.ExpectNoChanges(test.config)
			if isHidden := test.variants.Value("refuse_empty_patch") != ""; len(c.Warnings) > 0 && !isHidden {
				t.Errorf("the next plan warns: %q", c.Warnings)
			}
			for kind := range test.config {
				c.Must(acctest.Configs{kind: nil})
			}
			if left := listsOf(env); left != bothThere {
				t.Errorf("the destroy leaves %s", left)
			}
		})
	}
}

// An entry in the state, after the API has changed. What the API does not show stays in
// the state.
func TestEntryDrifts(t *testing.T) {
	t.Parallel()
	const none, adds, updates = "", "adds", "updates"
	list := func(entries ...string) func(*acctest.Env) {
		return func(env *acctest.Env) { setEntries(env, entries...) }
	}
	inService := func(change func(mockapi.Object)) func(*acctest.Env) {
		return func(env *acctest.Env) { env.Change(mockapi.Service, mockapi.ServiceID, change) }
	}
	const replaces = "Address may lose access for a moment: access list entry of service …1111: 203.0.113.9: A new description"
	entry, endpoint := onEntry("203.0.113.9", "mine"), onEndpoint("vpce-8c9d0e1f")
	for name, test := range map[string]struct {
		config acctest.Configs
		drift  func(*acctest.Env)
		plan   string
		warns  string // the beginning of the only warning
		sent   string
	}{
		"gone": {entry, list("10.0.0.0/8 vpc"), adds, "", addMine},
		"described otherwise": { // the mock API adds first and removes by address
			entry, list("203.0.113.9 theirs", "10.0.0.0/8 vpc"), updates, replaces,
			`{"ipAccessList":{"add":[{"source":"203.0.113.9","description":"mine"}],"remove":[{"source":"203.0.113.9","description":"theirs"}]}} ` + addMine,
		},
		"listed twice": {
			entry, list("203.0.113.9 mine", "203.0.113.9/32 theirs"), updates, replaces,
			`{"ipAccessList":{"add":[{"source":"203.0.113.9","description":"mine"}],"remove":[{"source":"203.0.113.9/32","description":"theirs"}]}}`,
		},
		"null":               {entry, inService(func(service mockapi.Object) { service["ipAccessList"] = nil }), adds, "Access list is empty: access list entry of service …1111: The apply adds the first entry", addMine},
		"endpoint, null":     {endpoint, inService(func(service mockapi.Object) { service["privateEndpointIds"] = nil }), adds, "", `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"]}}`},
		"left out":           {entry, inService(func(service mockapi.Object) { delete(service, "ipAccessList") }), adds, "Access list is empty: access list entry of service …1111: The apply adds the first entry", addMine},
		"endpoint, left out": {endpoint, inService(func(service mockapi.Object) { delete(service, "privateEndpointIds") }), adds, "", `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"]}}`},
		"only a name": {entry, inService(func(service mockapi.Object) {
			maps.DeleteFunc(service, func(name string, _ any) bool { return name != "id" && name != "name" })
		}), none, "Drift not checked: ", ""},
		"hidden":       {entry, func(env *acctest.Env) { env.SetVariants(mockapi.Variants{"refuse_empty_patch=422"}) }, none, "Drift not checked: access list entry of service …1111: ", ""},
		"service gone": {entry, func(env *acctest.Env) { env.Forget(mockapi.Service, mockapi.ServiceID) }, adds, "Not found: ", ""},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		c.Must(test.config)
		env.ResetRequests()
		test.drift(env)
		plans, plan := c.MustPlan(test.config), none
		for kind := range plans {
			plan = map[bool]string{true: adds, false: updates}[c.Instance(kind).State.IsNull()]
		}
		if warnings := strings.Join(c.Warnings, "\n"); plan != test.plan || !strings.HasPrefix(warnings, test.warns) || (test.warns == "") != (warnings == "") {
			t.Errorf("%s: the plan %s, with %q", name, plan, c.Warnings)
		}
		if test.warns != "" && test.sent == "" {
			continue
		}
		if err := c.ApplyAll(plans); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		env.ExpectWrites(t, "updateService", strings.Fields(test.sent)...)
		c.ExpectNoChanges(test.config)
	}
}

// The same address in another notation is no change, nor is a description that leaves the
// configuration.
func TestNotationOfAnEntry(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	c.Must(onEntry("2001:db8::/32", "mine"))
	c.ExpectNoChanges(onEntry("2001:DB8:0::1/32", "mine"))
	c.ExpectNoChanges(onEntry("2001:db8::/32", nil))
	c.Must(onEndpoint("vpce-8c9d0e1f"))
	c.ExpectNoChanges(onEndpoint("VPCE-8C9D0E1F"))
	remove := env.Fail(mockapi.Fault{Operation: "updateService", Status: 404})
	c.MustPlan(onEntry("2001:DB8:0::1/32", "mine")) // fails unless the refresh is known to have missed the same entry
	remove()
	c.ForgetAll()
	c.Must(onEntry("172.16.0.5/12", "a")) // whose plan warns
	if c.MustPlan(onEntry("172.16.0.5/12", "b")); strings.Contains(strings.Join(c.Warnings, "\n"), "Range is wider") {
		t.Errorf("a change: %q", c.Warnings)
	}
}

// The entries of a service cost one read in each walk, and one PATCH each. The plan that
// removes the last one says so.
func TestEntryRequests(t *testing.T) {
	t.Parallel()
	const n = 50
	env := newEnv(t)
	setEntries(env)
	blocks := siblings(t, env, n)
	for _, destroys := range []bool{false, true} {
		env.ResetRequests()
		walk(blocks)
		var plans []acctest.Plan
		var warnings []string
		for i, c := range blocks {
			config := onEntry(fmt.Sprint("203.0.113.", i), nil)
			if destroys {
				config = noEntry
			}
			if err := c.Refresh(entryKind); err != nil {
				t.Error(err)
			}
			plans = append(plans, planWithoutRefresh(t, c, config))
			warnings = append(warnings, warned(c, "Access list may become empty: service …1111: The plan removes all entries of service "+mockapi.ServiceID)...)
		}
		if isLast := len(warnings) == 1; isLast != destroys {
			t.Errorf("destroys: %t: %q", destroys, warnings)
		}
		walk(blocks)
		for i, c := range blocks {
			if err := c.Apply(entryKind, plans[i]); err != nil {
				t.Error(err)
			}
		}
		if requests := len(env.Requests()); requests != n+2 {
			t.Errorf("destroys: %t: %d requests were sent", destroys, requests)
		}
	}
}

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
		"hidden":       {func(env *acctest.Env, _ *acctest.Core) { env.SetVariants(mockapi.Variants{"refuse_empty_patch=405"}) }, "", remove},
		"entry gone":   {func(env *acctest.Env, _ *acctest.Core) { setEntries(env) }, "", ""},
		"service gone": {func(env *acctest.Env, _ *acctest.Core) { env.Forget(mockapi.Service, mockapi.ServiceID) }, "", ""},
		"overdue":      {func(env *acctest.Env, _ *acctest.Core) { env.SetVariants(mockapi.Variants{"stale_services=1h"}) }, "has not shown it after 3s", remove},
		"elsewhere": {func(env *acctest.Env, c *acctest.Core) {
			c.Connect = func() tfprotov6.ProviderServer {
				return env.Connect(t, map[string]any{"organization_id": acctest.OtherOrganization})
			}
		}, "Another organization or API", ""},
		"another's key": {func(env *acctest.Env, _ *acctest.Core) {
			env.Fail(mockapi.Fault{Status: 404, Body: `{"error":"Organization not found"}`})
		}, "that the provider's key belongs to that organization", ""},
		"refused": {func(env *acctest.Env, _ *acctest.Core) {
			env.Fail(mockapi.Fault{Operation: "updateService", Skip: 1, Status: 403})
		}, "Unable to remove access list entry of service …1111: forbidden (403)", remove},
		"no such operation": {func(env *acctest.Env, _ *acctest.Core) {
			env.Fail(mockapi.Fault{Operation: "updateService", Skip: 1, Status: 405})
		}, "objects of its kind: then remove the block, and run terraform state rm.", remove},
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

// The plan that destroys an entry or a private endpoint says so. A replacement does not: its plan shows it. Nor does the
// destroy of what is gone.
func TestDestroyedEntriesAreNamed(t *testing.T) {
	t.Parallel()
	const howToKeep = ": to keep it, use a removed block with destroy = false or, for one key of a for_each, terraform state rm."
	for kind, test := range map[string]struct {
		config, other acctest.Configs
		says          string
	}{
		entryKind:    {onEntry("203.0.113.9", "mine"), onEntry("203.0.113.10", "mine"), "Destroy removes the access list entry from the service: access list entry 203.0.113.9 of service "},
		endpointKind: {onEndpoint("vpce-8c9d0e1f"), onEndpoint("vpce-1"), "Destroy removes the private endpoint from the service: private endpoint vpce-8c9d0e1f of service "},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		c.Must(test.config)
		c.MustPlan(acctest.Configs{kind: nil})
		if want := test.says + mockapi.ServiceID + howToKeep; len(c.Warnings) != 1 || c.Warnings[0] != want {
			t.Errorf("the warnings are %q, not %q", c.Warnings, want)
		}
		if c.MustPlan(test.other); len(c.Warnings) > 0 {
			t.Errorf("a replacement: %q", c.Warnings)
		}
		c.ExpectNoChanges(test.config)

		env.Change(mockapi.Service, mockapi.ServiceID, without("ipAccessList", "privateEndpointIds"))
		c.Walk() // without a refresh; the apply removes it all the same
		if planWithoutRefresh(t, c, acctest.Configs{kind: nil}); len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], test.says) {
			t.Errorf("the destroy of what is left out: %q", c.Warnings)
		}

		emptyLists(env)
		c.Walk() // without a refresh, the state still has it
		if planWithoutRefresh(t, c, acctest.Configs{kind: nil}); len(c.Warnings) > 0 {
			t.Errorf("the destroy of what is gone: %q", c.Warnings)
		}
	}
}
