package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// The plan of a replacement says what happens to the old object and what it
// overwrites of the new one.
func TestReplacement(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	c.Must(acctest.Configs{"api_key": {"key_id": mockapi.OtherAPIKeyID}})
	_, err := c.PlanAll(onKey(map[string]any{"name": "Mine", "ip_access_list": map[string]any{}}))
	acctest.Contains(t, fmt.Sprint(err), "Adoption would remove entries: API key …1111", `: 198.51.100.0/24, 2001:db8::1. `)
	plans := c.MustPlan(onKey(map[string]any{"name": "Mine", "roles": []any{"admin"}}))
	acctest.Contains(t, fmt.Sprint(c.Warnings), `Adoption of API key …1111: name (was "Deployment"), roles (was admin, developer)`,
		"API key …2222 may stay usable", mockapi.OtherAPIKeyID)
	if err := c.ApplyAll(plans); err != nil || !plans["api_key"].Replaces {
		t.Errorf("%+v: %v", plans, err)
	}
	env.ExpectWrites(t, "updateKey", `{"name":"Mine","roles":["admin"]}`)
}

// Values that are known only when they are applied may be anywhere. Those of an
// adoption whose ids are known are among what it overwrites.
func TestUnknownValuesInTerraform(t *testing.T) {
	t.Parallel()
	for name, knowsIDs := range map[string]bool{"with ids": true, "without ids": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values, _ := json.Marshal(firstConfigs())
			var config strings.Builder
			fmt.Fprintf(&config, "resource \"terraform_data\" \"v\" {\n  input = %s\n}\n", values)
			for kind, set := range firstConfigs() {
				fmt.Fprintf(&config, "resource \"dbplatform_%s\" \"this\" {\n", kind)
				for name, value := range set {
					if strings.HasSuffix(name, "_id") && knowsIDs {
						fmt.Fprintf(&config, "  %s = %q\n", name, value)
					} else {
						fmt.Fprintf(&config, "  %s = terraform_data.v.output.%s.%s\n", name, kind, name)
					}
				}
				config.WriteString("}\n")
			}
			tf := newEnv(t).CLI(t, config.String())
			tf.Must("validate")
			if out := tf.Must("plan"); knowsIDs {
				acctest.Contains(t, out, "Warning: Adoption of pipe scaling …1111: replica_memory_gb (was 1.5), replicas (was 2)", "ip_access_list (was 10.0.0.0/8, 192.0.2.7)")
			}
			tf.Apply()
			tf.ExpectNoChanges()
			if knowsIDs { // an update
				tf.Configure(strings.Replace(config.String(), "input = {", `input = { "more": 1, `, 1))
				acctest.Contains(t, tf.Apply(), "5 to change", "1 changed") // the input alone
				tf.ExpectNoChanges()
			}
		})
	}
}

// An attribute that the API is not documented to return, and that leaves the
// configuration, is planned as null. Nothing is sent, and the plan says so.
func TestReleasedAttributes(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	with := firstConfigs()
	without := firstConfigs()
	delete(without["service"], "release_channel")
	delete(without["service"], "endpoints_enabled")
	delete(without["api_key"], "state")
	c.Must(with)
	env.ResetRequests()
	plans := c.MustPlan(without)
	slices.Sort(c.Warnings)
	if want := []string{
		"No longer managed: endpoints_enabled: Nothing is sent, and service " + mockapi.ServiceID + " keeps its endpoints_enabled.",
		"No longer managed: release_channel: Nothing is sent, and service " + mockapi.ServiceID + " keeps its release_channel.",
		"No longer managed: state: Nothing is sent, and API key " + mockapi.APIKeyID + " keeps its state.",
	}; !slices.Equal(c.Warnings, want) {
		t.Errorf("%q", c.Warnings)
	}
	env.ExpectOnlyReads(t)
	env.ResetRequests()
	if err := c.ApplyAll(plans); err != nil {
		t.Error(err)
	}
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("the apply sent %d requests", len(sent))
	}
	c.ExpectNoChanges(without)
}

// A plan of an update changes what is configured anew, and what follows from that. All else is known.
func TestOnlyWhatFollowsIsUnknown(t *testing.T) {
	t.Parallel()
	service := func(name string, enabled map[string]any) map[string]any {
		return onService(map[string]any{"name": name, "endpoints_enabled": enabled})["service"]
	}
	on := map[string]any{"https": true, "mysql": true}
	c := newEnv(t).Core(t, nil)
	c.Must(acctest.Configs{"service": service("One", on)})
	c.ExpectNoChanges(acctest.Configs{"service": service("One", on)})
	for name, test := range map[string]struct {
		config  map[string]any
		changes []string
	}{
		"a name":                    {service("Two", on), []string{"name"}},
		"an endpoint":               {service("One", map[string]any{"https": true, "mysql": false}), []string{"endpoints", "endpoints_enabled"}},
		"one more":                  {service("One", map[string]any{"https": true, "mysql": true, "native": true}), []string{"endpoints", "endpoints_enabled"}},
		"one is no longer managed":  {service("One", map[string]any{"mysql": true}), []string{"endpoints_enabled"}},
		"none is, and another name": {service("Two", nil), []string{"endpoints_enabled", "name"}},
	} {
		if got := c.Changes("service", test.config); !slices.Equal(got, test.changes) {
			t.Errorf("%s: the plan changes %v, not %v", name, got, test.changes)
		}
	}
}

