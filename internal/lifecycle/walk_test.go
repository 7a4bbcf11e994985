package lifecycle

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Terraform plans many blocks at a time. Of two that keep and remove one entry, one fails.
func TestKeptAndRemovedAtOnce(t *testing.T) {
	t.Parallel()
	bulb := EntryDefinition{Definition: lamp}
	bulb.Owner = &lamp.Kind
	bulb.Canonical = map[string]func(string) string{"bulb_id": strings.ToLower}
	bulb.IDs = []string{"lamp_id", "bulb_id"}
	bulb.Schema = schema.Schema{Attributes: map[string]schema.Attribute{"lamp_id": schema.StringAttribute{}, "bulb_id": schema.StringAttribute{}}}
	r := NewEntryResource(bulb)().(*entryResource)
	for i := range 5000 {
		named := func(id string) Attributes {
			return Attributes{"lamp_id": types.StringValue("lamp"), "bulb_id": types.StringValue(id + strconv.Itoa(i))}
		}
		var both sync.WaitGroup
		var found [2]diag.Diagnostics
		calls := []func(){
			func() { found[0] = r.keep(named("a")) },
			func() { found[1] = r.planRemoval(t.Context(), named("A")) },
		}
		both.Go(calls[i%2])
		both.Go(calls[1-i%2])
		both.Wait()
		if !found[0].HasError() && !found[1].HasError() {
			t.Fatalf("entry %d is kept and removed", i)
		}
	}
}
