package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// The addresses of the providers that objects are moved from.
const (
	restapiAddress = "registry.terraform.io/mastercard/restapi"
	restfulAddress = "registry.terraform.io/magodo/restful"
)

// sourceProvider is a provider that an object is moved from. Terraform needs
// its schema to read the state; any other call is a panic in the test.
type sourceProvider struct {
	tfprotov6.ProviderServer
	schemas map[string]*tfprotov6.Schema
}

func (s sourceProvider) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{
		Provider:           &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
		ProviderMeta:       &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
		ResourceSchemas:    s.schemas,
		ServerCapabilities: &tfprotov6.ServerCapabilities{GetProviderSchemaOptional: true},
	}, nil
}

func (s sourceProvider) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (s sourceProvider) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// genericSchema is a schema of the named attributes, all strings.
func genericSchema(names []string) *tfprotov6.Schema {
	block := &tfprotov6.SchemaBlock{}
	for _, name := range names {
		block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{Name: name, Type: tftypes.String, Optional: true, Computed: true})
	}
	return &tfprotov6.Schema{Block: block}
}

// install serves a provider to the CLI from within the test.
func install(t *testing.T, tf *acctest.CLI, address string, schemas map[string]*tfprotov6.Schema) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	reattach, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		_ = tf6server.Serve(address, func() tfprotov6.ProviderServer { return sourceProvider{schemas: schemas} },
			tf6server.WithDebug(ctx, reattach, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithoutLogStderrOverride())
	}()
	served := <-reattach
	t.Cleanup(func() {
		stop()
		<-closed
	})
	server := map[string]any{
		"Protocol": string(served.Protocol), "ProtocolVersion": served.ProtocolVersion, "Pid": served.Pid, "Test": true,
		"Addr": map[string]string{"Network": served.Addr.Network(), "String": served.Addr.String()},
	}
	config, err := json.Marshal(map[string]any{
		address: server,
		strings.Replace(address, "registry.terraform.io", "registry.opentofu.org", 1): server, // what OpenTofu makes of it
	})
	if err != nil {
		t.Fatal(err)
	}
	tf.Setenv("TF_REATTACH_PROVIDERS=" + string(config))
}

