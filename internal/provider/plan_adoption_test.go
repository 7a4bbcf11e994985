package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// An adoption whose list lacks an entry that the API shows fails in the plan, at the attribute,
// after reads alone. The error names the entries and the ways out, both of which work.
func TestAdoptionRemovesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind, attribute string
		value, all      any
		says, sent      string
	}{
		"a list of a service": {
			"service", "ip_access_list",
			map[string]any{"192.0.2.7/32": "office"},
			map[string]any{"192.0.2.7": "home", "10.0.0.0/8": ""},
			`entries that the configuration lacks: 10.0.0.0/8. `, `{"ipAccessList":{"remove":[{"source":"10.0.0.0/8","description":"private network"}]}}`,
		},
		"endpoints of a service": {
			"service", "private_endpoint_ids",
			[]any{"vpce-8c9d0e1f"},
			[]any{"vpce-8c9d0e1f", "vpce-4e5f6a7b", "vpce-0a1b2c3d"},
			"lacks: vpce-0a1b2c3d, vpce-4e5f6a7b. ", `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"],"remove":["vpce-0a1b2c3d","vpce-4e5f6a7b"]}}`,
		},
		"a list of a key": {"api_key", "ip_access_list", map[string]any{}, map[string]any{"198.51.100.0/24": "mine", "2001:DB8::1": ""}, `lacks: 198.51.100.0/24, 2001:db8::1. `, `{"ipAccessList":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			on, id := onService, mockapi.ServiceID
			if test.kind == "api_key" {
				on, id = onKey, mockapi.APIKeyID
			}
			c := env.Core(t, nil)
			config := on(map[string]any{test.attribute: test.value})
			_, err := c.PlanAll(config)
			acctest.Contains(t, fmt.Sprint(err), "Adoption would remove entries: ", " …1111: "+test.attribute+" of ", test.says,
				"add them to "+test.attribute, "import {", `id = "`+id+`"`, "-refresh=false", `AttributeName("`+test.attribute+`")`)
			if len(c.Warnings) > 0 {
				t.Errorf("warnings beside the error: %q", c.Warnings)
			}
			env.ExpectOnlyReads(t)
			all := on(map[string]any{test.attribute: test.all})
			c.Must(all)
			c.ExpectNoChanges(all)

			env = newEnv(t)
			c = env.Core(t, nil)
			if err := c.Import(test.kind, id); err != nil {
				t.Fatal(err)
			}
			c.Must(config)
			operation := map[string]string{"service": "updateService", "api_key": "updateKey"}[test.kind]
			if sent := env.Writes(operation); len(sent) != 1 || sent[0] != test.sent {
				t.Errorf("after the import, sent %q", sent)
			}
		})
	}
}

// In Terraform, the error has the import to copy. TestSharedServiceInTheGuide has its plan.
func TestAdoptionInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	config := serviceConfig(mockapi.ServiceID, `ip_access_list = { "198.51.100.64/26" = "runners", "192.0.2.7" = "office" }`)
	const other = "resource \"terraform_data\" \"other\" {}\n" // or a destroy would have nothing to do
	tf := env.CLI(t, other)
	tf.Apply()
	tf.Configure(other + config)
	const lost = `has entries that the configuration lacks: 10.0.0.0/8.`
	for _, command := range [][]string{{"plan"}, {"destroy", "-auto-approve"}} {
		out, code := tf.Run(command...)
		acctest.Contains(t, out, "Error: Adoption would remove entries: service …1111", "ip_access_list = {", lost, "apply without -replace first", "terraform destroy, add -refresh=false")
		if code != 1 {
			t.Errorf("%v ended with %d", command, code)
		}
	}
	tf.Must("destroy", "-auto-approve", "-refresh=false")
	env.ExpectOnlyReads(t)

	out, _ := tf.Run("plan")
	block := regexp.MustCompile(`import \{[^}]*\}`).FindString(strings.ReplaceAll(out, "│", ""))
	tf.Configure(config + strings.Replace(block, "<address of this resource>", "dbplatform_service.this", 1))
	acctest.Contains(t, tf.Apply(), "1 imported, 0 added, 1 changed")
	tf.ExpectNoChanges()
}

// A plan that cannot look at an object says so, except about an entry, which overwrites
// nothing. The apply looks.
func TestAdoptionNotChecked(t *testing.T) {
	t.Parallel()
	const lists = " If a configured list lacks an entry that the API shows, the apply fails."
	c := newEnv(t).Core(t, nil)
	for kind, config := range firstConfigs() {
		noun := map[string]string{"service": "service", "api_key": "API key", "pipe_scaling": "pipe scaling", "pipe_settings": "pipe settings"}[kind]
		unknown, err := tftypes.Transform(c.Config(kind, config), func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if strings.HasSuffix(at.String(), `_id")`) && v.Type().Is(tftypes.String) {
				return tftypes.NewValue(tftypes.String, tftypes.UnknownValue), nil
			}
			return v, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for why, plan := range map[string]func() error{
			"The id": func() error { _, err := c.Plan(kind, unknown); return err },
			"The provider's configuration": func() error {
				c.Server = newServer(&dbplatform{version: "test"}) // never configured
				_, err := c.Plan(kind, c.Config(kind, config))
				return err
			},
		} {
			c.Walk()
			if err := plan(); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			want := []string{"Adoption not checked: " + noun + ": " + why + " is known only after apply, so the plan does not show what the apply overwrites."}
			switch kind {
			default:
				want[0] += lists
			case entryKind, "service_private_endpoint":
				want = nil
			}
			if found := warned(c, "Adoption"); !slices.Equal(found, want) {
				t.Errorf("%s: %q", kind, found)
			}
		}
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
		`ip_access_list (was 10.0.0.0/8, 192.0.2.7), name (was "Orders")`, "Range is wider than its address: service …1111", "Not an IP address: service …1111",
		`expire_at (was "2999-01-01T00:00:00Z"), roles (was admin, developer)`)
	acctest.Lacks(t, text, "Adoption of pipe scaling", "47)", "true", "hunter4711", "2004")
}

