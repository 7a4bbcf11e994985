package provider

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Warnings about values come with the plan that adds or changes the value, and
// with nothing else.
func TestPlanWarnings(t *testing.T) {
	t.Parallel()
	for kind, on := range map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			for object, id := range map[mockapi.Kind]string{mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID} {
				env.Change(object, id, func(o mockapi.Object) { o["ipAccessList"] = []any{mockapi.Object{"source": "10.1.0.0/16"}} })
			}
			c := env.Core(t, nil)
			end := ": " + map[string]string{"service": "service", "api_key": "API key"}[kind] + " …1111"
			expect := func(when string, config acctest.Configs, want ...string) {
				t.Helper()
				c.MustPlan(config)
				c.Warnings = slices.DeleteFunc(c.Warnings, func(text string) bool { return strings.HasPrefix(text, "Adoption of ") })
				slices.Sort(c.Warnings)
				if !slices.EqualFunc(c.Warnings, want, strings.HasPrefix) {
					t.Errorf("%s: %q", when, c.Warnings)
				}
			}
			harmless := map[string]any{"name": "One", "ip_access_list": map[string]any{"10.1.0.0/16": ""}}
			doubtful := map[string]any{"name": "One", "ip_access_list": map[string]any{"10.1.0.0/16": "", "0.0.0.0/0": "", "10.2.0.5/16": "", "lab.example": "", "office.example": ""}}
			again, more := maps.Clone(doubtful), maps.Clone(doubtful)
			again["ip_access_list"] = map[string]any{"10.1.0.0/16": "new", "0.0.0.0/0": "new", "10.2.0.0/16": "", "lab.example": "", "office.example": "new"}
			more["ip_access_list"] = map[string]any{"10.1.0.0/16": "", "0.0.0.0/0": "", "10.2.0.5/16": "", "lab.example": "", "office.example": "", "::/0": ""}
			warnings := []string{"Not an IP address" + end + ": lab.example, office.example: This is neither", "Open to everyone" + end + ": 0.0.0.0/0: ", "Range is wider than its address" + end + ": 10.2.0.5/16: This opens"}
			if kind == "api_key" {
				harmless["expire_at"] = "2035-01-01T00:00:00Z"
				doubtful["expire_at"], again["expire_at"], more["expire_at"] = "2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00", "2020-01-01T00:00:00Z"
				warnings = slices.Insert(warnings, 0, "Expiry in the past: ")
			}

			packed, err := tfprotov6.NewDynamicValue(c.Type(kind), c.Config(kind, on(doubtful)[kind]))
			if err != nil {
				t.Fatal(err)
			}
			validated, err := c.Server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "dbplatform_" + kind, Config: &packed})
			if err != nil || len(validated.Diagnostics) > 0 {
				t.Errorf("validation: %v %v", validated.Diagnostics, err)
			}
			expect("an adoption", on(doubtful), warnings...)
			c.Must(on(harmless))
			expect("a change", on(doubtful), warnings...)
			c.Must(on(doubtful))
			expect("the next plan", on(doubtful))
			expect("other descriptions and notations", on(again))
			expect("one entry more", on(more), "Open to everyone"+end+": ::/0: ")
			expect("a destroy", acctest.Configs{kind: nil}, map[string][]string{
				"service": {"Destroy leaves the object as it is: service " + mockapi.ServiceID}, "api_key": {"API key …1111 may stay usable"},
			}[kind]...)
			empty := on(map[string]any{"name": "One", "ip_access_list": map[string]any{}})
			expect("a list that becomes empty", empty, "Access list becomes empty"+end)
			c.ForgetAll()
			expect("an adoption of what is so already", on(doubtful))
			c.Must(on(doubtful))
			c.Must(empty)
			expect("an empty list that stays", empty)
		})
	}
}