// writeState writes a state whose one resource is called old.
func writeState(t *testing.T, tf *acctest.CLI, address, kind string, attributes map[string]any) {
	t.Helper()
	state, err := json.Marshal(map[string]any{
		"version": 4, "terraform_version": "1.8.0", "serial": 1, "lineage": "3f6d2d57-7c0e-4a4c-9b52-1d1f0a6a3c11", "outputs": map[string]any{},
		"resources": []any{map[string]any{
			"mode": "managed", "type": kind, "name": "old", "provider": fmt.Sprintf("provider[%q]", address),
			"instances": []any{map[string]any{"schema_version": 0, "attributes": attributes, "sensitive_attributes": []any{}}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tf.WriteFile("terraform.tfstate", string(state))
}

const (
	organizationPath = "/v1/organizations/" + mockapi.OrganizationID
	servicePath      = organizationPath + "/services/" + mockapi.ServiceID
	pipePath         = servicePath + "/pipes/" + mockapi.KafkaPipeID
)

// move moves an object into the state of a core, from a state of this type at
// another provider.
func move(t *testing.T, c *acctest.Core, address, sourceType, kind string, attributes map[string]any) error {
	t.Helper()
	raw, err := json.Marshal(attributes)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := c.Server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: address, SourceTypeName: sourceType, SourceState: &tfprotov6.RawState{JSON: raw},
		SourcePrivate: c.Instance(kind).Private, TargetTypeName: "dbplatform_" + kind,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := acctest.Errors(moved.Diagnostics); err != nil {
		return err
	}
	*c.Instance(kind) = acctest.Instance{State: c.Unpack(kind, moved.TargetState), Private: moved.TargetPrivate, Identity: moved.TargetIdentity}
	return nil
}

// An object moves from a generic provider without a request that writes. The
// states are those that the providers keep for the usual ways to manage an
// object of this API.
func TestMoveFromGenericProvider(t *testing.T) {
	t.Parallel()
	scaling := map[string]any{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "replicas": 2}
	for name, test := range map[string]struct {
		address, source, kind string
		config, attributes    map[string]any
	}{
		"restapi_object, with the last id apart": {
			restapiAddress, "restapi_object", "pipe_scaling", scaling, map[string]any{
				"path": servicePath + "/pipes", "id": mockapi.KafkaPipeID, "object_id": mockapi.KafkaPipeID, "id_attribute": "id", "query_string": nil,
				"create_path": servicePath + "/pipes/{id}/scaling", "create_method": "PATCH", "read_path": nil,
				"update_path": servicePath + "/pipes/{id}/scaling", "update_method": "PATCH", "destroy_path": servicePath + "/pipes/{id}", "destroy_method": "GET",
				"data": `{"replicas":2}`, "api_data": map[string]any{"id": mockapi.KafkaPipeID, "state": "Running"}, "api_response": "{}", "create_response": "{}",
			},
		},
		"restapi_object, with a path to read and a query": {
			restapiAddress, "restapi_object", "service", map[string]any{"service_id": mockapi.ServiceID, "name": "Orders"}, map[string]any{
				"path": servicePath, "id": "orders", "object_id": "orders", "read_path": servicePath + "?verbose=true", "read_method": "PATCH", "read_data": "{}",
				"data": `{"name":"Orders"}`, "api_data": map[string]any{"name": "Orders"},
			},
		},
		"restapi_object of a key, from OpenTofu": {
			"restapi", "restapi_object", "api_key",
			map[string]any{"key_id": mockapi.APIKeyID, "name": "Deployment", "on_destroy": "keep"},
			map[string]any{"path": "/keys", "id": mockapi.APIKeyID, "data": `{"name":"Deployment"}`},
		},
		"restful_resource": {
			restfulAddress, "restful_resource", "pipe_settings",
			map[string]any{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "db_max_threads": 8},
			map[string]any{
				"id": pipePath, "path": pipePath + "/settings", "read_path": pipePath, "create_method": "PUT", "update_method": "PUT",
				"body": `{"db_max_threads":8}`, "output": "{}",
			},
		},
		"restful_operation": {
			restfulAddress, "restful_operation", "pipe_scaling", scaling,
			map[string]any{"id": pipePath + "/scaling", "path": pipePath + "/scaling", "method": "PATCH", "body": `{"replicas":2}`, "output": "{}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			c := env.Core(t, nil)
			if err := move(t, c, test.address, test.source, test.kind, test.attributes); err != nil {
				t.Fatal(err)
			}
			c.ExpectNoChanges(acctest.Configs{test.kind: test.config})
			env.ExpectOnlyReads(t)
		})
	}
}

// The guide's example moves the object that it shows.
func TestGuideToMoving(t *testing.T) {
	t.Parallel()
	all := snippetsOf(t, "docs/guides/moving-from-a-generic-rest-provider.md")
	at := slices.IndexFunc(all, func(s snippet) bool { return strings.Contains(s.text, "\nmoved {") })
	if at < 0 {
		t.Fatal("the guide shows no moved block")
	}
	env := newEnv(t)
	tf := env.CLI(t, strings.Replace(all[at].text, "restapi_object.events", "restapi_object.old", 1))
	if minor := map[bool]int{false: 8, true: 10}[tf.IsOpenTofu()]; !tf.IsAtLeast(minor) {
		t.Skip("the CLI cannot move an object to another type")
	}
	attributes := map[string]any{
		"path": servicePath + "/pipes", "id": mockapi.KafkaPipeID, "object_id": mockapi.KafkaPipeID,
		"read_path": servicePath + "/pipes/{id}", "update_path": servicePath + "/pipes/{id}/scaling", "data": `{"replicas":2}`,
	}
	install(t, tf, restapiAddress, map[string]*tfprotov6.Schema{"restapi_object": genericSchema(slices.Collect(maps.Keys(attributes)))})
	writeState(t, tf, restapiAddress, "restapi_object", attributes)
	out := tf.Must("plan")
	acctest.Contains(t, out, "restapi_object.old has moved to dbplatform_pipe_scaling.events", "0 to add, 0 to change, 0 to destroy")
	acctest.Lacks(t, out, "Warning: Adopting")
	acctest.Contains(t, tf.Apply(), "0 added, 0 changed, 0 destroyed")
	env.ExpectOnlyReads(t)
	tf.ExpectNoChanges()
}

// A difference between object and configuration is an update like any other.
func TestMoveWithDrift(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	if err := move(t, c, restfulAddress, "restful_operation", "pipe_scaling", map[string]any{"id": "anything", "path": pipePath + "/scaling"}); err != nil {
		t.Fatal(err)
	}
	if changed := c.Must(acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 3})}); len(changed) != 1 {
		t.Error("nothing is changed")
	}
	env.ExpectWrites(t, "scalePipe", `{"replicas":3}`)
}

// Without a refresh, no plan has shown the lists of a moved object: an update only
// adds to them.
func TestMoveWithoutRefreshRemovesNothing(t *testing.T) {
	t.Parallel()
	list := map[string]any{"203.0.113.9": "new"}
	for kind, test := range map[string]struct {
		source map[string]any
		config acctest.Configs
		sent   string
	}{
		"service": {
			map[string]any{"path": organizationPath + "/services", "id": mockapi.ServiceID},
			onService(map[string]any{"ip_access_list": list, "private_endpoint_ids": []any{"vpce-8c9d0e1f"}}),
			`{"ipAccessList":{"add":[{"source":"203.0.113.9","description":"new"}]},"privateEndpointIds":{"add":["vpce-8c9d0e1f"]}}`,
		},
		"api_key": {
			map[string]any{"path": organizationPath + "/keys", "id": mockapi.APIKeyID},
			onKey(map[string]any{"ip_access_list": list, "roles": []any{"query_endpoints"}}),
			`{"roles":["admin","developer","query_endpoints"],"ipAccessList":[{"source":"198.51.100.0/24","description":"runners"},` +
				`{"source":"2001:db8::1","description":"bastion"},{"source":"203.0.113.9","description":"new"}]}`,
		},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		if err := move(t, c, restapiAddress, "restapi_object", kind, test.source); err != nil {
			t.Fatal(err)
		}
		c.Walk()
		p, err := c.Plan(kind, c.Config(kind, test.config[kind]))
		if err != nil {
			t.Fatal(err)
		}
		c.Walk()
		_ = c.Apply(kind, p) // what was there before is not confirmed, or it is kept
		env.ExpectWrites(t, map[string]string{"service": "updateService", "api_key": "updateKey"}[kind], test.sent)
	}
}

// What does not fit the target is not moved, nor is an object of another
// organization, whatever the API returns for its id.
func TestMoveRefuses(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	err := move(t, c, restapiAddress, "restapi_object", "pipe_scaling", map[string]any{"path": organizationPath + "/services", "id": mockapi.ServiceID})
	acctest.Contains(t, fmt.Sprint(err), "Unable to move to pipe scaling", "The restapi_object has no path that matches a pipe scaling",
		"/services/{service_id}/pipes/{pipe_id} or /services/{service_id}/pipes/{pipe_id}/scaling, with a UUID", "import id: service_id/pipe_id")

	path := "/v1/organizations/" + acctest.OtherOrganization + "/keys"
	if err := move(t, c, restapiAddress, "restapi_object", "api_key", map[string]any{"path": path, "id": notThere}); err != nil {
		t.Fatal(err)
	}
	c.Walk()
	acctest.Contains(t, fmt.Sprint(c.Refresh("api_key")), "Another organization or API", acctest.OtherOrganization)
}

// From another address of this provider, such as a mirror, the state moves as it
// is, with the private state, which has where the object was last seen.
// Attributes of a newer version are dropped.
func TestMoveFromMirror(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	key := onKey(map[string]any{"name": "Mine", "on_destroy": "disable"})
	c.Must(key)
	before := *c.Instance("api_key")
	attributes := acctest.Plain(before.State).(map[string]any)
	attributes["from_a_newer_version"] = 1
	env.ResetRequests()
	if err := move(t, c, "registry.terraform.io/mirror/dbplatform", "dbplatform_api_key", "api_key", attributes); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, *c.Instance("api_key")); diff != "" {
		t.Errorf("the state (-before +after):\n%s", diff)
	}
	c.ExpectNoChanges(key)
	env.ExpectOnlyReads(t)
}

// A move leaves what an import leaves: the ids, the defaults of attributes that
// exist only in Terraform, and the mark that the next refresh looks for.
func TestMoveIsLikeImport(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	if err := move(t, c, "restapi", "restapi_object", "api_key", map[string]any{"path": organizationPath + "/keys", "id": notThere}); err != nil {
		t.Fatal(err)
	}
	imported, err := c.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "dbplatform_api_key", ID: notThere})
	if err != nil || acctest.Errors(imported.Diagnostics) != nil {
		t.Fatalf("%v %v", err, acctest.Errors(imported.Diagnostics))
	}
	moved, want := c.Instance("api_key"), imported.ImportedResources[0]
	if want := c.Unpack("api_key", want.State); !moved.State.Equal(want) {
		t.Errorf("the state is %s, not %s", moved.State, want)
	}
	if diff := cmp.Diff(want.Identity, moved.Identity); diff != "" {
		t.Errorf("the identity (-import +move):\n%s", diff)
	}
	acctest.Contains(t, string(moved.Private), `"imported"`)
	if len(env.Requests()) > 0 {
		t.Errorf("%d requests were sent", len(env.Requests()))
	}
}
