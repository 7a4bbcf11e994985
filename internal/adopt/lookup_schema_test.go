package adopt

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestLookupSchema(t *testing.T) {
	t.Parallel()
	resource := schema.Schema{Attributes: map[string]schema.Attribute{
		"thing_id": schema.StringAttribute{Required: true, MarkdownDescription: "UUID of the thing. Changing this forces replacement."},
		"size":     schema.Int64Attribute{Optional: true, Computed: true, MarkdownDescription: "Size of the thing. Valid range: 1 to 10."},
		"channel":  schema.StringAttribute{Optional: true, MarkdownDescription: "Channel of the thing. One of `a`, `b`."},
		"secret":   schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "Secret of the thing."},
		"switches": schema.MapAttribute{Optional: true, ElementType: types.BoolType, MarkdownDescription: "Switches."},
		"name":     schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Name, 1 to 50 letters."},
	}}
	got := lookupSchema(Metadata{IDs: []string{"thing_id"}}, resource, "Looks up a thing.", map[string]string{"name": "Name."})

	descriptions := map[string]string{}
	for name, attribute := range got.Attributes {
		descriptions[name] = attribute.GetMarkdownDescription()
		if isID := name == "thing_id"; attribute.IsRequired() != isID || attribute.IsComputed() == isID || attribute.IsOptional() {
			t.Errorf("%s: required %v, optional %v, computed %v", name, attribute.IsRequired(), attribute.IsOptional(), attribute.IsComputed())
		}
	}
	if diff := cmp.Diff(map[string]string{
		"thing_id": "UUID of the thing.",
		"size":     "Size of the thing.",
		"channel":  "Channel of the thing. Null if the API does not return it.",
		"secret":   "Secret of the thing.",
		"switches": "Switches. Null if the API does not return it.",
		"name":     "Name.",
	}, descriptions); diff != "" {
		t.Errorf("the attributes (-want +got):\n%s", diff)
	}
	if !got.Attributes["secret"].IsSensitive() || got.Attributes["name"].IsSensitive() {
		t.Errorf("sensitive attributes are not kept in %v", slices.Sorted(maps.Keys(got.Attributes)))
	}
	if diags := got.ValidateImplementation(t.Context()); diags.HasError() {
		t.Error(diags)
	}
}