// Adopting a list that is empty, or that nothing shows, says so: the first entry may shut everybody out. The list of a
// service only grows, and what the plan could not show is a warning of the apply. That of a key is sent whole.
func TestAdoptingLists(t *testing.T) {
	t.Parallel()
	const (
		firstOf         = "Access list is empty: "
		first, unknown  = ": The apply adds the first entry. An empty list may have", "ip_access_list (current value unknown): "
		service, key    = "Adoption of service …1111: ", "Adoption of API key …1111: "
		sentAll         = "current values unknown: The apply sends everything that is configured."
		added, whole    = `{"ipAccessList":{"add":[{"source":"203.0.113.9","description":"mine"}]}}`, `{"ipAccessList":[{"source":"203.0.113.9","description":"mine"}]}`
		others, removed = "Unplanned entries: service …1111: The API also shows 10.0.0.0/8, 192.0.2.7 in ip_access_list.", "Other entries may be removed: API key …1111: The API does not return ip_access_list"
	)
	empty := func(env *acctest.Env, _ *silence) { emptyLists(env) }
	edits := func(edit func(mockapi.Object)) func(*acctest.Env, *silence) {
		return func(_ *acctest.Env, api *silence) { api.reads = edit }
	}
	hidden := func(env *acctest.Env, _ *silence) { env.SetVariants(mockapi.Variants{"refuse_empty_patch=405"}) }
	for name, test := range map[string]struct {
		kind  string
		is    func(*acctest.Env, *silence)
		plan  []string // the beginnings of all warnings, sorted
		apply string   // of the only warning
		sent  string
		keeps bool // what the API has
	}{
		"a service's, empty":       {"service", empty, []string{firstOf + "service …1111" + first, service + "ip_access_list (was empty): "}, "", added, false},
		"a service's, left out":    {"service", edits(without("ipAccessList")), []string{firstOf + "service …1111" + first, service + "ip_access_list (was empty): "}, others, added, true},
		"a service's, not shown":   {"service", edits(showsNothing), []string{service + unknown}, others, added, true},
		"a service's, mistyped":    {"service", edits(with("ipAccessList", "all")), []string{service + unknown}, others, added, true},
		"that of a hidden service": {"service", hidden, []string{service + sentAll + "\n"}, others, added, true},
		"a key's, empty":           {"api_key", empty, []string{firstOf + "API key …1111" + first, key + "ip_access_list (was empty): "}, "", whole, false},
		"a key's, not shown":       {"api_key", edits(showsNothing), []string{key + unknown, removed}, "", whole, false},
		"a key's, mistyped":        {"api_key", edits(with("ipAccessList", "all")), []string{key + unknown, removed}, "", whole, false},
		"that of a hidden key":     {"api_key", hidden, []string{key + sentAll + " Other entries of a configured list are removed.\n"}, "", whole, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				on, operation, object, id := onService, "updateService", mockapi.Service, mockapi.ServiceID
				if test.kind == "api_key" {
					on, operation, object, id = onKey, "updateKey", mockapi.Key, mockapi.APIKeyID
				}
				test.is(env, api)
				before := listOf(env.Object(object, id))
				c, config := env.Core(t, nil), on(map[string]any{"ip_access_list": map[string]any{"203.0.113.9": "mine"}})
				plans := c.MustPlan(config)
				slices.Sort(c.Warnings)
				if !slices.EqualFunc(c.Warnings, test.plan, strings.HasPrefix) {
					t.Errorf("the plan warns %q", c.Warnings)
				}
				c.Walk()
				if err := c.ApplyPlanned(test.kind, plans[test.kind]); err != nil {
					t.Fatal(err)
				}
				if !slices.EqualFunc(c.Warnings, oneOrNone(test.apply), strings.HasPrefix) {
					t.Errorf("the apply warns %q", c.Warnings)
				}
				env.ExpectWrites(t, operation, test.sent)
				want := []string{"203.0.113.9/32 mine"}
				if test.keeps {
					want = append(before, want...)
				}
				if diff := cmp.Diff(want, listOf(env.Object(object, id))); diff != "" {
					t.Errorf("the list (-want +got):\n%s", diff)
				}
				if !test.keeps { // else the next plan that shows the others removes them
					api.reads = nil
					c.ExpectNoChanges(config)
				}
			})
		})
	}
}
