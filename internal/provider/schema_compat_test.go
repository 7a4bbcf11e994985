package provider

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Configurations and states outlive a version of the provider, so its schema is
// a promise, which testdata/schema.json keeps in writing. An addition is written
// there by the flag; a line that breaks the promise is changed by hand, because
// it is a decision: for the next major version, and the changelog.
var updateSchema = flag.Bool("update-schema", false, "write additions to the schema to testdata/schema.json")

// A schemaRecord says of every attribute, by its path, its type and how it is
// used: "resource.dbplatform_service.name": "String optional computed".
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

	breaks, additions := compareSchemas(promised, current)
	switch {
	case len(breaks) > 0:
		t.Errorf("This breaks configurations or states that exist:\n  %s\n\n"+
			"Keep the attribute, deprecate it, or decide to break it: change its line in %s by hand, "+
			"raise the resource's schema version and upgrade its state where a type changes, and note it in CHANGELOG.md for a major version.",
			strings.Join(breaks, "\n  "), file)
	case len(additions) > 0 && *updateSchema:
		text, err := json.MarshalIndent(current, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	case len(additions) > 0:
		t.Errorf("This is new or changed, and breaks nothing:\n  %s\n\nRecord it: go test ./internal/provider -run TestSchemaCompatibility -update-schema",
			strings.Join(additions, "\n  "))
	}
}

func TestCompareSchemas(t *testing.T) {
	t.Parallel()
	const name = "resource.dbplatform_thing.attribute"
	for _, test := range []struct {
		what, before, after string
		breaks              bool
	}{
		{"an attribute disappears", "String optional", "", true},
		{"its type changes", "Set[String] optional", "Map[String] optional", true},
		{"it has to be set", "String optional", "String required", true},
		{"it cannot be set any more", "String optional computed", "String computed", true},
		{"it is not answered any more", "String optional computed", "String optional", true},
		{"it is hidden", "String computed", "String computed sensitive", true},
		{"it is shown", "String computed sensitive", "String computed", true},
		{"its states are of another version", "version 0", "version 1", false},
		{"it need not be set any more", "String required", "String optional computed", false},
		{"it can be set", "String computed", "String optional computed", false},
		{"a new one has to be set", "", "String required", true},
		{"a new one can be set", "", "String optional", false},
		{"nothing changes", "String optional", "String optional", false},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			before := schemaRecord{"resource.dbplatform_thing": "version 0"}
			after := maps.Clone(before)
			if test.before != "" {
				before[name] = test.before
			}
			if test.after != "" {
				after[name] = test.after
			}
			breaks, additions := compareSchemas(before, after)
			if got := len(breaks) > 0; got != test.breaks {
				t.Errorf("breaks: %q", breaks)
			}
			if test.before != test.after && len(breaks)+len(additions) != 1 {
				t.Errorf("the change is reported as %q and %q", breaks, additions)
			}
		})
	}

	// All of a new resource is an addition, what it requires as well.
	if breaks, _ := compareSchemas(schemaRecord{}, schemaRecord{"resource.dbplatform_thing": "version 0", name: "String required"}); breaks != nil {
		t.Errorf("a new resource breaks %q", breaks)
	}
}

// compareSchemas tells what changed between two records, each as one line.
func compareSchemas(before, after schemaRecord) (breaks, additions []string) {
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, existed := before[name]
		is, exists := after[name]
		block := strings.Join(strings.Split(name, ".")[:min(2, strings.Count(name, "."))], ".")
		_, known := before[block]
		switch {
		case existed && exists && was == is:
		case !exists:
			breaks = append(breaks, fmt.Sprintf("- %s: %s", name, was))
		case !existed && (!known || !uses(is)["required"]):
			additions = append(additions, fmt.Sprintf("+ %s: %s", name, is))
		case !existed:
			breaks = append(breaks, fmt.Sprintf("+ %s: %s", name, is))
		case breaksUse(was, is):
			breaks = append(breaks, fmt.Sprintf("! %s: %s → %s", name, was, is))
		default:
			additions = append(additions, fmt.Sprintf("! %s: %s → %s", name, was, is))
		}
	}
	return breaks, additions
}

func breaksUse(was, is string) bool {
	before, after := uses(was), uses(is)
	settable := func(u map[string]bool) bool { return u["optional"] || u["required"] }
	return strings.Fields(was)[0] != strings.Fields(is)[0] || // the type
		(after["required"] && !before["required"]) ||
		(settable(before) && !settable(after)) ||
		(before["computed"] && !after["computed"]) ||
		before["sensitive"] != after["sensitive"] || // outputs have to say so too
		before["write-only"] != after["write-only"]
}

// uses are the words of a record after the type.
func uses(record string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(record)[1:] {
		words[word] = true
	}
	return words
}

// recordSchema reads the schema as Terraform does.
func recordSchema(t *testing.T) schemaRecord {
	t.Helper()
	server := NewServer("test")()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}

	record := schemaRecord{}
	record.block("provider.dbplatform", schemas.Provider)
	for name, schema := range schemas.ResourceSchemas {
		record.block("resource."+name, schema)
	}
	for name, schema := range schemas.DataSourceSchemas {
		record.block("data."+name, schema)
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

func (r schemaRecord) block(path string, schema *tfprotov6.Schema) {
	r[path] = fmt.Sprintf("version %d", schema.Version)
	r.attributes(path, schema.Block.Attributes)
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

// The record has to see what it promises: some attributes, read by hand.
func TestRecordSchema(t *testing.T) {
	t.Parallel()
	record := recordSchema(t)
	known := schemaRecord{
		"provider.dbplatform.key_secret":                               "String optional sensitive",
		"resource.dbplatform_service":                                  "version 0",
		"resource.dbplatform_service.service_id":                       "String required",
		"resource.dbplatform_service.ip_access_list":                   "Map[String] optional computed",
		"resource.dbplatform_pipe_scaling.replica_memory_gb":           "Number optional computed",
		"data.dbplatform_pipe.source.kafka.offset.timestamp":           "String computed",
		"data.dbplatform_pipe.source.object_storage.connection_string": "String computed sensitive",
		"data.dbplatform_backups.latest":                               "Object computed",
		"identity.dbplatform_pipe_settings.pipe_id":                    "String required",
	}
	for name, want := range known {
		if got := record[name]; got != want {
			t.Errorf("%s is recorded as %q, not %q", name, got, want)
		}
	}
}
