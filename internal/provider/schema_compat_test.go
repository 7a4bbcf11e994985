package provider

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
)

// Configurations and states outlive a version of the provider, so its schema is
// a promise, which testdata/schema.json records. The flag adds new lines to it.
// A line that changes or goes away can break users, so it is edited by hand:
// for the next major version and with an entry in the changelog.
var updateSchema = flag.Bool("update-schema", false, "write additions to the schema to testdata/schema.json")

// A schemaRecord has the type and the use of every attribute by its path:
// "resource.dbplatform_service.name": "String optional computed". A value of an
// enum has a line of its own: "resource.dbplatform_api_key.state=enabled".
type schemaRecord map[string]string

func TestSchemaCompatibility(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "schema.json")
	promised := schemaRecord{}
	if text, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &promised); err != nil {
		t.Fatal(err)
	}
	current := recordSchema(t)
	if len(current) < 100 {
		t.Fatalf("only %d attributes found", len(current))
	}

	for name, was := range promised {
		if is := current[name]; is != was {
			t.Errorf("%s changes from %q to %q.\nKeep or deprecate the attribute, or decide to break it: edit its line in %s by hand, "+
				"raise the resource's schema version and upgrade its state if a type changes, and note it in CHANGELOG.md for a major version.",
				name, was, is, file)
		}
	}
	var added []string
	for name, is := range current {
		_, existed := promised[name[:max(0, strings.LastIndex(name, "."))]]
		switch {
		case promised[name] != "":
		case existed && strings.Contains(is, " required"):
			t.Errorf("%s is new and required, which breaks existing configurations", name)
		default:
			added = append(added, name)
		}
	}
	switch {
	case added == nil || t.Failed():
	case !*updateSchema:
		t.Errorf("new: %s\nRecord it: go test ./internal/provider -run TestSchemaCompatibility -update-schema", added)
	default:
		text, err := json.MarshalIndent(current, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// recordSchema reads the schema as Terraform does.
func recordSchema(t *testing.T) schemaRecord {
	t.Helper()
	schemas := underTest.Schemas(t)
	identities, err := NewServer("test")().GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}

	record := schemaRecord{}
	record.block("provider.dbplatform", schemas.Provider)
	for name, s := range schemas.ResourceSchemas {
		record.block("resource."+name, s)
	}
	for name, s := range schemas.DataSourceSchemas {
		record.block("data."+name, s)
	}
	nonsense := types.StringValue("nonsense")
	for _, s := range settings {
		record.values("provider.dbplatform."+s.name, s.check, nonsense)
	}
	for _, definition := range []adopt.Definition{service{}, pipeScaling{}, pipeSettings{}, apiKey{}} {
		for name, attribute := range definition.Schema().Attributes {
			path := "resource.dbplatform_" + definition.Metadata().TypeName + "." + name
			switch a := attribute.(type) {
			case schema.StringAttribute:
				for _, v := range a.Validators {
					record.values(path, v, nonsense)
				}
			case schema.SetAttribute:
				for _, v := range a.Validators {
					record.values(path, v, types.SetValueMust(types.StringType, []attr.Value{nonsense}))
				}
			}
		}
	}
	for name, identity := range identities.IdentitySchemas {
		block := "identity." + name
		record[block] = fmt.Sprintf("version %d", identity.Version)
		for _, a := range identity.IdentityAttributes {
			record[block+"."+a.Name] = describeAttribute(a.Type.String(), map[string]bool{
				"required": a.RequiredForImport, "optional": a.OptionalForImport,
			})
		}
	}
	return record
}

// values records the values of an enum, which the refusal of any other lists.
func (r schemaRecord) values(path string, check any, other attr.Value) {
	checker, ok := check.(adopt.Checker)
	if !ok {
		return
	}
	if text, list, ok := strings.Cut(fmt.Sprint(checker.Check(other)), " of "); ok && strings.HasPrefix(text, "must be one") {
		for value := range strings.SplitSeq(list, ", ") {
			r[path+"="+value] = "accepted"
		}
	}
}

func (r schemaRecord) block(path string, s *tfprotov6.Schema) {
	r[path] = fmt.Sprintf("version %d", s.Version)
	r.attributes(path, s.Block.Attributes)
}

func (r schemaRecord) attributes(path string, attributes []*tfprotov6.SchemaAttribute) {
	for _, a := range attributes {
		name := path + "." + a.Name
		var typ string
		if a.NestedType != nil {
			typ = nestings[a.NestedType.Nesting]
			r.attributes(name, a.NestedType.Attributes)
		} else {
			typ = a.Type.String()
		}
		r[name] = describeAttribute(typ, map[string]bool{
			"required": a.Required, "optional": a.Optional, "computed": a.Computed,
			"sensitive": a.Sensitive, "write-only": a.WriteOnly,
		})
	}
}

var nestings = map[tfprotov6.SchemaObjectNestingMode]string{
	tfprotov6.SchemaObjectNestingModeSingle: "Object",
	tfprotov6.SchemaObjectNestingModeList:   "List[Object]",
	tfprotov6.SchemaObjectNestingModeMap:    "Map[Object]",
	tfprotov6.SchemaObjectNestingModeSet:    "Set[Object]",
}

func describeAttribute(typ string, uses map[string]bool) string {
	words := []string{strings.NewReplacer("tftypes.", "", " ", "").Replace(typ)}
	for _, use := range []string{"required", "optional", "computed", "sensitive", "write-only"} {
		if uses[use] {
			words = append(words, use)
		}
	}
	return strings.Join(words, " ")
}
