package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const (
	entryKind    = "service_ip_access_entry"
	endpointKind = "service_private_endpoint"
)

// onEntry is a configuration of an entry of the service's access list. A nil
// description is not set.
func onEntry(source string, description any) acctest.Configs {
	return acctest.Configs{entryKind: {"service_id": mockapi.ServiceID, "source": source, "description": description}}
}

func onEndpoint(id string) acctest.Configs {
	return acctest.Configs{endpointKind: {"service_id": mockapi.ServiceID, "private_endpoint_id": id}}
}

var noEntry = acctest.Configs{entryKind: nil}

// setEntries gives the service an access list, as "source description".
func setEntries(env *acctest.Env, entries ...string) {
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
		list := []any{}
		for _, entry := range entries {
			source, description, _ := strings.Cut(entry, " ")
			list = append(list, mockapi.Object{"source": source, "description": description})
		}
		service["ipAccessList"] = list
	})
}

// expectEntries checks the service's access list, in any order and notation.
func expectEntries(t *testing.T, env *acctest.Env, want ...string) {
	t.Helper()
	if diff := gocmp.Diff(slices.Sorted(slices.Values(want)), listOf(env.Object(mockapi.Service, mockapi.ServiceID))); diff != "" {
		t.Errorf("the access list (-want +got):\n%s", diff)
	}
}

// listsOf are the service's lists.
func listsOf(env *acctest.Env) string {
	service := env.Object(mockapi.Service, mockapi.ServiceID)
	return fmt.Sprint(listOf(service), " ", sorted(service["privateEndpointIds"]))
}

