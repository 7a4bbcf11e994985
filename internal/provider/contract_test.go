package provider

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// openapi.yaml and the provider are written independently of each other. Tests compare
// them, and take the values that they set from openapi.yaml.

// returned returns the members that responses have for a resource, by attribute.
func returned(kind string) map[string]*openapi3.Schema {
	_, result := mockapi.Schemas(updateOf[kind])
	if kind == "pipe_scaling" { // the response is the pipe
		result = mockapi.Members(result)["scaling"]
	}
	return byAttribute(result)
}

// generators choose among the samples of each attribute. others are those of a test, for
// attributes that have none.
func generators(kind string, others map[string]generator) map[string]generator {
	all := map[string]generator{}
	for name, schema := range requested(kind) {
		if values := samples(schema); len(values) > 0 {
			all[name] = choice(values...)
		}
	}
	maps.Copy(all, others)
	return all
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// validatedByContract has both sides of each bound, and the values of each enum.
func validatedByContract() (all []validated) {
	for kind := range updateOf {
		for name, schema := range requested(kind) {
			switch {
			case hasBounds(schema):
				all = append(all, validatedBounds(kind, name, schema)...)
			case len(schema.Enum) > 0:
				var values []string
				for _, value := range schema.Enum {
					values = append(values, strconv.Quote(value.(string)))
				}
				refused := "one of " + strings.ReplaceAll(strings.Join(values, ", "), `"`, "") + "."
				all = append(all, validated{kind, name, values, accepted}, validated{kind, name, []string{`"other"`, strings.ToUpper(values[0])}, refused})
			case schema.Type.Includes(openapi3.TypeBoolean):
				all = append(all, validated{kind, name, []string{"true", "false"}, accepted}, validated{kind, name, []string{`"maybe"`}, "bool"})
			}
		}
	}
	return all
}

func validatedBounds(kind, name string, schema *openapi3.Schema) []validated {
	lowest, highest := decimal(*schema.Min), decimal(*schema.Max)
	between := "between " + lowest + " and " + highest
	if schema.Type.Includes(openapi3.TypeNumber) {
		const bit = 0.01
		return []validated{
			{kind, name, []string{lowest, highest, "1 - 0.3", "null"}, accepted},
			{kind, name, []string{decimal(*schema.Min - bit), decimal(*schema.Max + bit)}, "must be " + between},
			{kind, name, []string{"1e400", "-pow(10, 309)", "1e-400"}, "cannot be represented as a 64-bit floating point"},
		}
	}
	return []validated{
		{kind, name, []string{lowest, highest, "null"}, accepted},
		{kind, name, []string{decimal(*schema.Min - 1), decimal(*schema.Max + 1)}, "must be a whole number " + between},
		{kind, name, []string{lowest + ".5"}, "is not an integer"},
		{kind, name, []string{"9223372036854775808", "4711e40"}, "cannot be represented as a 64-bit integer"},
	}
}

// Every member of openapi.yaml has an attribute, and a member of its type in the structs of
// internal/api, which have no others. Only a look-up shows the encryption key.
func TestMembersAreComplete(t *testing.T) {
	t.Parallel()
	types := map[string]string{"Value[int64]": "integer", "Value[float64]": "number", "Value[bool]": "boolean", "Value[string]": "string"}
	for kind, object := range map[string]any{"service": api.Service{}, "api_key": api.Key{}, "pipe_scaling": api.Scaling{}, "pipe_settings": api.Settings{}} {
		documented := returned(kind)
		maps.Copy(documented, requested(kind))
		attributes := underTest.Schemas(t).ResourceSchemas["dbplatform_"+kind].Block.Attributes
		for name := range documented {
			if name != "id" && name != "encryption_key" && name != "used_at" && !slices.ContainsFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == name }) {
				t.Errorf("%s has no attribute %s, and openapi.yaml has such a member", kind, name)
			}
		}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(object)) {
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			name := lifecycle.AttributeName(member)
			schema := documented[name]
			delete(documented, name)
			if schema == nil {
				t.Errorf("%T has %s, and openapi.yaml does not", object, member)
			} else if want := types[field.Type.Name()]; want != "" && schema.Type != nil && !schema.Type.Includes(want) {
				t.Errorf("%s of %T is a %s, and in openapi.yaml it is %v", member, object, field.Type.Name(), *schema.Type)
			}
		}
		for name := range documented {
			t.Errorf("%T has no member for %s, and openapi.yaml has", object, name)
		}
	}
}

