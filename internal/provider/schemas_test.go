package provider

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

var updateSchema = flag.Bool("update-schema", false, "write the schema to testdata/schema.json")

// testdata/schema.json shows a review what changes in the schema: the version of each
// block, and the type and use of each attribute.
func TestSchemaSnapshot(t *testing.T) {
	t.Parallel()
	const file = "testdata/schema.json"
	schemas := underTest.Schemas(t)
	identities, err := NewServer("test")().GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	current := map[string]string{}
	addBlock(current, "provider.dbplatform", schemas.Provider)
	for name, s := range schemas.ResourceSchemas {
		addBlock(current, "resource."+name, s)
	}
	for name, s := range schemas.DataSourceSchemas {
		addBlock(current, "data."+name, s)
	}
	for name, s := range schemas.ListResourceSchemas {
		addBlock(current, "list."+name, s)
	}
	for name, identity := range identities.IdentitySchemas {
		current["identity."+name] = fmt.Sprintf("version %d", identity.Version)
		for _, a := range identity.IdentityAttributes {
			current["identity."+name+"."+a.Name] = describe(a.Type.String(), map[string]bool{"required": a.RequiredForImport, "optional": a.OptionalForImport})
		}
	}

	if *updateSchema {
		text, _ := json.MarshalIndent(current, "", "  ")
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded := map[string]string{}
	if text, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(recorded, current); diff != "" {
		t.Errorf("the schema changes (-recorded +current). -update-schema records it:\n%s", diff)
	}
}

func addBlock(to map[string]string, path string, s *tfprotov6.Schema) {
	to[path] = fmt.Sprintf("version %d", s.Version)
	addAttributes(to, path, s.Block.Attributes)
}

func addAttributes(to map[string]string, path string, attributes []*tfprotov6.SchemaAttribute) {
	for _, a := range attributes {
		name := path + "." + a.Name
		var typ string
		if a.NestedType == nil {
			typ = a.Type.String()
		} else {
			typ = "nested " + strings.ToLower(a.NestedType.Nesting.String())
			addAttributes(to, name, a.NestedType.Attributes)
		}
		to[name] = describe(typ, map[string]bool{
			"required": a.Required, "optional": a.Optional, "computed": a.Computed, "sensitive": a.Sensitive, "write-only": a.WriteOnly,
		})
	}
}

func describe(typ string, uses map[string]bool) string {
	words := []string{strings.ReplaceAll(typ, "tftypes.", "")}
	for _, use := range []string{"required", "optional", "computed", "sensitive", "write-only"} {
		if uses[use] {
			words = append(words, use)
		}
	}
	return strings.Join(words, " ")
}