const (
	addMine   = `{"ipAccessList":{"add":[{"source":"203.0.113.9","description":"mine"}]}}`
	bothThere = "[10.0.0.0/8 private network 192.0.2.7/32 office] [vpce-0a1b2c3d vpce-4e5f6a7b]"
)

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
		"hidden":      {config: onEntry("203.0.113.9", "mine"), warns: "Entry may exist already: ", sent: addMine, variants: mockapi.Variants{RefuseEmptyPatch: 405}},
		"endpoint, hidden": {
			config: onEndpoint("vpce-8c9d0e1f"), sent: `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"]}}`, variants: mockapi.Variants{RefuseEmptyPatch: 405},
			warns: "Entry may exist already: If the list has it, the apply may change it, and a destroy removes it.", // it has no description
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
			if isHidden := test.variants.RefuseEmptyPatch > 0; len(c.Warnings) > 0 && !isHidden {
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
	entry, endpoint := onEntry("203.0.113.9", "mine"), onEndpoint("vpce-8c9d0e1f")
	for name, test := range map[string]struct {
		config acctest.Configs
		drift  func(*acctest.Env)
		plan   string
		warns  string // the beginning of the only warning
		sent   string
	}{
		"gone":                {entry, list("10.0.0.0/8 vpc"), adds, "", addMine},
		"described otherwise": {entry, list("203.0.113.9 theirs", "10.0.0.0/8 vpc"), updates, "", addMine},
		"listed twice": {
			entry, list("203.0.113.9 mine", "203.0.113.9/32 theirs"), updates, "",
			`{"ipAccessList":{"add":[{"source":"203.0.113.9","description":"mine"}],"remove":[{"source":"203.0.113.9/32","description":"theirs"}]}}`,
		},
		"null":                   {entry, inService(func(service mockapi.Object) { service["ipAccessList"] = nil }), adds, "Access list is empty: The apply adds the first entry", addMine},
		"endpoint, null":         {endpoint, inService(func(service mockapi.Object) { service["privateEndpointIds"] = nil }), adds, "", `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"]}}`},
		"not returned":           {entry, inService(func(service mockapi.Object) { delete(service, "ipAccessList") }), none, "", ""},
		"endpoint, not returned": {endpoint, inService(func(service mockapi.Object) { delete(service, "privateEndpointIds") }), none, "", ""},
		"hidden":                 {entry, func(env *acctest.Env) { env.SetVariants(mockapi.Variants{RefuseEmptyPatch: 422}) }, none, "Drift not checked: the API does not return the object: ", ""},
		"service gone":           {entry, func(env *acctest.Env) { env.Forget(mockapi.Service, mockapi.ServiceID) }, adds, "Not found: ", ""},
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
		env.ExpectWrites(t, "updateService", oneOrNone(test.sent)...)
		c.ExpectNoChanges(test.config)
	}
}

// The same address in another notation is no change, nor is a description that leaves the
// configuration.
func TestEntryStays(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	c.Must(onEntry("2001:db8::/32", "mine"))
	c.ExpectNoChanges(onEntry("2001:DB8:0::1/32", "mine"))
	c.ExpectNoChanges(onEntry("2001:db8::/32", nil))
}

// siblings are cores in one provider process, each with a block of its own.
func siblings(t *testing.T, env *acctest.Env, n int) []*acctest.Core {
	t.Helper()
	all := []*acctest.Core{env.Core(t, nil)}
	for len(all) < n {
		all = append(all, all[0].Sibling())
	}
	return all
}

// walk begins a walk of all.
func walk(all []*acctest.Core) {
	all[0].Walk()
	for _, c := range all {
		c.Server, c.Warnings = all[0].Server, nil
	}
}

func mustPlan(t *testing.T, c *acctest.Core, configs acctest.Configs) (p acctest.Plan) {
	t.Helper()
	for kind, config := range configs {
		var err error
		if p, err = c.Plan(kind, c.Config(kind, config)); err != nil {
			t.Fatal(err)
		}
	}
	return p
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
			plans = append(plans, mustPlan(t, c, config))
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

// Terraform 1.17 with -minimal-refresh plans a block that changes, reads it and plans it again,
// in one process. The second plan warns of what any plan warns of.
func TestPlannedAgain(t *testing.T) {
	t.Parallel()
	list := func(sources ...string) acctest.Configs {
		entries := map[string]any{}
		for _, source := range sources {
			entries[source] = ""
		}
		return onService(map[string]any{"ip_access_list": entries})
	}
	for name, test := range map[string]struct{ before, after acctest.Configs }{
		"a service":           {onService(map[string]any{"name": "Orders"}), onService(map[string]any{"name": "Renamed"})},
		"a list":              {list("203.0.113.8"), list("203.0.113.8", "203.0.113.9")},
		"a list that empties": {list("203.0.113.8"), list()},
		"a key":               {onKey(map[string]any{"state": "enabled"}), onKey(map[string]any{"state": "disabled"})},
		"an entry":            {onEntry("203.0.113.9", "old"), onEntry("203.0.113.9", "new")},
		"another entry":       {onEntry("203.0.113.9", "old"), onEntry("203.0.113.8", "new")},
		"an entry that goes":  {onEntry("203.0.113.9", "old"), noEntry},
		"an endpoint":         {onEndpoint("vpce-8c9d0e1f"), onEndpoint("vpce-1")},
		"scaling":             {acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 2})}, acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 4})}},
		"a name that is new":  {onService(nil), onService(map[string]any{"name": "Renamed"})},
	} {
		c := newEmptyEnv(t).Core(t, nil)
		c.Must(test.before)
		c.MustPlan(test.after)
		want := c.Warnings
		c.Walk()
		for kind, config := range test.after {
			mustPlan(t, c, test.after)
			if err := c.Refresh(kind); err != nil {
				t.Error(err)
			}
			c.Warnings = nil
			if again := mustPlan(t, c, test.after); again.Planned.Equal(c.Instance(kind).State) {
				t.Errorf("%s: nothing changes to %v", name, config)
			}
		}
		if diff := gocmp.Diff(want, c.Warnings); diff != "" {
			t.Errorf("%s: the warnings (-of one plan +of the second):\n%s", name, diff)
		}
	}
}