// An attribute that can be set is Computed if, and only if, the documented response has it.
// Lookups of pipes and backups have no attribute that no documented response has.
func TestComputedIsReturned(t *testing.T) {
	t.Parallel()
	for kind := range updateOf {
		for _, a := range underTest.Schemas(t).ResourceSchemas["dbplatform_"+kind].Block.Attributes {
			_, isReturned := returned(kind)[a.Name]
			if a.Optional && a.Computed != isReturned {
				t.Errorf("%s.%s is computed: %t, and in a response of openapi.yaml: %t", kind, a.Name, a.Computed, isReturned)
			}
		}
	}
	_, pipe := mockapi.Schemas("getPipe")
	_, list := mockapi.Schemas("listBackups")
	ofPipe, backups := byAttribute(pipe), map[string]*openapi3.Schema{"service_id": {}, "latest": list.Items.Value, "backups": list}
	ofPipe["pipe_id"], ofPipe["source_type"] = &openapi3.Schema{}, &openapi3.Schema{}
	lookups := underTest.Schemas(t).DataSourceSchemas
	expectMembers(t, "pipe", lookups["dbplatform_pipe"].Block.Attributes, ofPipe)
	expectMembers(t, "backups", lookups["dbplatform_backups"].Block.Attributes, backups)
}

// expectMembers expects attributes to be members of openapi.yaml.
func expectMembers(t *testing.T, place string, attributes []*tfprotov6.SchemaAttribute, members map[string]*openapi3.Schema) {
	t.Helper()
	for _, a := range attributes {
		schema := members[a.Name]
		if schema == nil {
			t.Errorf("%s.%s is not in a response of openapi.yaml", place, a.Name)
			continue
		}
		if schema.Items != nil {
			schema = schema.Items.Value
		}
		if a.NestedType != nil {
			expectMembers(t, place+"."+a.Name, a.NestedType.Attributes, byAttribute(schema))
		}
	}
}

// The description of a number that can be set has its bounds.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	for kind := range updateOf {
		members := requested(kind)
		for _, a := range underTest.Schemas(t).ResourceSchemas["dbplatform_"+kind].Block.Attributes {
			if s := members[a.Name]; s != nil && hasBounds(s) {
				if want := fmt.Sprintf("Valid range: %s to %s.", decimal(*s.Min), decimal(*s.Max)); !strings.Contains(a.Description, want) {
					t.Errorf("%s.%s: %q does not say %q", kind, a.Name, a.Description, want)
				}
			}
		}
	}
	schemas := underTest.Schemas(t)
	for _, all := range []map[string]*tfprotov6.Schema{schemas.ResourceSchemas, schemas.DataSourceSchemas} {
		for name, s := range all {
			expectUnits(t, name, s.Block.Attributes)
		}
	}
}

// units are ends of names, and what a description calls them.
var units = map[string]string{
	"_ms": "milliseconds", "_seconds": "seconds", "_minutes": "minutes", "_bytes": "bytes", "_gb": "GB", "_millicores": "millicores",
}

// expectUnits expects the unit in a name to be in the description too.
func expectUnits(t *testing.T, place string, attributes []*tfprotov6.SchemaAttribute) {
	t.Helper()
	for _, a := range attributes {
		words := strings.FieldsFunc(strings.ToLower(a.Description), func(r rune) bool { return strings.ContainsRune(" ,.", r) })
		for end, unit := range units {
			if strings.HasSuffix(a.Name, end) && !slices.Contains(words, strings.ToLower(unit)) {
				t.Errorf("%s.%s: %q does not name the unit, %s", place, a.Name, a.Description, unit)
			}
		}
		if a.NestedType != nil {
			expectUnits(t, place+"."+a.Name, a.NestedType.Attributes)
		}
	}
}
