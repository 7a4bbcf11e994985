package lifecycle

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var lamp = Definition{
	Kind:   Kind{TypeName: "lamp", Noun: "lamp", IDs: []string{"lamp_id"}},
	Schema: schema.Schema{Attributes: map[string]schema.Attribute{"lamp_id": schema.StringAttribute{Required: true}}},
}

// A second block of one object is seen in any order, if the plan changes anything.
func TestWalk(t *testing.T) {
	t.Parallel()
	type block struct {
		id      string
		changes bool
		warns   bool
	}
	for name, blocks := range map[string][]block{
		"two new blocks":           {{"a", true, false}, {"A", true, true}},
		"a new one after another":  {{"a", false, false}, {"a", true, true}},
		"a new one before another": {{"a", true, false}, {"a", false, true}},
		"two that agree":           {{"a", false, false}, {"a", false, false}},
		"two objects":              {{"a", true, false}, {"b", true, false}},
		"another walk":             {{"a", true, false}},
	} {
		r := NewResource(lamp)().(*managedResource)
		for i, b := range blocks {
			diags := r.keep(Attributes{"lamp_id": types.StringValue(b.id)}, nil, b.changes)
			says := fmt.Sprint(diags)
			if b.warns != strings.Contains(says, "Managed twice: lamp …"+b.id) || b.warns != strings.Contains(says, "Another block, planned before this one, also manages lamp "+b.id) {
				t.Errorf("%s, block %d: %s", name, i+1, says)
			}
		}
	}
}

// Terraform plans many blocks at a time. Without -race, this notices little.
func TestWalkIsLocked(t *testing.T) {
	t.Parallel()
	r := NewResource(lamp)().(*managedResource)
	var walking sync.WaitGroup
	var warnings atomic.Int32
	for range 50 {
		walking.Go(func() {
			if len(r.keep(Attributes{"lamp_id": types.StringValue("1")}, nil, true)) > 0 {
				warnings.Add(1)
			}
		})
	}
	walking.Wait()
	if n := warnings.Load(); n != 49 {
		t.Errorf("%d blocks were warned of", n)
	}
}
