package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/text/unicode/norm"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func TestMain(m *testing.M) {
	os.Exit(acctest.Main(m))
}

var underTest = acctest.NewProvider(func(network http.RoundTripper) tfprotov6.ProviderServer {
	return newServer(&dbplatform{version: "test", roundTripper: network})
})

const notThere = "99999999-9999-4999-8999-999999999999"

// letteredKeyID has an upper and a lower case.
const letteredKeyID = "abcdefab-cdef-4abc-8def-abcdefabcdef"

func newEnv(t *testing.T, options ...mockapi.Option) *acctest.Env {
	t.Helper()
	return underTest.NewEnv(t, nil, options...)
}

// newEmptyEnv has empty lists, so that any list can be adopted.
func newEmptyEnv(t *testing.T, options ...mockapi.Option) *acctest.Env {
	t.Helper()
	env := newEnv(t, options...)
	emptyLists(env)
	return env
}

func emptyLists(env *acctest.Env) {
	for kind, id := range map[mockapi.Kind]string{mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID} {
		env.Change(kind, id, func(object mockapi.Object) {
			object["ipAccessList"] = []any{}
			if kind == mockapi.Service {
				object["privateEndpointIds"] = []any{}
			}
		})
	}
}

// A silence edits the results of an API that leaves out members, or returns them as it should not.
type silence struct {
	reads, writes func(result mockapi.Object) // nil: as they are
	before        func()                      // is called before a write is carried out; nil: nothing
}

// newSilentEnv returns an environment whose results of successes are edited.
func newSilentEnv() (*acctest.Env, *silence) {
	s := &silence{}
	return underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
		edit := s.reads
		if c.Writes() {
			edit = s.writes
			if s.before != nil {
				s.before()
			}
		}
		if edit == nil {
			return false
		}
		recorded := c.Record()
		var envelope mockapi.Object
		body := recorded.Body.Bytes()
		if json.Unmarshal(body, &envelope) == nil {
			if result, ok := envelope["result"].(mockapi.Object); ok {
				edit(result)
				body, _ = json.Marshal(envelope)
			}
		}
		acctest.Respond(w, recorded, body)
		return true
	}), s
}

// in edits an object inside a result.
func in(part string, edit func(mockapi.Object)) func(mockapi.Object) {
	return func(result mockapi.Object) {
		if object, ok := result[part].(mockapi.Object); ok {
			edit(object)
		}
	}
}

func without(members ...string) func(mockapi.Object) {
	return func(object mockapi.Object) {
		maps.DeleteFunc(object, func(name string, _ any) bool { return slices.Contains(members, name) })
	}
}

func with(member string, value any) func(mockapi.Object) {
	return func(object mockapi.Object) { object[member] = value }
}

// showsNothing leaves no more of an object than its id and name.
func showsNothing(object mockapi.Object) {
	maps.DeleteFunc(object, func(name string, _ any) bool { return name != "id" && name != "name" })
}

// onPipe is a configuration of a resource of a pipe.
func onPipe(id string, set map[string]any) map[string]any {
	config := map[string]any{"service_id": mockapi.ServiceID, "pipe_id": id}
	maps.Copy(config, set)
	return config
}

func onScaling(set map[string]any) acctest.Configs {
	return acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, set)}
}

func onSettings(set map[string]any) acctest.Configs {
	return acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, set)}
}

// onService is a configuration of the service.
func onService(set map[string]any) acctest.Configs {
	config := map[string]any{"service_id": mockapi.ServiceID}
	maps.Copy(config, set)
	return acctest.Configs{"service": config}
}

// onKey is a configuration of the API key.
func onKey(set map[string]any) acctest.Configs {
	config := map[string]any{"key_id": mockapi.APIKeyID}
	maps.Copy(config, set)
	return acctest.Configs{"api_key": config}
}

// warned returns those of a walk's warnings that begin with a summary.
func warned(c *acctest.Core, summary string) []string {
	return slices.DeleteFunc(slices.Clone(c.Warnings), func(text string) bool { return !strings.HasPrefix(text, summary) })
}

// fault is an error with these headers, as name and value in turn.
func fault(status int, header ...string) mockapi.Fault {
	f := mockapi.Fault{Status: status, Body: acctest.ErrorBody, Header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		f.Header.Set(header[i], header[i+1])
	}
	return f
}

// oneOrNone is what a table expects to be sent, "" for nothing, "… then …" for two.
func oneOrNone(body string) []string {
	if body == "" {
		return nil
	}
	return strings.Split(body, " then ")
}

// firstConfigs are configurations of every kind. Their lists have all that the mock API has,
// because an adoption removes nothing.
func firstConfigs() acctest.Configs {
	list := map[string]any{"10.0.0.0/8": "vpc", "203.0.113.9": "", "2001:db8::1": "six", "192.0.2.7": "office", "198.51.100.0/24": "ci"}
	configs := everyKind(4, 0, "First", list, "203.0.113.9", "2031-02-03T04:05:06+02:00")
	configs["service"]["private_endpoint_ids"] = []any{"vpce-0a1b2c3d", "vpce-4e5f6a7b", "vpce-8c9d0e1f"}
	return configs
}

