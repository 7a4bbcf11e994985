package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A log shows only texts of members that openapi.yaml documents, and no secrets. It need not
// show all of them: a new one is left out until somebody knows that it is no secret.
func TestLoggedMembers(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{"requestId": true} // of the envelope
	var collect func(name string, schema *openapi3.Schema)
	collect = func(name string, schema *openapi3.Schema) {
		if schema.Type.Includes(openapi3.TypeString) {
			texts[name] = true
		}
		if schema.Items != nil {
			collect(name, schema.Items.Value)
		}
		for name, member := range mockapi.Members(schema) {
			collect(name, member)
		}
	}
	for _, operation := range []string{"getPipe", "updateService", "scalePipe", "updatePipeSettings", "updateKey", "listBackups"} {
		request, result := mockapi.Schemas(operation)
		for _, schema := range []*openapi3.Schema{request, result} {
			if schema != nil {
				collect("", schema)
			}
		}
	}
	delete(texts, "connectionString")
	delete(texts, "encryptionKey")
	for _, member := range api.LoggedMembers {
		if !texts[member] {
			t.Errorf("internal/api/logged.go has %s, which is a secret, or no text in openapi.yaml", member)
		}
	}
}

// The data sources pipe and backups show every member that the API returns, and
// have no attribute that it never returns. source_type is null unless the pipe has
// exactly one source.
func TestLookUpsAreComplete(t *testing.T) {
	t.Parallel()
	var backups struct{ Result []any }
	env := underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		if c.Operation != "listBackups" {
			return false
		}
		recorded := c.Record()
		if err := json.Unmarshal(recorded.Body.Bytes(), &backups); err != nil {
			t.Error(err)
		}
		acctest.Respond(w, recorded, recorded.Body.Bytes())
		return true
	})
	c := env.Core(t, nil)
	shown := map[string]bool{}
	for id, sourceType := range map[string]any{
		mockapi.KafkaPipeID: "kafka", mockapi.ObjectStoragePipeID: "object_storage", mockapi.KinesisPipeID: "kinesis", mockapi.PostgresPipeID: "postgres",
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": nil}}):                                           nil,
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": mockapi.Object{}, "kinesis": mockapi.Object{}}}): nil,
	} {
		found, err := c.LookUp("pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": id})
		if err != nil {
			t.Fatal(err)
		}
		pipe := acctest.Plain(found).(map[string]any)
		expectShown(t, shown, "pipe", env.Object(mockapi.Pipe, id), pipe)
		if pipe["source_type"] != sourceType {
			t.Errorf("the source of %s is %v, not %v", id, pipe["source_type"], sourceType)
		}
	}
	found, err := c.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID})
	if err != nil {
		t.Fatal(err)
	}
	list := acctest.Plain(found).(map[string]any)["backups"]
	expectShown(t, shown, "backups", backups.Result, list)
	for _, place := range slices.Sorted(maps.Keys(shown)) {
		if !shown[place] && !strings.HasSuffix(place, ".pipe_id") && !strings.HasSuffix(place, ".source_type") {
			t.Errorf("%s is never shown: seed.json has no value, or the API no such member", place)
		}
	}
}

// expectShown compares what the API has with what a data source shows, and
// records which attributes have had a value.
func expectShown(t *testing.T, shown map[string]bool, place string, member, attribute any) {
	t.Helper()
	switch m := member.(type) {
	case []any:
		for i, element := range m {
			expectShown(t, shown, place, element, attribute.([]any)[i])
		}
	case map[string]any:
		a, _ := attribute.(map[string]any)
		for name, value := range a {
			shown[place+"."+name] = shown[place+"."+name] || value != nil
		}
		for name, value := range m {
			inner := place + "." + lifecycle.AttributeName(name)
			if _, ok := a[lifecycle.AttributeName(name)]; !ok && inner != "pipe.id" {
				t.Errorf("%s has no attribute for the member %s", place, name)
				continue
			}
			expectShown(t, shown, inner, value, a[lifecycle.AttributeName(name)])
		}
	default:
		if n, ok := member.(int64); ok {
			member = float64(n)
		}
		if member != attribute && place != "pipe.id" {
			t.Errorf("%s shows %v for %v", place, attribute, member)
		}
	}
}

// The data sources of a service and a key show every scalar. TestLookUps has their lists.
func TestLookUpsShowScalars(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"echo_write_only"}))
	c := env.Core(t, nil)
	expect := func(kind, idName string, object mockapi.Object) {
		found, err := c.LookUp(kind, map[string]string{idName: object["id"].(string)})
		if err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(object, func(name string, value any) bool { _, isList := value.([]any); return isList || name == "id" })
		expectShown(t, map[string]bool{}, kind, object, acctest.Plain(found))
	}
	expect("service", "service_id", env.Object(mockapi.Service, mockapi.ServiceID))
	expect("api_key", "key_id", env.Object(mockapi.Key, mockapi.APIKeyID))
}

// changesWith has what the API changes along with an attribute.
var changesWith = map[string][]string{
	"endpoints_enabled": {"endpoints"},
}

