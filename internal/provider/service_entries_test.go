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
		"open":     {config: onEntry("::/0", nil), warns: "Open to everyone: access list entry of service …1111: This range contains", sent: `{"ipAccessList":{"add":[{"source":"::/0"}]}}`},
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

// Two blocks of one object, or two owners of one list, are one warning, which Terraform
// folds.
func TestManagedTwice(t *testing.T) {
	t.Parallel()
	whole := onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": ""}})
	both := onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "", "203.0.113.9": ""}})
	const clash = "ip_access_list of service …1111: One block sets the whole list ip_access_list of service " + mockapi.ServiceID + " (unless its ignore_changes names it)"
	for name, test := range map[string]struct {
		blocks []acctest.Configs
		says   string // the only warning; none for ""
	}{
		"two entries":                {[]acctest.Configs{onEntry("203.0.113.9", nil), onEntry("203.0.113.8", nil)}, ""},
		"imported, no changes":       {[]acctest.Configs{both, onEntry("203.0.113.9", ""), onEntry("203.0.113.9", nil)}, ""},
		"imported, the list changes": {[]acctest.Configs{whole, onEntry("203.0.113.9", "")}, clash},
		"imported, an entry changes": {[]acctest.Configs{onEntry("203.0.113.9", "new"), both}, clash},
		"imported, an entry goes":    {[]acctest.Configs{noEntry, both}, clash},
		"imported, and one goes":     {[]acctest.Configs{both, noEntry}, clash},
		"the same one twice":         {[]acctest.Configs{onEntry("203.0.113.9", nil), onEntry("203.0.113.9/32", nil), onEntry("203.0.113.9", "")}, "ip_access_list of service …1111: Two blocks manage the same entry in "},
		"entries and their list":     {[]acctest.Configs{onEntry("203.0.113.9", nil), whole, onEntry("203.0.113.8", nil)}, clash},
		"a list and its entries":     {[]acctest.Configs{whole, onEntry("203.0.113.9", nil), onEntry("203.0.113.9", nil)}, clash},
		"entries and another list":   {[]acctest.Configs{onEntry("203.0.113.9", nil), onService(map[string]any{"private_endpoint_ids": []any{}})}, ""},
		"endpoints and their list":   {[]acctest.Configs{onEndpoint("vpce-1"), onService(map[string]any{"private_endpoint_ids": []any{}})}, "private_endpoint_ids of service …1111: One block sets"},
		"a service twice":            {[]acctest.Configs{onService(map[string]any{"name": "Orders"}), onService(map[string]any{"name": "Orders"})}, "service …1111: Another block"},
		"entries of another service": {[]acctest.Configs{{entryKind: {"service_id": mockapi.OtherServiceID, "source": "203.0.113.9"}}, whole}, ""},
	} {
		var warnings []string
		env := newEnv(t)
		blocks := siblings(t, env, len(test.blocks))
		if strings.HasPrefix(name, "imported") {
			setEntries(env, "10.0.0.0/8 ", "203.0.113.9 ")
			for i, c := range blocks {
				for kind := range test.blocks[i] {
					if err := c.Import(kind, map[string]string{"service": mockapi.ServiceID, entryKind: mockapi.ServiceID + "/203.0.113.9"}[kind]); err != nil {
						t.Error(err)
					}
				}
			}
		}
		for i, c := range blocks {
			mustPlan(t, c, test.blocks[i])
			warnings = append(warnings, warned(c, "Managed twice: ")...)
		}
		if isSilent := len(warnings) == 0; len(slices.Compact(warnings)) > 1 || isSilent != (test.says == "") || !isSilent && !strings.HasPrefix(warnings[0], "Managed twice: "+test.says) {
			t.Errorf("%s: %q", name, warnings)
		}
	}
}