// secondConfigs change most of what firstConfigs set.
func secondConfigs() acctest.Configs { return secondConfigsWith("203.0.113.9") }

// secondConfigsWith have an address in this notation.
func secondConfigsWith(address string) acctest.Configs {
	return everyKind(7, 33, "Second", map[string]any{"10.0.0.0/8": "", address: "café", "198.51.100.7": ""}, address, "never")
}

func everyKind(replicas, threads int, name string, list map[string]any, entry, expiry string) acctest.Configs {
	return acctest.Configs{
		"pipe_scaling":  onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": replicas, "replica_memory_gb": 0.7}),
		"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"db_max_threads": threads, "db_parallel_view_processing": true}),
		"service": {
			"service_id": mockapi.ServiceID, "name": name, "ip_access_list": list,
			"private_endpoint_ids": []any{"vpce-0a1b2c3d", "vpce-8c9d0e1f"}, "release_channel": "fast",
			"endpoints_enabled": map[string]any{"mysql": replicas%2 == 0},
		},
		"service_ip_access_entry":  {"service_id": mockapi.OtherServiceID, "source": entry, "description": name + " é"},
		"service_private_endpoint": {"service_id": mockapi.OtherServiceID, "private_endpoint_id": fmt.Sprintf("vpce-%d", replicas)},
		"api_key": {
			"key_id": mockapi.APIKeyID, "name": name + " é", "roles": []any{"query_endpoints", "admin"}, "expire_at": expiry,
			"state": "enabled", "ip_access_list": list,
		},
	}
}

func serviceConfig(id, body string) string {
	return fmt.Sprintf("\nresource \"dbplatform_service\" \"this\" {\n  service_id = %q\n  %s\n}\n", id, body)
}

func keyConfig(id, body string) string {
	return fmt.Sprintf("\nresource \"dbplatform_api_key\" \"this\" {\n  key_id = %q\n  %s\n}\n", id, body)
}

func pipeConfig(kind, id, body string) string {
	return fmt.Sprintf("\nresource \"dbplatform_%s\" \"this\" {\n  service_id = %q\n  pipe_id = %q\n  %s\n}\n", kind, mockapi.ServiceID, id, body)
}

func scalingConfig(pipe, body string) string { return pipeConfig("pipe_scaling", pipe, body) }

func settingsConfig(pipe, body string) string { return pipeConfig("pipe_settings", pipe, body) }

func lookUpPipe(id string) string {
	return fmt.Sprintf("data \"dbplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", mockapi.ServiceID, id)
}

// importIDs has an import id for each kind.
var importIDs = map[string]string{
	"service":       mockapi.ServiceID,
	"pipe_scaling":  mockapi.ServiceID + "/" + mockapi.KafkaPipeID,
	"pipe_settings": mockapi.ServiceID + "/" + mockapi.KafkaPipeID,
	"api_key":       mockapi.APIKeyID,

	"service_ip_access_entry":  mockapi.OtherServiceID + "/203.0.113.9",
	"service_private_endpoint": mockapi.OtherServiceID + "/vpce-7",
}

// queryOf is a list block without a limit that matters.
func queryOf(kind string) acctest.Query {
	return acctest.Query{Kind: kind, Config: map[string]any{"service_id": mockapi.ServiceID}, Limit: 100, IncludeResource: true}
}

// queryCLI returns a CLI that has terraform query, with these list blocks.
func queryCLI(t *testing.T, env *acctest.Env, blocks string) *acctest.CLI {
	t.Helper()
	tf := env.CLI(t, "")
	if tf.IsOpenTofu() || !tf.IsAtLeast(14) {
		t.Skip("terraform query needs Terraform 1.14")
	}
	tf.WriteFile("entries.tfquery.hcl", blocks)
	return tf
}

// environment is what a provider block without arguments needs.
func environment(env *acctest.Env) []string {
	return []string{
		"DBPLATFORM_BASE_URL=" + env.URL, "DBPLATFORM_ORGANIZATION_ID=" + mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID=" + mockapi.KeyID, "DBPLATFORM_KEY_SECRET=" + mockapi.KeySecret,
	}
}

// share gives the service whose entries are managed one by one some of someone else.
func share(env *acctest.Env) {
	env.Change(mockapi.Service, mockapi.OtherServiceID, func(service mockapi.Object) {
		service["ipAccessList"] = []any{mockapi.Object{"source": "192.0.2.200", "description": "theirs"}}
		service["privateEndpointIds"] = []any{"vpce-theirs"}
	})
}

// listOf returns the access list of an object, entry by entry.
func listOf(object mockapi.Object) (entries []string) {
	for _, entry := range object["ipAccessList"].([]any) {
		entry := entry.(mockapi.Object)
		description, _ := entry["description"].(string)
		entries = append(entries, api.CanonicalAddress(entry["source"].(string))+" "+norm.NFC.String(description))
	}
	slices.Sort(entries)
	return entries
}

