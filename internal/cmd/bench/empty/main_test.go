package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The attributes are those of the real provider, as its tests record them.
func TestSchemas(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../provider/testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]string
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	for name, schema := range schemas {
		got, want := map[string]string{}, map[string]string{}
		for attribute, a := range schema.Attributes {
			description := strings.TrimPrefix(a.GetType().TerraformType(t.Context()).String(), "tftypes.")
			if a.IsRequired() {
				description += " required"
			}
			if a.IsOptional() {
				description += " optional"
			}
			if a.IsComputed() {
				description += " computed"
			}
			got[attribute] = description
		}
		for path, description := range recorded {
			if attribute, ok := strings.CutPrefix(path, "resource.dbplatform_"+name+"."); ok {
				want[attribute] = description
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from the real one (-want +got):\n%s", name, diff)
		}
	}
}