// Terraform plans a replacement with the old object's list for what ignore_changes ignores,
// and then with the configured list, which the new object gets.
func TestReplacementWithIgnoredListInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.Change(mockapi.Key, mockapi.OtherAPIKeyID, func(key mockapi.Object) {
		key["ipAccessList"] = []any{mockapi.Object{"source": "10.9.9.9", "description": ""}}
	})
	config := func(id, list string) string {
		return keyConfig(id, "ip_access_list = {"+list+"}\n  lifecycle {\n    ignore_changes = [ip_access_list]\n  }")
	}
	tf := env.CLI(t, config(mockapi.OtherAPIKeyID, `"10.9.9.9" = ""`))
	tf.Apply()
	tf.Configure(config(mockapi.APIKeyID, `"198.51.100.0/24" = ""`))
	out, _ := tf.Run("plan")
	acctest.Contains(t, out, "Error: Adoption would remove entries: API key …1111", `lacks: 2001:db8::1.`)
	tf.Configure(config(mockapi.APIKeyID, `"198.51.100.0/24" = "mine", "2001:db8::1" = ""`))
	tf.Apply()
	env.ExpectWrites(t, "updateKey", `{"ipAccessList":[{"source":"198.51.100.0/24","description":"mine"},{"source":"2001:db8::1","description":""}]}`)
}

// A list that the plan knows only in part keeps the notation of the configuration:
// replaced by the prior one, it would differ from the plan once it is known. Another
// notation sends nothing.
func TestListsKnownInPart(t *testing.T) {
	t.Parallel()
	env := newEmptyEnv(t)
	c := env.Core(t, nil)
	// config has a list whose descriptions "later" are unknown in the plan.
	config := func(list map[string]any, later any) tftypes.Value {
		config := c.Config("api_key", onKey(map[string]any{"ip_access_list": list})["api_key"])
		known, err := tftypes.Transform(config, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if acctest.Plain(v) == "later" {
				v = tftypes.NewValue(tftypes.String, later)
			}
			return v, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	c.Must(onKey(map[string]any{"ip_access_list": map[string]any{"10.0.0.1/32": "", "10.0.0.2": "office"}}))
	for _, step := range []struct {
		list map[string]any
		sent string
	}{
		{map[string]any{"10.0.0.1": nil, "10.0.0.2/32": "later"}, ""},
		{map[string]any{"10.0.0.1/32": "home", "10.0.0.2": "later"}, `{"ipAccessList":[{"source":"10.0.0.2","description":"office"},{"source":"10.0.0.1/32","description":"home"}]}`},
		{map[string]any{"10.0.0.1": "home", "10.0.0.2/32": "later"}, ""},
	} {
		env.ResetRequests()
		c.Walk()
		p, err := c.Plan("api_key", config(step.list, tftypes.UnknownValue))
		if err != nil {
			t.Fatal(err)
		}
		p.Config = config(step.list, "office")
		p.ApplyConfig = p.Config
		if err := c.ApplyAll(map[string]acctest.Plan{"api_key": p}); err != nil {
			t.Error(err)
		}
		configured := acctest.Plain(p.Config).(map[string]any)["ip_access_list"]
		if diff := cmp.Diff(configured, acctest.Plain(c.Attribute("api_key", "ip_access_list"))); diff != "" {
			t.Errorf("(-configured +state):\n%s", diff)
		}
		env.ExpectWrites(t, "updateKey", oneOrNone(step.sent)...)
	}
}

// A plan finds out that an object does not exist before anything is applied.
func TestPlanFailsEarly(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		config map[string]any
		check  string
	}{
		"pipe_scaling":  {onPipe(notThere, nil), "Check organization_id, service_id, pipe_id,"},
		"pipe_settings": {onPipe(notThere, nil), "Check organization_id, service_id, pipe_id,"},
		"service":       {map[string]any{"service_id": notThere}, "Check organization_id, service_id,"},
		"api_key":       {map[string]any{"key_id": notThere}, "Check organization_id, key_id,"},
	} {
		env := newEnv(t)
		_, err := env.Core(t, nil).PlanAll(acctest.Configs{kind: test.config})
		if agent := env.Requests()[0].Header.Get("User-Agent"); agent != "terraform-provider-dbplatform/test Terraform/1.15.0" {
			t.Errorf("the User-Agent is %q", agent)
		}
		acctest.Contains(t, fmt.Sprint(err), "Unable to adopt", notThere, "404", test.check+" and that the provider's key belongs to that organization. If the object ",
			"was deleted, remove its block. If this stops terraform destroy, run it with -refresh=false.")
	}
}

// Terraform 1.17 with -minimal-refresh plans a block that changes, reads it and plans it again,
// in one process. The second plan warns of what any plan warns of.
func TestSecondPlanInOneProcess(t *testing.T) {
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
			planWithoutRefresh(t, c, test.after)
			if err := c.Refresh(kind); err != nil {
				t.Error(err)
			}
			c.Warnings = nil
			if again := planWithoutRefresh(t, c, test.after); again.Planned.Equal(c.Instance(kind).State) {
				t.Errorf("%s: nothing changes to %v", name, config)
			}
		}
		if diff := cmp.Diff(want, c.Warnings); diff != "" {
			t.Errorf("%s: the warnings (-of one plan +of the second):\n%s", name, diff)
		}
	}
}

// A destroy begins with a plan of everything: there, an object that vanished is a warning
// and does not keep the others from being removed. An adoption of it still fails.
func TestDestroyWithAVanishedObject(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c, config := env.Core(t, nil), acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 5})}
	c.Must(config)
	env.Forget(mockapi.Pipe, mockapi.KafkaPipeID)
	c.MustPlan(config)
	acctest.Contains(t, fmt.Sprint(c.Warnings), "Not found: pipe scaling …1111", mockapi.KafkaPipeID, "404")
	_, err := c.PlanAll(config)
	acctest.Contains(t, fmt.Sprint(err), "Unable to adopt pipe scaling", "404",
		"If the object was deleted, remove its block. If this stops terraform destroy, run it with -refresh=false.")
}
