package adopt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// lamp is a kind that a destroy switches off.
type lamp struct{ Definition }

func (lamp) Metadata() Metadata {
	return Metadata{TypeName: "lamp", Noun: "lamp", IDs: []string{"lamp_id"}}
}
func (lamp) Schema() schema.Schema { return schema.Schema{} }

func (lamp) OnDestroy(*api.Client, Attributes) (Attributes, diag.Diagnostics) {
	return Attributes{"state": types.StringValue("off")}, nil
}

func (lamp) DestroyTexts() DestroyTexts {
	return DestroyTexts{Verb: "switch off", Conflict: "Say which."}
}

// What the blocks of one walk do with an object is seen in any order, and only
// for that object.
func TestWalk(t *testing.T) {
	t.Parallel()
	type step struct {
		does, id string
		want     string // in the summary
	}
	for name, steps := range map[string][]step{
		"two new blocks":             {{"create", "a", ""}, {"create", "a", "Managed twice: lamp …a"}},
		"a new one after another":    {{"keep", "a", ""}, {"create", "a", "Managed twice"}},
		"a new one before another":   {{"create", "a", ""}, {"keep", "a", "Managed twice"}},
		"two that agree":             {{"keep", "a", ""}, {"keep", "a", ""}},
		"two that exist":             {{"keep", "a", ""}, {"update", "a", "Managed twice"}},
		"two objects":                {{"create", "a", ""}, {"create", "b", ""}, {"destroy", "c", ""}},
		"destroyed, then created":    {{"destroy", "a", ""}, {"create", "A", "Plan would switch off lamp …A that another block manages"}},
		"created, then destroyed":    {{"create", "A", ""}, {"destroy", "a", "destroys one block of lamp a and creates another."}},
		"destroyed, then kept":       {{"destroy", "a", ""}, {"keep", "a", "destroys one block of lamp a and keeps another."}},
		"kept, then destroyed":       {{"keep", "a", ""}, {"destroy", "a", "Plan would switch off"}},
		"both blocks destroyed":      {{"destroy", "a", ""}, {"destroy", "a", ""}},
		"an error before a warning":  {{"create", "a", ""}, {"destroy", "a", "Plan"}, {"create", "a", "Plan"}},
		"another walk knows nothing": {{"create", "a", ""}},
	} {
		r := NewResource(lamp{})().(*Resource)
		for i, s := range steps {
			ids := Attributes{"lamp_id": types.StringValue(s.id)}
			var diags diag.Diagnostics
			switch s.does {
			case "create":
				diags = r.seeManaged(ids, creates)
			case "update":
				diags = r.seeManaged(ids, updates)
			case "keep":
				diags = r.seeManaged(ids, keeps)
			case "destroy":
				diags = r.seeDestroyed(ids)
			}
			if got := fmt.Sprint(diags); s.want == "" && len(diags) > 0 || !strings.Contains(got, s.want) {
				t.Errorf("%s, step %d: %s", name, i+1, got)
			}
			if at, ok := diags.Errors(), diags.HasError(); ok && !at[0].(diag.DiagnosticWithPath).Path().Equal(path.Root("lamp_id")) {
				t.Errorf("%s, step %d: the error is not at the id", name, i+1)
			}
		}
	}
}
