package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

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
			found := slices.DeleteFunc(slices.Clone(c.Warnings), func(w string) bool { return !strings.Contains(w, " does not apply: pipe s") })
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
