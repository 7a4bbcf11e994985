package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Every attribute has a model field, is read from the API and, if it can be set,
// reaches the API. The test names the attribute and the place of a forgotten line.
func TestResourcesAreComplete(t *testing.T) {
	t.Parallel()
	holdsAllAttributes[serviceModel](t, service{})
	holdsAllAttributes[pipeScalingModel](t, pipeScaling{})
	holdsAllAttributes[pipeSettingsModel](t, pipeSettings{})
	holdsAllAttributes[apiKeyModel](t, apiKey{})
}

func holdsAllAttributes[M any](t *testing.T, definition adopt.Definition[M]) {
	t.Helper()
	metadata, attributes := definition.Metadata(), definition.Schema()
	own := maps.Clone(metadata.TerraformOnly)
	if own == nil {
		own = map[string]attr.Value{}
	}
	for i, name := range metadata.IDs {
		own[name] = types.StringValue([]string{mockapi.ServiceID, mockapi.KafkaPipeID}[i])
	}

	fake := &filledAPI{t: t}
	client := api.New(transport.Config{
		BaseURL: &url.URL{Scheme: "https", Host: "api.example.com"}, OrganizationID: mockapi.OrganizationID, RoundTripper: fake,
	})
	base, err := definition.Read(t.Context(), client, modelWith[M](own))
	if err != nil {
		t.Error(err)
		return
	}
	if !carries(t, metadata.TypeName, tfsdk.State{Schema: attributes}, base) {
		return
	}
	for name, attribute := range attributes.Attributes {
		if own[name] != nil || !attribute.IsOptional() {
			continue
		}
		value, mark := changed(t, attribute)
		change := maps.Clone(own)
		change[name] = value
		fake.written = nil
		_, _ = definition.Write(t.Context(), client, adopt.Update[M]{Change: modelWith[M](change), Configured: modelWith[M](change), Base: base})
		if sent := fake.member(name); !strings.Contains(sent, mark) {
			t.Errorf("%s: a new value of %q does not reach the API: %s does not carry it into the update (%s_model.go)",
				metadata.TypeName, name, reflect.TypeFor[M]().Name(), metadata.TypeName)
		}
	}
}

// carries checks that schema and model have the same attributes, and that a model
// made from an object with all members has a value for each of them.
func carries(t *testing.T, name string, state tfsdk.State, model any) bool {
	t.Helper()
	typ := reflect.TypeOf(model)
	if diags := state.Set(t.Context(), model); diags.HasError() {
		for _, d := range diags {
			_, mismatch, _ := strings.Cut(d.Detail(), "\n\n")
			mismatch, _, _ = strings.Cut(mismatch, "\nObject type")
			t.Errorf("%s: %s", name, plainMismatch.Replace(mismatch))
		}
		return false
	}
	complete := true
	seen := map[string]string{}
	_ = tftypes.Walk(state.Raw, func(path *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		steps := path.Steps()
		if len(steps) == 0 {
			return true, nil
		}
		if _, isAttribute := steps[len(steps)-1].(tftypes.AttributeName); !isAttribute {
			return true, nil
		}
		place, parent := dotted(path), path.WithoutLastStep().String()
		switch {
		case value.IsNull() || !value.IsKnown():
			t.Errorf("%s: %s is not read from the API: %s.from does not set it", name, place, typ.Name())
			complete = false
		case value.Type().Is(tftypes.String) || value.Type().Is(tftypes.Number):
			key := parent + value.String()
			if other := seen[key]; other != "" {
				t.Errorf("%s: %s and %s are read from the same member of the API by %s.from", name, other, place, typ.Name())
			}
			seen[key] = place
		}
		return true, nil
	})
	return complete
}

// plainMismatch rewords what the framework says of a schema and its model.
var plainMismatch = strings.NewReplacer(
	"Object defines fields not found in struct", "attributes of the schema without a field in the model",
	"Struct defines fields not found in object", "fields of the model without an attribute in the schema",
)

