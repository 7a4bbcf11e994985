package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// managedBy puts a resource of another provider into the state, and lets the CLI
// find that provider. Terraform only loads its schema, whatever that has, so it is
// this provider under another name.
func managedBy(t *testing.T, tf *acctest.CLI, provider, kind, name string, attributes map[string]any) {
	t.Helper()
	file := filepath.Join(tf.Dir, "cli.tfrc")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	override := regexp.MustCompile(`"dbplatform/dbplatform" = "(.*)"`).FindStringSubmatch(string(config))
	if err := os.Symlink(override[1]+"/terraform-provider-dbplatform", filepath.Join(tf.Dir, "terraform-provider-"+path.Base(provider))); err != nil {
		t.Fatal(err)
	}
	tf.WriteFile("cli.tfrc", strings.Replace(string(config), override[0], fmt.Sprintf("%s\n    %q = %q", override[0], provider, tf.Dir), 1))
	set, err := json.Marshal(attributes)
	if err != nil {
		t.Fatal(err)
	}
	tf.WriteFile("terraform.tfstate", fmt.Sprintf(`{
		"version": 4, "terraform_version": "1.8.0", "serial": 1, "lineage": "3f6d2d57-7c0e-4a4c-9b52-1d1f0a6a3c11", "outputs": {},
		"resources": [{
			"mode": "managed", "type": %q, "name": %q, "provider": "provider[\"registry.terraform.io/%s\"]",
			"instances": [{"schema_version": 0, "attributes": %s, "sensitive_attributes": []}]
		}]
	}`, kind, name, provider, set))
}

const organizationPath = "/v1/organizations/" + mockapi.OrganizationID

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

// moves are old resources and the new ones that they move to, beside the guide's.
var moves = [][2]string{
	{`resource "restful_resource" "orders" {
  path          = "/v1/organizations/${var.organization_id}/services/${var.service_id}"
  create_method = "PATCH"
}
`, `resource "dbplatform_service" "orders" {
  service_id = "11111111-1111-4111-8111-111111111111"
  name       = "Orders"
}

moved {
  from = restful_resource.orders
  to   = dbplatform_service.orders
}
`},
	{`resource "restful_operation" "archive" {
  path   = "/v1/organizations/${var.organization_id}/services/${var.service_id}/pipes/${var.pipe_id}/settings"
  method = "PUT"
}
`, `resource "dbplatform_pipe_settings" "archive" {
  service_id = "11111111-1111-4111-8111-111111111111"
  pipe_id    = "22222222-2222-4222-8222-222222222222"

  object_storage_max_file_count = 100
}

moved {
  from = restful_operation.archive
  to   = dbplatform_pipe_settings.archive
}
`},
	{`resource "restapi_object" "dashboards" {
  path      = "/v1/organizations/${var.organization_id}/keys"
  object_id = var.key_id
}
`, `resource "dbplatform_api_key" "dashboards" {
  key_id = "33333333-3333-4333-8333-222222222222"
  name   = "Dashboards"
}

moved {
  from = restapi_object.dashboards
  to   = dbplatform_api_key.dashboards
}
`},
}

