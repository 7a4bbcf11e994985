package provider

import (
	"context"
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// The attributes of a data source and the members of the API's objects are the
// same, down to the last. The test names the attribute and the place of a
// forgotten line.
func TestDataSourcesAreComplete(t *testing.T) {
	t.Parallel()
	// The ids are those of the configuration; source_type follows from the source.
	hasSameShape(t, "pipe", attributeTypes(newPipeDataSource()), reflect.TypeFor[api.Pipe](), "id", "pipe_id", "source_type")
	// The API does not document a backup's status.
	backups := attributeTypes(newBackupsDataSource()).AttrTypes
	hasSameShape(t, "backups.backups", backups["backups"].(types.ListType).ElemType, reflect.TypeFor[api.Backup](), "status")
	hasSameShape(t, "backups.latest", backups["latest"], reflect.TypeFor[api.Backup](), "status")
}

func attributeTypes(source datasource.DataSource) types.ObjectType {
	var resp datasource.SchemaResponse
	source.Schema(context.Background(), datasource.SchemaRequest{}, &resp)
	return resp.Schema.Type().(types.ObjectType)
}

// hasSameShape compares the type of an attribute with that of a member of the API.
// except names attributes and members of the outermost object without a counterpart.
func hasSameShape(t *testing.T, place string, attribute attr.Type, member reflect.Type, except ...string) {
	t.Helper()
	object, isObject := attribute.(types.ObjectType)
	list, isList := attribute.(types.ListType)
	switch kind := member.Kind(); {
	case isList && kind == reflect.Slice:
		hasSameShape(t, place, list.ElemType, member.Elem())
		return
	case isObject && kind == reflect.Struct:
	default:
		if want := scalarTypes[kind]; want == nil || !attribute.Equal(want) {
			t.Errorf("%s is a %s in the schema and a %s in internal/api", place, attribute, member)
		}
		return
	}
	missing := maps.Clone(object.AttrTypes)
	for field := range member.Fields() {
		name := attributeOf(field)
		delete(missing, name)
		if name == "" || slices.Contains(except, name) {
			continue
		}
		typ, ok := object.AttrTypes[name]
		if !ok {
			t.Errorf("%s: the schema has no attribute %q for the field %s of %s", place, name, field.Name, member)
			continue
		}
		get, ok := field.Type.MethodByName("Get")
		if !ok {
			t.Errorf("%s: the field %s of %s is no api.Value", place, field.Name, member)
			continue
		}
		hasSameShape(t, place+"."+name, typ, get.Type.Out(0))
	}
	for name := range missing {
		if !slices.Contains(except, name) {
			t.Errorf("%s: %s has no field for the attribute %q of the schema", place, member, name)
		}
	}
}

// scalarTypes are the types of attributes by those of the API's members.
var scalarTypes = map[reflect.Kind]attr.Type{
	reflect.String:  types.StringType,
	reflect.Int64:   types.Int64Type,
	reflect.Float64: types.Float64Type,
	reflect.Bool:    types.BoolType,
}

type (
	outerPart struct {
		Text        api.Value[string]      `json:"text"`
		WholeNumber api.Value[int64]       `json:"wholeNumber"`
		Decimal     api.Value[float64]     `json:"decimal"`
		Flag        api.Value[bool]        `json:"flag"`
		Texts       api.Value[[]string]    `json:"texts"`
		Object      api.Value[innerPart]   `json:"object"`
		Objects     api.Value[[]innerPart] `json:"objects"`
		NotShown    api.Value[string]      `json:"notShown"`
	}
	innerPart struct {
		Text api.Value[string] `json:"text"`
	}
)

func TestResponseValue(t *testing.T) {
	t.Parallel()
	texts := tftypes.List{ElementType: tftypes.String}
	inner := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"text": tftypes.String}}
	inners := tftypes.List{ElementType: inner}
	outer := tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"text": tftypes.String, "whole_number": tftypes.Number, "decimal": tftypes.Number, "flag": tftypes.Bool,
		"texts": texts, "object": inner, "objects": inners,
	}}
	text := func(s any) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	innerWith := func(s any) tftypes.Value {
		return tftypes.NewValue(inner, map[string]tftypes.Value{"text": text(s)})
	}
	sevenTenths, _, err := big.ParseFloat("0.7", 10, 512, big.ToNearestEven) // as Terraform reads it
	if err != nil {
		t.Fatal(err)
	}
	for response, want := range map[string]map[string]tftypes.Value{
		`{}`: {},
		`{"text":null,"wholeNumber":null,"decimal":null,"flag":null,"texts":null,"object":null,"objects":null}`:      {},
		`{"text":1,"wholeNumber":"many","decimal":[],"flag":"on","texts":"a","object":"none","objects":{"text":""}}`: {},
		`{"text":"","wholeNumber":9007199254740993,"decimal":0.7,"flag":false,"texts":["a","b"],"object":{"text":"c"},"objects":[{"text":"d"},{}],"notShown":"e"}`: {
			"text":         text(""),
			"whole_number": tftypes.NewValue(tftypes.Number, int64(9007199254740993)),
			"decimal":      tftypes.NewValue(tftypes.Number, sevenTenths),
			"flag":         tftypes.NewValue(tftypes.Bool, false),
			"texts":        tftypes.NewValue(texts, []tftypes.Value{text("a"), text("b")}),
			"object":       innerWith("c"),
			"objects":      tftypes.NewValue(inners, []tftypes.Value{innerWith("d"), innerWith(nil)}),
		},
		`{"texts":[],"object":{},"objects":[]}`: {
			"texts":   tftypes.NewValue(texts, []tftypes.Value{}),
			"object":  innerWith(nil),
			"objects": tftypes.NewValue(inners, []tftypes.Value{}),
		},
	} {
		var part outerPart
		if err := json.Unmarshal([]byte(response), &part); err != nil {
			t.Fatal(err)
		}
		for name, typ := range outer.AttributeTypes {
			if want[name].Type() == nil {
				want[name] = tftypes.NewValue(typ, nil)
			}
		}
		if got := responseValue(outer, part); !got.Equal(tftypes.NewValue(outer, want)) {
			t.Errorf("%s is %s", response, got)
		}
	}
	var none *outerPart
	if got := responseValue(outer, none); !got.IsNull() {
		t.Errorf("nil is %s", got)
	}
}
