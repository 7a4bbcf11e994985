package adopt

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
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
		"two new blocks":             {{"creates", "a", ""}, {"creates", "a", "Managed twice: lamp …a"}},
		"a new one after another":    {{"keeps", "a", ""}, {"creates", "a", "Managed twice"}},
		"a new one before another":   {{"creates", "a", ""}, {"keeps", "a", "Managed twice"}},
		"two that agree":             {{"keeps", "a", ""}, {"keeps", "a", ""}},
		"two that exist":             {{"keeps", "a", ""}, {"updates", "a", "Managed twice"}},
		"two objects":                {{"creates", "a", ""}, {"creates", "b", ""}, {"destroys", "c", ""}},
		"destroyed, then created":    {{"destroys", "a", ""}, {"creates", "A", "Plan would switch off lamp …A that another block manages"}},
		"created, then destroyed":    {{"creates", "A", ""}, {"destroys", "a", "destroys one block of lamp a and creates another."}},
		"destroyed, then kept":       {{"destroys", "a", ""}, {"keeps", "a", "destroys one block of lamp a and keeps another."}},
		"kept, then destroyed":       {{"keeps", "a", ""}, {"destroys", "a", "Plan would switch off"}},
		"both blocks destroyed":      {{"destroys", "a", ""}, {"destroys", "a", ""}},
		"an error before a warning":  {{"creates", "a", ""}, {"destroys", "a", "Plan"}, {"creates", "a", "Plan"}},
		"another walk knows nothing": {{"creates", "a", ""}},
	} {
		r := NewResource(lamp{})().(*Resource)
		for i, s := range steps {
			ids := Attributes{"lamp_id": types.StringValue(s.id)}
			var diags diag.Diagnostics
			if s.does == "destroys" {
				diags = r.seeDestroyed(ids)
			} else {
				diags = r.seeManaged(ids, planOf(s.does))
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

// Terraform plans many blocks at a time. Without -race, this notices little.
func TestWalkIsLocked(t *testing.T) {
	t.Parallel()
	r := NewResource(lamp{})().(*Resource)
	var blocks sync.WaitGroup
	for i := range 100 {
		blocks.Go(func() { r.seeManaged(Attributes{"lamp_id": types.StringValue(strconv.Itoa(i % 2))}, keeps) })
	}
	blocks.Wait()
	if n := r.see(Attributes{"lamp_id": types.StringValue("1")}, func(*seen) {}).blocks; n != 50 {
		t.Errorf("%d blocks were seen", n)
	}
}