func sorted(list any) string {
	var all []string
	for _, s := range list.([]any) {
		all = append(all, fmt.Sprint(s))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

const (
	entryKind    = "service_ip_access_entry"
	endpointKind = "service_private_endpoint"
)

const (
	existsAlready  = "Entry exists already: access list entry of service …1111"
	removedAndKept = "Entry is removed and kept: access list entry of service …1111"
)

const addMine = `{"ipAccessList":{"add":[{"source":"203.0.113.9","description":"mine"}]}}`

// onEntry is a configuration of an entry of the service's access list. A nil
// description is not set.
func onEntry(source string, description any) acctest.Configs {
	return acctest.Configs{entryKind: {"service_id": mockapi.ServiceID, "source": source, "description": description}}
}

func onEndpoint(id string) acctest.Configs {
	return acctest.Configs{endpointKind: {"service_id": mockapi.ServiceID, "private_endpoint_id": id}}
}

var noEntry = acctest.Configs{entryKind: nil}

// setEntries gives the service an access list, as "source description".
func setEntries(env *acctest.Env, entries ...string) {
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
		list := []any{}
		for _, entry := range entries {
			source, description, _ := strings.Cut(entry, " ")
			list = append(list, mockapi.Object{"source": source, "description": description})
		}
		service["ipAccessList"] = list
	})
}

// expectEntries checks the service's access list, in any order and notation.
func expectEntries(t *testing.T, env *acctest.Env, want ...string) {
	t.Helper()
	if diff := gocmp.Diff(slices.Sorted(slices.Values(want)), listOf(env.Object(mockapi.Service, mockapi.ServiceID))); diff != "" {
		t.Errorf("the access list (-want +got):\n%s", diff)
	}
}

// listsOf are the service's lists.
func listsOf(env *acctest.Env) string {
	service := env.Object(mockapi.Service, mockapi.ServiceID)
	return fmt.Sprint(listOf(service), " ", sorted(service["privateEndpointIds"]))
}

// siblings are cores in one provider process, each with a block of its own.
func siblings(t *testing.T, env *acctest.Env, n int) []*acctest.Core {
	t.Helper()
	all := []*acctest.Core{env.Core(t, nil)}
	for len(all) < n {
		all = append(all, all[0].Sibling())
	}
	return all
}

// walk begins a walk of all.
func walk(all []*acctest.Core) {
	all[0].Walk()
	for _, c := range all {
		c.Server, c.Warnings = all[0].Server, nil
	}
}

func planWithoutRefresh(t *testing.T, c *acctest.Core, configs acctest.Configs) (p acctest.Plan) {
	t.Helper()
	for kind, config := range configs {
		var err error
		if p, err = c.Plan(kind, c.Config(kind, config)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// updateOf is the operation that changes what a resource manages.
var updateOf = map[string]string{
	"service": "updateService", "pipe_scaling": "scalePipe", "pipe_settings": "updatePipeSettings", "api_key": "updateKey",
}

// requested returns the members that a resource's update may have, by attribute; none for
// an entry of a list.
func requested(kind string) map[string]*openapi3.Schema {
	if updateOf[kind] == "" {
		return nil
	}
	request, _ := mockapi.Schemas(updateOf[kind])
	return byAttribute(request)
}

func byAttribute(schema *openapi3.Schema) map[string]*openapi3.Schema {
	members := map[string]*openapi3.Schema{}
	for member, described := range mockapi.Members(schema) {
		members[lifecycle.AttributeName(member)] = described
	}
	return members
}

// samples are valid values of a number, a bool, an enum or a text without a format; none
// of anything else.
func samples(schema *openapi3.Schema) []any {
	switch {
	case schema == nil:
		return nil
	case schema.Type.Includes(openapi3.TypeBoolean):
		return []any{true, false}
	case hasBounds(schema):
		middle := (*schema.Min + *schema.Max) / 2
		if schema.Type.Includes(openapi3.TypeInteger) {
			middle = float64(int64(middle))
		}
		return []any{*schema.Min, middle, *schema.Max}
	case schema.Type.Includes(openapi3.TypeString) && len(schema.Enum) == 0 && schema.Format == "":
		return []any{"Orders", "Billing", "Archive"}
	}
	return schema.Enum
}

func hasBounds(schema *openapi3.Schema) bool { return schema.Min != nil && schema.Max != nil }

// otherSample is a sample other than what an object has now; nil if there is none.
func otherSample(schema *openapi3.Schema, now any) any {
	for _, sample := range samples(schema) {
		if asJSON(sample) != asJSON(now) {
			return sample
		}
	}
	return nil
}

// unusedBy are the attributes that do not apply to a kind of source.
func unusedBy(source, kind string) (names []string) {
	for name, schema := range requested(kind) {
		if needed := mockapi.Sources(schema); len(needed) > 0 && !slices.Contains(needed, source) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// camel is an attribute's name as the API spells it.
func camel(name string) string {
	return regexp.MustCompile("_[a-z]").ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
}

// asJSON is a value in one form, whatever its type is in Go.
func asJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