// An adoption's warning shows what the API has, not what is configured. What is so already is
// not overwritten.
func TestAdoptionShowsOldValues(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	c.MustPlan(acctest.Configs{
		"pipe_scaling":  onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 2}),
		"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"object_storage_concurrency": 3, "db_max_threads": 47, "db_parallel_view_processing": true}),
		"service":       onService(map[string]any{"name": "hunter4711", "ip_access_list": map[string]any{"10.0.0.0/8": "hunter4711", "192.0.2.7": "office", "10.47.11.5/16": "hunter4711", "hunter.4711": ""}})["service"],
		"api_key":       onKey(map[string]any{"expire_at": "2004-07-11T04:07:11Z", "roles": []any{"query_endpoints"}})["api_key"],
	})
	text := strings.Join(c.Warnings, "\n")
	acctest.Contains(t, text,
		"Adoption of pipe settings …1111: db_max_threads (was 8), db_parallel_view_processing (was false)",
		`ip_access_list (adds 10.47.11.5/16, hunter.4711, 10.0.0.0/8 was "private network"), name (was "Orders")`, "Range is wider than its address: service …1111", "Not an IP address: service …1111",
		"Expiry in the past", `expire_at (was "2031-01-01T00:00:00Z"), roles (adds query_endpoints, removes admin, developer)`)
	acctest.Lacks(t, text, "Adoption of pipe scaling", "47)", "true", "hunter4711", "2004")
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
	if err := c.ApplyAll(plans); err != nil {
		t.Error(err)
	}
	env.ExpectOnlyReads(t)
	c.ExpectNoChanges(without)
}

// A protocol that leaves the configuration is named. Nothing else in the plan changes.
func TestReleasedProtocol(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	c.Must(onService(map[string]any{"endpoints_enabled": map[string]any{"https": true, "mysql": true}}))
	planned := c.MustPlan(onService(map[string]any{"endpoints_enabled": map[string]any{"mysql": true}}))["service"].Planned
	if want := []string{"No longer managed: endpoints_enabled (https): service " + mockapi.ServiceID + " keeps what it has for https."}; !slices.Equal(c.Warnings, want) {
		t.Errorf("%q", c.Warnings)
	}
	if !planned.IsFullyKnown() {
		t.Error("the plan has unknown values")
	}
}

// Adopting a list that was empty, or that nothing shows, says so: the first entry
// may shut everybody out, and other entries may be removed, or show later.
func TestAdoptingLists(t *testing.T) {
	t.Parallel()
	list := map[string]any{"ip_access_list": map[string]any{"192.0.2.7": "office"}}
	leavesOut := func(w http.ResponseWriter, c acctest.Call) bool {
		if c.Body == "{}" {
			recorded := c.Record()
			acctest.Respond(w, recorded, []byte(strings.Replace(recorded.Body.String(), `"ipAccessList"`, `"other"`, 1)))
		}
		return c.Body == "{}"
	}
	for want, env := range map[string]*acctest.Env{
		"Adoption of service …1111: ip_access_list (was empty, adds 192.0.2.7)":                                                                                newEnv(t),
		"Adoption of service …1111: ip_access_list (current value unknown, other entries may be removed)":                                                      underTest.NewEnv(t, leavesOut),
		"Adoption of service …1111: current values unknown: The apply sends everything that is configured. Other entries of a configured list may be removed.": newEnv(t, mockapi.WithVariants(mockapi.Variants{RefuseEmptyPatch: 405})),
	} {
		if strings.Contains(want, "was empty") {
			env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) { service["ipAccessList"] = []any{} })
		}
		c := env.Core(t, nil)
		plans := c.MustPlan(onService(list))
		acctest.Contains(t, fmt.Sprint(c.Warnings), want)
		if isFirst := len(warned(c, "Access list is empty: "+firstEntry.detail)) == 1; isFirst != strings.Contains(want, "was empty") {
			t.Errorf("%s: %q", want, c.Warnings)
		}
		if err := c.ApplyAll(plans); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		others := len(warned(c, "Unplanned entries: service …1111: The API also shows 10.0.0.0/8 in ip_access_list."))
		if got := fmt.Sprint(listOf(env.Object(mockapi.Service, mockapi.ServiceID))); got != [...]string{"[192.0.2.7/32 office]", "[10.0.0.0/8 private network 192.0.2.7/32 office]"}[others] {
			t.Errorf("%s: the list is %s, with %q", want, got, c.Warnings)
		}
	}
}

