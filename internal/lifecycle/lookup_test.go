package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// An attribute of a look-up says nothing about what can be set.
func TestLookupSchema(t *testing.T) {
	t.Parallel()
	resource := schema.Schema{Attributes: map[string]schema.Attribute{
		"thing_id": schema.StringAttribute{Required: true, Description: "UUID of the thing.", MarkdownDescription: "UUID of the thing. Changing this forces replacement."},
		"size":     schema.Int64Attribute{Optional: true, Computed: true, Description: "Size of the thing.", MarkdownDescription: "Size of the thing. Valid range: 1 to 10."},
		"channel":  schema.StringAttribute{Optional: true, Description: "Channel of the thing.", MarkdownDescription: "Channel of the thing. One of `a`, `b`."},
		"switches": schema.MapAttribute{Optional: true, ElementType: types.BoolType, MarkdownDescription: "Switches."},
	}}
	got := lookupSchema(resource)

	descriptions := map[string]string{}
	for name, attribute := range got.Attributes {
		descriptions[name] = attribute.GetMarkdownDescription()
	}
	if diff := cmp.Diff(map[string]string{
		"thing_id": "UUID of the thing.",
		"size":     "Size of the thing.",
		"channel":  "Channel of the thing. Null if the API does not return it.",
		"switches": "Switches. Null if the API does not return it.",
	}, descriptions); diff != "" {
		t.Errorf("the attributes (-want +got):\n%s", diff)
	}
}
