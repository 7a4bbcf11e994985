package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An adoption whose list lacks an entry that the API shows fails in the plan, at the attribute,
// after reads alone. The error names the entries and the ways out, both of which work.
func TestAdoptionRemovesNothing(t *testing.T) {
	t.Parallel()
	many := []any{}
	for i := range 13 {
		many = append(many, mockapi.Object{"source": fmt.Sprintf("10.0.0.%02d", i), "description": ""})
	}
	for name, test := range map[string]struct {
		kind, attribute string
		value, all      any
		says, sent      string
	}{
		"a list of a service": {
			"service", "ip_access_list",
			map[string]any{"192.0.2.7/32": "office"},
			map[string]any{"192.0.2.7": "home", "10.0.0.0/8": ""},
			`entries that the configuration lacks: 10.0.0.0/8 ("private network"). `, `{"ipAccessList":{"remove":[{"source":"10.0.0.0/8","description":"private network"}]}}`,
		},
		"endpoints of a service": {
			"service", "private_endpoint_ids",
			[]any{"vpce-8c9d0e1f"},
			[]any{"vpce-8c9d0e1f", "vpce-4e5f6a7b", "vpce-0a1b2c3d"},
			"lacks: vpce-0a1b2c3d, vpce-4e5f6a7b. ", `{"privateEndpointIds":{"add":["vpce-8c9d0e1f"],"remove":["vpce-0a1b2c3d","vpce-4e5f6a7b"]}}`,
		},
		"a list of a key": {"api_key", "ip_access_list", map[string]any{}, map[string]any{"198.51.100.0/24": "mine", "2001:DB8::1": ""}, `lacks: 198.51.100.0/24 ("runners"), 2001:db8::1 ("bastion"). `, `{"ipAccessList":[]}`},
		"a long list":     {"api_key", "ip_access_list", map[string]any{"10.0.0.12": ""}, nil, "lacks: 10.0.0.00, 10.0.0.01, 10.0.0.02, 10.0.0.03, 10.0.0.04, 10.0.0.05, 10.0.0.06, 10.0.0.07, 10.0.0.08, 10.0.0.09 and 2 more. ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			if test.all == nil {
				env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["ipAccessList"] = many })
			}
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
			if test.all == nil {
				return
			}
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

// The apply checks again, before it sends anything: an entry may have appeared.
func TestAdoptionIsCheckedAgain(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		object mockapi.Kind
		id     string
		list   map[string]any
	}{
		"service": {mockapi.Service, mockapi.ServiceID, map[string]any{"10.0.0.0/8": "", "192.0.2.7": ""}},
		"api_key": {mockapi.Key, mockapi.APIKeyID, map[string]any{"198.51.100.0/24": "", "2001:db8::1": ""}},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		on := map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey}[kind]
		p := c.MustPlan(on(map[string]any{"name": "Mine", "ip_access_list": test.list}))[kind]
		env.Change(test.object, test.id, func(object mockapi.Object) {
			object["ipAccessList"] = append(object["ipAccessList"].([]any), mockapi.Object{"source": "203.0.113.77", "description": "theirs"})
		})
		env.ResetRequests()
		for name, apply := range map[string]func(string, acctest.Plan) error{"planned again": c.Apply, "not planned again": c.ApplyPlanned} {
			c.Walk()
			err := apply(kind, p)
			acctest.Contains(t, fmt.Sprint(err), "Adoption would remove entries: ", `lacks: 203.0.113.77 ("theirs"). `, `AttributeName("ip_access_list")`)
			env.ExpectOnlyReads(t)
			if !c.Instance(kind).State.IsNull() {
				t.Errorf("%s, %s: it left a state", kind, name)
			}
		}
	}
}

// sharedService is a configuration of a service with its own entries and another one.
func sharedService(entry string) string {
	return fmt.Sprintf("resource \"dbplatform_service\" \"s\" {\n  service_id = %q\n  ip_access_list = {\n    \"10.0.0.0/8\" = \"private network\"\n    \"192.0.2.7\" = \"office\"\n    %s\n  }\n}\n", mockapi.ServiceID, entry)
}