// A new resource that sets nothing says so, in each plan until it is in the state.
func TestNothingToManage(t *testing.T) {
	t.Parallel()
	for kind, name := range map[string]string{"service": "service …1111", "api_key": "API key …1111", "pipe_scaling": "pipe scaling …1111", "pipe_settings": "pipe settings …1111"} {
		for summary, config := range map[string]map[string]any{"Nothing to manage: " + name + ": The configuration sets no attribute of ": {}, "": firstConfigs()[kind]} {
			c := newEnv(t).Core(t, nil)
			for _, id := range []string{"service_id", "pipe_id", "key_id"} {
				if value := firstConfigs()[kind][id]; value != nil {
					config[id] = value
				}
			}
			c.MustPlan(acctest.Configs{kind: config})
			if found := warned(c, "Nothing to manage: "); len(found) != min(len(summary), 1) || !strings.HasPrefix(strings.Join(found, ""), summary) {
				t.Errorf("%s: %q", kind, c.Warnings)
			}
			c.Must(acctest.Configs{kind: config})
			c.MustPlan(acctest.Configs{kind: config})
			if len(c.Warnings) > 0 {
				t.Errorf("the next plan of %s: %q", kind, c.Warnings)
			}
		}
	}
}

// An address that opens more than it seems to is warned of in a list and as an entry.
func TestWideAddresses(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"0.0.0.0": everybody.summary, "::": everybody.summary, "::/128": everybody.summary, "0.0.0.0/0": everybody.summary,
		"172.16.0.5/12": wider.summary, "0.0.0.1": "", "::1": "",
	} {
		for object, config := range map[string]acctest.Configs{
			"access list entry of service": onEntry(source, ""), "service": onService(map[string]any{"ip_access_list": map[string]any{source: ""}}),
		} {
			c := newEmptyEnv(t).Core(t, nil)
			c.MustPlan(config)
			text := fmt.Sprint(c.Warnings)
			if isWide := strings.Contains(text, object+" …1111: "+source+": "); isWide != (want != "") || !strings.Contains(text, want) {
				t.Errorf("%s of %s: %s", source, object, text)
			}
		}
	}
	c := newEnv(t).Core(t, nil)
	c.Must(onEntry("172.16.0.5/12", "a"))
	c.MustPlan(onEntry("172.16.0.5/12", "b"))
	if len(c.Warnings) > 0 {
		t.Errorf("a change: %q", c.Warnings)
	}
}

// The key is recognized by either of its ids, and by no chance.
func TestKeyInUse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		credential, id, suffix string
		want                   bool
	}{
		{mockapi.APIKeyID, mockapi.APIKeyID, "", true},
		{"ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF", "abcdefab-cdef-4abc-8def-abcdefabcdef", "", true},
		{"Wm93aPgx7Kq", mockapi.APIKeyID, "x7Kq", true},
		{"x7Kq", mockapi.APIKeyID, "x7Kq", true},
		{"Wm93aPgx7kq", mockapi.APIKeyID, "x7Kq", false}, // case matters
		{"Wm93aPgx7Kq", mockapi.APIKeyID, "7Kq", false},
		{"Wm93aPgx7Kq", mockapi.APIKeyID, "p2Zd", false},
		{"", "", "", false},
	} {
		key := lifecycle.Attributes{"key_id": types.StringValue(test.id), "key_suffix": types.StringValue(test.suffix)}
		if got := whyInUse(key, test.credential) != ""; got != test.want {
			t.Errorf("credential %q, id %q, suffix %q: %v", test.credential, test.id, test.suffix, got)
		}
	}
}

