package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	plans := c.MustPlan(onKey(map[string]any{"name": "Mine", "ip_access_list": map[string]any{}}))
	acctest.Contains(t, fmt.Sprint(c.Warnings), `Adoption of API key …1111: ip_access_list (removes 198.51.100.0/24, 2001:db8::1), name (was "Deployment")`,
		"Access list becomes empty: API key …1111", "API key …2222 may stay usable", mockapi.OtherAPIKeyID)
	if err := c.ApplyAll(plans); err != nil || !plans["api_key"].Replaces {
		t.Errorf("%+v: %v", plans, err)
	}
	env.ExpectWrites(t, "updateKey", `{"name":"Mine","ipAccessList":[]}`)
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
				acctest.Contains(t, out, "Warning: Adoption of pipe scaling …1111: replica_memory_gb (was 1.5), replicas (was 2)", "ip_access_list (was 2 entries, which may be removed)")
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