// In Terraform, the error has the import to copy. A saved plan of it shows what goes.
func TestAdoptionInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	config := strings.Replace(sharedService(""), `"10.0.0.0/8" = "private network"`, `"198.51.100.64/26" = "runners"`, 1)
	const other = "resource \"terraform_data\" \"other\" {}\n" // or a destroy would have nothing to do
	tf := env.CLI(t, other)
	tf.Apply()
	tf.Configure(other + config)
	const lost = `has entries that the configuration lacks: 10.0.0.0/8 ("private network").`
	for _, command := range [][]string{{"plan"}, {"destroy", "-auto-approve"}} {
		out, code := tf.Run(command...)
		acctest.Contains(t, out, "Error: Adoption would remove entries: service …1111", "ip_access_list = {", lost, "terraform destroy, add -refresh=false")
		if code != 1 {
			t.Errorf("%v ended with %d", command, code)
		}
	}
	tf.Must("destroy", "-auto-approve", "-refresh=false")
	env.ExpectOnlyReads(t)

	out, _ := tf.Run("plan")
	block := regexp.MustCompile(`import \{[^}]*\}`).FindString(strings.ReplaceAll(out, "│", ""))
	tf.Configure(config + strings.Replace(block, "<address of this resource>", "dbplatform_service.s", 1))
	tf.Must("plan", "-out=tfplan")
	acctest.Contains(t, tf.Must("show", "tfplan"), `- "10.0.0.0/8" = "private network"`, `+ "198.51.100.64/26" = "runners"`)
	tf.Must("apply", "tfplan")
	tf.ExpectNoChanges()

	// An id that is known only after apply.
	env = newEnv(t)
	tf = env.CLI(t, fmt.Sprintf("resource \"terraform_data\" \"id\" {\n  input = %q\n}\n", mockapi.ServiceID)+strings.Replace(config, strconv.Quote(mockapi.ServiceID), "terraform_data.id.output", 1))
	acctest.Contains(t, tf.Must("plan"), "Warning: Adoption not checked: service", "The id is known only after apply")
	out, code := tf.Run("apply", "-auto-approve")
	acctest.Contains(t, out, "Error: Adoption would remove entries: service …1111", lost)
	if code != 1 {
		t.Errorf("the apply ended with %d", code)
	}
	env.ExpectOnlyReads(t)
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
			case "service", "api_key":
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

// The plan of a replacement says what happens to the old object and what it
// overwrites of the new one.
func TestReplacement(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	c.Must(acctest.Configs{"api_key": {"key_id": mockapi.OtherAPIKeyID}})
	_, err := c.PlanAll(onKey(map[string]any{"name": "Mine", "ip_access_list": map[string]any{}}))
	acctest.Contains(t, fmt.Sprint(err), "Adoption would remove entries: API key …1111", `: 198.51.100.0/24 ("runners"), 2001:db8::1 ("bastion"). `)
	plans := c.MustPlan(onKey(map[string]any{"name": "Mine", "roles": []any{"admin"}}))
	acctest.Contains(t, fmt.Sprint(c.Warnings), `Adoption of API key …1111: name (was "Deployment"), roles (removes developer)`,
		"API key …2222 may stay usable", mockapi.OtherAPIKeyID)
	if err := c.ApplyAll(plans); err != nil || !plans["api_key"].Replaces {
		t.Errorf("%+v: %v", plans, err)
	}
	env.ExpectWrites(t, "updateKey", `{"name":"Mine","roles":["admin"]}`)
}

// The plan warns of an attribute that the pipe's source does not use.
func TestUnusedAttributes(t *testing.T) {
	t.Parallel()
	pipes := map[string]string{"kafka": mockapi.KafkaPipeID, "objectStorage": mockapi.ObjectStoragePipeID, "kinesis": mockapi.KinesisPipeID, "postgres": mockapi.PostgresPipeID}
	for _, kind := range []string{"pipe_scaling", "pipe_settings"} {
		set := map[string]any{}
		for name, schema := range requested(kind) {
			set[name] = samples(schema)[0]
		}
		for source, pipe := range pipes {
			c := newEnv(t).Core(t, nil)
			config := acctest.Configs{kind: onPipe(pipe, set)}
			c.MustPlan(config)
			found := warned(c, "Attribute does not apply to the source of the pipe")
			if unused := unusedBy(source, kind); !slices.EqualFunc(found, unused, func(warning, name string) bool {
				return strings.Contains(warning, "Pipe "+pipe+" reads from ") && strings.Contains(warning, "; "+name+" applies only to ")
			}) {
				t.Errorf("by x-sources in openapi.yaml, %s does not use %s; by scalingSources or SettingSources, the plan warns %q", source, unused, found)
			}
			c.Must(config)
			c.ExpectNoChanges(config)
			if len(c.Warnings) > 0 { // no news
				t.Errorf("%s: %q", pipe, c.Warnings)
			}
		}
	}
}

// An expiry that turns out to be empty in the apply is an error with advice, and
// nothing is sent.
func TestUnknownExpiryIsEmpty(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "resource \"terraform_data\" \"expiry\" {\n  input = \"\"\n}\n"+keyConfig(mockapi.OtherAPIKeyID, "expire_at = terraform_data.expiry.output"))
	out, code := tf.Run("apply", "-auto-approve")
	if code != 1 {
		t.Errorf("the apply ended with %d", code)
	}
	acctest.Contains(t, out, `Warning: Adoption of API key …2222: expire_at (was "never")`, "Attribute expire_at must be", `or "never" for no expiry.`)
	env.ExpectOnlyReads(t)
}

// Values that are known only when they are applied may be anywhere. Those of an
// adoption whose ids are known are among what it overwrites.
func TestUnknownValues(t *testing.T) {
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
				acctest.Contains(t, out, "Warning: Adoption of pipe scaling …1111: replica_memory_gb (was 1.5), replicas (was 2)", "ip_access_list (was 10.0.0.0/8, 192.0.2.7, and the apply fails if one is missing)")
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