// The old resource that the guide shows moves to the new one below it, and so do
// others. Nothing is sent but reads.
func TestGuideToMoving(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/moving-from-a-generic-rest-provider.md"
	shown := [2]string{blocksWith(t, guide, "text", `resource "rest`, 1)[0], blocksWith(t, guide, "terraform", "\nmoved {", 1)[0]}
	for _, pair := range append(moves, shown) {
		old, config := pair[0], pair[1]
		found := regexp.MustCompile(`^resource "(\w+)" "(\w+)"`).FindStringSubmatch(old)
		kind, name := found[1], found[2]
		t.Run(kind+"."+name, func(t *testing.T) {
			t.Parallel()
			attributes := map[string]any{}
			for _, set := range regexp.MustCompile(`(?m)^ {2}(\w+) += "?([^"\n]*)`).FindAllStringSubmatch(old, -1) {
				attributes[set[1]] = regexp.MustCompile(`\$?\{?var\.(\w+)\}?`).ReplaceAllStringFunc(set[2], func(reference string) string {
					if id := regexp.MustCompile(strings.Trim(reference, "${}")[len("var."):] + ` += "([^"]+)"`).FindStringSubmatch(config); id != nil {
						return id[1]
					}
					return mockapi.OrganizationID
				})
			}
			provider := "mastercard/restapi"
			if attributes["id"] = attributes["object_id"]; kind != "restapi_object" {
				provider, attributes["id"] = "magodo/restful", attributes["path"]
			}
			env := newEnv(t)
			tf := env.CLI(t, config)
			if minor := map[bool]int{false: 8, true: 10}[tf.IsOpenTofu()]; !tf.IsAtLeast(minor) {
				t.Skip("the CLI cannot move an object to another type")
			}
			managedBy(t, tf, provider, kind, name, attributes)
			out := tf.Apply()
			acctest.Contains(t, out, kind+"."+name+" has moved to dbplatform_", "0 added, 0 changed, 0 destroyed")
			acctest.Lacks(t, out, "Warning: Adopting")
			env.ExpectOnlyReads(t)
			tf.ExpectNoChanges()
		})
	}
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
		if err := move(t, c, "restapi", "restapi_object", kind, test.source); err != nil {
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
	err := move(t, c, "restapi", "restapi_object", "pipe_scaling", map[string]any{"path": organizationPath + "/services", "id": mockapi.ServiceID})
	acctest.Contains(t, fmt.Sprint(err), "Unable to move to pipe scaling", "The restapi_object has no path for dbplatform_pipe_scaling",
		"/services/{service_id}/pipes/{pipe_id} or /services/{service_id}/pipes/{pipe_id}/scaling, with a UUID", "import id: service_id/pipe_id")

	elsewhere := "/v1/organizations/" + acctest.OtherOrganization + "/services/" + notThere + "/pipes/" + notThere + "/scaling"
	if err := move(t, c, "restapi", "restful_operation", "pipe_scaling", map[string]any{"id": elsewhere}); err != nil {
		t.Fatal(err)
	}
	c.Walk()
	acctest.Contains(t, fmt.Sprint(c.Refresh("pipe_scaling")), "Another organization or API", acctest.OtherOrganization)
}

// An organization is the same one in upper case.
func TestSpellingOfAnOrganization(t *testing.T) {
	t.Parallel()
	env := newHookedEnv(t, func(http.ResponseWriter, acctest.Call) bool { return false })
	c := env.Core(t, nil)
	upper := strings.ToUpper(acctest.OtherOrganization)
	if err := move(t, c, "restapi", "restapi_object", "api_key", map[string]any{"path": "/v1/organizations/" + upper + "/keys/" + mockapi.APIKeyID}); err != nil {
		t.Fatal(err)
	}
	for name, organization := range map[string]string{"One": acctest.OtherOrganization, "Two": upper} {
		c.Connect = func() tfprotov6.ProviderServer {
			return env.Connect(t, map[string]any{"organization_id": organization})
		}
		c.Walk()
		p, err := c.Plan("api_key", c.Config("api_key", onKey(map[string]any{"name": name})["api_key"]))
		if err == nil {
			c.Walk()
			err = c.Apply("api_key", p)
		}
		if err != nil {
			t.Errorf("in %s: %v", organization, err)
		}
	}
}

// From another address of this provider, such as a mirror, the state moves as it
// is, with the private state, which has where the object was last seen.
// Attributes of a newer version are dropped.
func TestMoveFromMirror(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	key := onKey(map[string]any{"name": "Mine"})
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

// A move leaves what an import leaves: the ids, and the mark that the next refresh
// looks for.
func TestMoveIsLikeImport(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	if err := move(t, c, "restapi", "restapi_object", "api_key", map[string]any{"path": "/keys", "id": notThere}); err != nil {
		t.Fatal(err)
	}
	imported, err := c.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "dbplatform_api_key", ID: notThere})
	if err != nil || acctest.Errors(imported.Diagnostics) != nil {
		t.Fatalf("%v %v", err, acctest.Errors(imported.Diagnostics))
	}
	want := imported.ImportedResources[0]
	moved := c.Instance("api_key")
	if state := c.Unpack("api_key", want.State); !moved.State.Equal(state) {
		t.Errorf("the state is %s, not %s", moved.State, state)
	}
	if diff := cmp.Diff(want.Identity, moved.Identity); diff != "" {
		t.Errorf("the identity (-import +move):\n%s", diff)
	}
	acctest.Contains(t, string(moved.Private), `"imported"`)
	if len(env.Requests()) > 0 {
		t.Errorf("%d requests were sent", len(env.Requests()))
	}
}