// Every attribute is read from the API and, if it can be set, reaches it; a plan
// that changes it changes nothing else. TestMembersAreComplete is about the other way round.
func TestAttributesAreComplete(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]settable{
		"service": {mockapi.Service, mockapi.ServiceID, map[string]any{"service_id": mockapi.ServiceID}, map[string]any{
			"ip_access_list": map[string]any{"203.0.113.9": "changed"}, "private_endpoint_ids": []any{"vpce-8c9d0e1f"}, "endpoints_enabled": map[string]any{"mysql": false},
		}},
		"pipe_scaling":  {mockapi.Pipe, mockapi.KafkaPipeID, onPipe(mockapi.KafkaPipeID, nil), map[string]any{}},
		"pipe_settings": {mockapi.Pipe, mockapi.KafkaPipeID, onPipe(mockapi.KafkaPipeID, nil), map[string]any{}},
		"api_key": {mockapi.Key, mockapi.APIKeyID, map[string]any{"key_id": mockapi.APIKeyID}, map[string]any{
			"roles": []any{"query_endpoints"}, "expire_at": "2035-01-01T00:00:00Z", "ip_access_list": map[string]any{"203.0.113.9": "changed"},
		}},
		entryKind: {mockapi.Service, mockapi.ServiceID, onEntry("203.0.113.9", nil)[entryKind], map[string]any{"description": "changed"}},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		c.Must(acctest.Configs{kind: test.ids})
		state, now := acctest.Plain(c.Instance(kind).State).(map[string]any), test.shown(env, kind)
		for _, a := range underTest.Schemas(t).ResourceSchemas["dbplatform_"+kind].Block.Attributes {
			if state[a.Name] == nil && a.Computed && kind != entryKind {
				t.Errorf("%s.%s is null: internal/mockapi/seed.json has no value, or Read does not return it", kind, a.Name)
			}
			if value := otherSample(requested(kind)[a.Name], now[a.Name]); value != nil && test.values[a.Name] == nil {
				test.values[a.Name] = value
			}
			if a.Optional && test.values[a.Name] == nil && test.ids[a.Name] == nil {
				t.Errorf("%s.%s can be set: openapi.yaml has no bounds for it in a request, and TestAttributesAreComplete no value", kind, a.Name)
			}
		}
		for name, value := range test.values {
			t.Run(kind+"."+name, func(t *testing.T) {
				t.Parallel()
				test.expectComplete(t, kind, name, value)
			})
		}
	}
}

// A settable is an object and what can be set of it.
type settable struct {
	object mockapi.Kind
	id     string
	ids    map[string]any
	values map[string]any // for attributes without a sample
}

// shown returns what the object has, by attribute of a resource.
func (s settable) shown(env *acctest.Env, kind string) map[string]any {
	object := env.Object(s.object, s.id)
	if part, isPart := strings.CutPrefix(kind, "pipe_"); isPart {
		object = object[part].(mockapi.Object)
	}
	shown := map[string]any{}
	for member, value := range object {
		shown[lifecycle.AttributeName(member)] = value
	}
	return shown
}

// expectComplete sets an attribute.
func (s settable) expectComplete(t *testing.T, kind, name string, value any) {
	t.Helper()
	env := newEnv(t)
	config := maps.Clone(s.ids)
	config[name] = value
	c := env.Core(t, nil)
	c.Must(acctest.Configs{kind: s.ids})
	before := s.shown(env, kind)
	want := append([]string{name}, changesWith[name]...)
	if changes := c.Changes(kind, config); !slices.Equal(changes, slices.Sorted(slices.Values(want))) {
		t.Errorf("the plan changes %s, not %s", changes, want)
	}
	_, err := c.Run(acctest.Configs{kind: config})
	isRefused := strings.Contains(fmt.Sprint(err), "HTTP 400")
	if cmp.Equal(before, s.shown(env, kind)) && !isRefused {
		t.Fatalf("a new value of %s does not reach the API: does Write of %s pass it on? %v", name, kind, err)
	}
	if err != nil {
		t.Fatalf("%s of %s: %v", name, kind, err)
	}
	state := acctest.Plain(c.Instance(kind).State).(map[string]any)
	if diff := cmp.Diff(value, state[name]); diff != "" {
		t.Errorf("the state (-configured +state):\n%s", diff)
	}
	c.ExpectNoChanges(acctest.Configs{kind: config})
}

// Each attribute that the code names is one of a schema.
func TestNamedAttributesExist(t *testing.T) {
	t.Parallel()
	schema, checked := content(t, "internal/provider/testdata/schema.json"), 0
	for _, file := range filesBelow(t, "internal/provider", ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, name := range regexp.MustCompile(`(?:\w\["|\(path\.Root\("|Sets\(")([a-z_]+)"`).FindAllStringSubmatch(content(t, file), -1) {
			if checked++; !strings.Contains(schema, "."+name[1]+`": `) {
				t.Errorf("%s: no schema has %s", file, name[1])
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d names were found", checked)
	}
}

// The module service_pipes passes on every attribute of a pipe.
func TestModuleIsComplete(t *testing.T) {
	t.Parallel()
	const file = "examples/modules/service_pipes/main.tf"
	for _, part := range []string{"scaling", "settings"} {
		for name := range requested("pipe_" + part) {
			if !strings.Contains(content(t, file), " = each.value."+part+"."+name+"\n") {
				t.Errorf("%s does not pass on %s", file, name)
			}
		}
	}
}