func dotted(path *tftypes.AttributePath) string {
	var names []string
	for _, step := range path.Steps() {
		if name, ok := step.(tftypes.AttributeName); ok {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ".")
}

// modelWith returns a model with some attributes. Those without a field are left
// out; the comparison with the schema reports them.
func modelWith[M any](a map[string]attr.Value) M {
	var model M
	fields := reflect.ValueOf(&model).Elem()
	for _, field := range reflect.VisibleFields(fields.Type()) {
		if value := a[field.Tag.Get("tfsdk")]; value != nil {
			fields.FieldByIndex(field.Index).Set(reflect.ValueOf(value))
		}
	}
	return model
}

// changed returns a value that no response has, and what of it a request contains.
func changed(t *testing.T, attribute schema.Attribute) (value attr.Value, mark string) {
	t.Helper()
	typ := attribute.GetType()
	raw := typ.TerraformType(t.Context())
	var v tftypes.Value
	switch {
	case raw.Is(tftypes.String):
		v, mark = tftypes.NewValue(raw, "changed"), `"changed"`
	case raw.Is(tftypes.Number):
		v, mark = tftypes.NewValue(raw, 987654321), "987654321"
	case raw.Is(tftypes.Bool):
		v, mark = tftypes.NewValue(raw, false), "false"
	case raw.Is(tftypes.Set{}):
		v, mark = tftypes.NewValue(raw, []tftypes.Value{tftypes.NewValue(tftypes.String, "changed")}), `"changed"`
	case raw.Equal(tftypes.Map{ElementType: tftypes.Bool}):
		v, mark = tftypes.NewValue(raw, map[string]tftypes.Value{"changed": tftypes.NewValue(tftypes.Bool, true)}), `"changed"`
	default:
		v, mark = tftypes.NewValue(raw, map[string]tftypes.Value{"changed": tftypes.NewValue(tftypes.String, "")}), `"changed"`
	}
	value, err := typ.ValueFromTerraform(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return value, mark
}

// filledAPI returns objects with all members to reads, and refuses writes.
type filledAPI struct {
	t       *testing.T
	written []byte // the body of the last write
}

func (f *filledAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	status, text := http.StatusForbidden, []byte(`{"status":403,"error":"read only"}`)
	if r.Method == http.MethodGet || string(body) == "{}" {
		status, text = http.StatusOK, fmt.Appendf(nil, `{"status":200,"result":%s}`, f.object(r.URL.Path))
	} else {
		f.written = body
	}
	return &http.Response{
		StatusCode: status, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(text)),
	}, nil
}

func (f *filledAPI) object(path string) []byte {
	var object any = &api.Service{}
	switch {
	case strings.Contains(path, "/pipes/"):
		object = &api.Pipe{}
	case strings.Contains(path, "/keys/"):
		object = &api.Key{}
	}
	fill(f.t, object)
	reflect.ValueOf(object).Elem().FieldByName("ID").SetZero() // that of another object
	text, err := json.Marshal(object)
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}

// member returns what the last write has under the API's name of an attribute.
func (f *filledAPI) member(attribute string) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(f.written, &members)
	attribute, _ = strings.CutSuffix(strings.ReplaceAll(attribute, "_", ""), "enabled") // endpoints_enabled
	for name, value := range members {
		if strings.EqualFold(strings.ReplaceAll(name, "_", ""), attribute) {
			return string(value)
		}
	}
	return ""
}

// fill gives every member of an object of the API a value of its own.
func fill(t *testing.T, object any) {
	t.Helper()
	n := 0
	text, err := json.Marshal(filled(reflect.TypeOf(object).Elem(), &n))
	if err == nil {
		err = json.Unmarshal(text, object)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func filled(typ reflect.Type, n *int) any {
	if get, ok := typ.MethodByName("Get"); ok {
		typ = get.Type.Out(0) // of an api.Value
	}
	switch *n++; typ.Kind() {
	case reflect.Struct:
		object := map[string]any{}
		for _, field := range reflect.VisibleFields(typ) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				object[name] = filled(field.Type, n)
			}
		}
		return object
	case reflect.Slice:
		return []any{filled(typ.Elem(), n)}
	case reflect.Bool:
		return true
	case reflect.String:
		return time.Unix(int64(*n), 0).UTC().Format(time.RFC3339) // some are instants
	case reflect.Float64:
		return float64(*n) + 0.5
	default:
		return *n
	}
}