// A change of what the key may do is warned of, if the key is Terraform's.
func TestLockout(t *testing.T) {
	t.Parallel()
	list := func(address string) attr.Value {
		return accessList{types.MapValueMust(types.StringType, map[string]attr.Value{address: types.StringValue("")})}
	}
	text := func(s string) attr.Value { return types.StringValue(s) }
	for name, test := range map[string]struct {
		attribute      string
		prior, planned attr.Value
		want           bool
	}{
		"disabled":        {"state", text("enabled"), text("disabled"), true},
		"enabled":         {"state", types.StringNull(), text("enabled"), false},
		"expires":         {"expire_at", timestamp{types.StringValue(never)}, timestamp{types.StringValue("2030-01-31T12:00:00Z")}, true},
		"expires later":   {"expire_at", timestamp{types.StringValue("2030-01-31T12:00:00Z")}, timestamp{types.StringValue("2030-01-31T12:00:01Z")}, false},
		"expires earlier": {"expire_at", timestamp{types.StringValue("2030-01-31T12:00:00Z")}, timestamp{types.StringValue("2030-01-31T11:59:59Z")}, true},
		"never expires":   {"expire_at", timestamp{types.StringValue("2030-01-31T12:00:00Z")}, timestamp{types.StringValue(never)}, false},
		"one role more":   {"roles", types.SetValueMust(types.StringType, []attr.Value{text("admin")}), types.SetValueMust(types.StringType, []attr.Value{text("admin"), text("developer")}), false},
		"first entry":     {"ip_access_list", accessList{types.MapValueMust(types.StringType, nil)}, list("192.0.2.1"), true},
		"other roles":     {"roles", types.SetNull(types.StringType), types.SetValueMust(types.StringType, []attr.Value{text("developer")}), true},
		"other entries":   {"ip_access_list", list("192.0.2.1"), list("192.0.2.2"), true},
		"other notation":  {"ip_access_list", list("192.0.2.1"), list("192.0.2.1/32"), false},
		"other attribute": {"name", text("a"), text("b"), false},
	} {
		key := func(value attr.Value) lifecycle.Attributes {
			none := types.StringNull()
			key := lifecycle.Attributes{"key_id": text(mockapi.APIKeyID), "key_suffix": none, "state": none, "expire_at": none, "roles": none, "ip_access_list": none}
			key[test.attribute] = value
			return key
		}
		prior, planned := key(test.prior), key(test.planned)
		for keyID, used := range map[string]bool{mockapi.APIKeyID: true, mockapi.OtherAPIKeyID: false} {
			client := api.New(api.Config{Transport: transport.Config{BaseURL: &url.URL{}, KeyID: keyID}})
			diags := warnOfLockout(client, lifecycle.Change{Config: planned, Prior: prior, Planned: planned})
			if want := used && test.want; (len(diags) == 1) != want {
				t.Errorf("%s, used %v: %v", name, used, diags)
			}
			for _, d := range diags {
				acctest.Contains(t, d.Detail(), "its id is the provider's key_id")
			}
		}
	}
}

const lockoutSummary = "Terraform uses this API key: …4444"

// The warning comes with the plan, once for all that would lock the key out.
func TestLockoutWarning(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	expect := func(when string, config acctest.Configs, want ...string) {
		t.Helper()
		c.MustPlan(config)
		found := warned(c, lockoutSummary)
		if len(found) != min(len(want), 1) {
			t.Errorf("%s: %q", when, found)
		}
		acctest.Contains(t, fmt.Sprint(found), want...)
	}
	onOwnKey := func(set map[string]any) acctest.Configs {
		set["key_id"] = mockapi.OwnAPIKeyID
		return acctest.Configs{"api_key": set}
	}
	harmful := onOwnKey(map[string]any{
		"state": "disabled", "expire_at": "2020-01-01T00:00:00Z", "roles": []any{"developer"},
		"ip_access_list": map[string]any{"198.51.100.0/24": "runners"},
	})
	harmless := onOwnKey(map[string]any{"name": "Renamed"})

	expect("an adoption", harmful,
		"and this plan changes its state, expire_at, roles, ip_access_list. If that shuts it out",
		"the provider's key_id ends in its key_suffix")
	expect("a harmless adoption", harmless)
	c.Must(harmless)
	expect("no change", harmless)
	expect("an update", harmful, "this plan changes its state, ")
	expect("a destroy", acctest.Configs{"api_key": nil})
	c.Must(harmful)
	_, err := c.PlanAll(harmful)
	acctest.Contains(t, fmt.Sprint(err), "unauthorized (401)", "the key is disabled")
}
