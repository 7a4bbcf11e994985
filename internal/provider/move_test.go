package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// managedBy puts restapi_object.events into the state, and lets the CLI find its
// provider. Terraform only loads its schema, whatever that has, so it is this provider
// under another name.
func managedBy(t *testing.T, tf *acctest.CLI, attributes map[string]any) {
	t.Helper()
	file := filepath.Join(tf.Dir, "cli.tfrc")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	override := regexp.MustCompile(`"dbplatform/dbplatform" = "(.*)"`).FindStringSubmatch(string(config))
	if err := os.Symlink(override[1]+"/terraform-provider-dbplatform", filepath.Join(tf.Dir, "terraform-provider-restapi")); err != nil {
		t.Fatal(err)
	}
	tf.WriteFile("cli.tfrc", strings.Replace(string(config), override[0], fmt.Sprintf("%s\n    \"mastercard/restapi\" = %q", override[0], tf.Dir), 1))
	set, _ := json.Marshal(attributes)
	tf.WriteFile("terraform.tfstate", fmt.Sprintf(`{
		"version": 4, "terraform_version": "1.8.0", "serial": 1, "lineage": "3f6d2d57-7c0e-4a4c-9b52-1d1f0a6a3c11", "outputs": {},
		"resources": [{
			"mode": "managed", "type": "restapi_object", "name": "events", "provider": "provider[\"registry.terraform.io/mastercard/restapi\"]",
			"instances": [{"schema_version": 0, "attributes": %s, "sensitive_attributes": []}]
		}]
	}`, set))
}

const organizationPath = "/v1/organizations/" + mockapi.OrganizationID

// move moves an object into the state of a core, from a state of this type at
// another provider.
func move(t *testing.T, c *acctest.Core, address, sourceType, kind string, attributes map[string]any) error {
	t.Helper()
	raw, _ := json.Marshal(attributes)
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

// The old resource that the guide shows moves to the new one below it. Nothing is
// sent but reads.
func TestGuideToMoving(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/moving-from-a-generic-rest-provider.md"
	old, config := blocksWith(t, guide, "text", `resource "rest`, 1)[0], blocksWith(t, guide, "terraform", "\nmoved {", 1)[0]
	env := newEnv(t)
	tf := env.CLI(t, config)
	if minor := map[bool]int{false: 8, true: 10}[tf.IsOpenTofu()]; !tf.IsAtLeast(minor) {
		t.Skip("the CLI cannot move an object to another type")
	}
	values := strings.NewReplacer("${var.organization_id}", mockapi.OrganizationID, "${var.service_id}", mockapi.ServiceID, "var.pipe_id", mockapi.KafkaPipeID)
	attributes := map[string]any{"id": mockapi.KafkaPipeID}
	for _, set := range regexp.MustCompile(`(?m)^ {2}(\w+) += "?([^"\n]*)`).FindAllStringSubmatch(old, -1) {
		attributes[set[1]] = values.Replace(set[2])
	}
	managedBy(t, tf, attributes)
	out := tf.Apply()
	acctest.Contains(t, out, "restapi_object.events has moved to dbplatform_", "0 added, 0 changed, 0 destroyed")
	acctest.Lacks(t, out, "Warning: Adopting")
	env.ExpectOnlyReads(t)
	tf.ExpectNoChanges()
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

// What does not fit the target is not moved, nor are numbers that no attribute can
// hold, nor is an object of another organization, whatever the API returns for its id.
func TestMoveRefuses(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	err := move(t, c, "restapi", "restapi_object", "pipe_scaling", map[string]any{"path": organizationPath + "/services", "id": mockapi.ServiceID})
	acctest.Contains(t, fmt.Sprint(err), "Unable to move to pipe scaling", "The restapi_object has no path for dbplatform_pipe_scaling",
		"/services/{service_id}/pipes/{pipe_id} or /services/{service_id}/pipes/{pipe_id}/scaling, with a UUID", "import id: service_id/pipe_id")

	for _, number := range []json.Number{"1.5", "1e400"} {
		err := move(t, c, "mirror/dbplatform", "dbplatform_service", "service", map[string]any{"service_id": mockapi.ServiceID, "num_replicas": number})
		acctest.Contains(t, fmt.Sprint(err), "Invalid state of service …1111", "service "+mockapi.ServiceID, "cannot hold: num_replicas.")
	}

	err = move(t, c, "restapi", "restapi_object", entryKind, map[string]any{"path": organizationPath + "/services", "id": mockapi.ServiceID})
	acctest.Contains(t, fmt.Sprint(err), "Unable to Move Resource State")

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
	upper := strings.ToUpper(acctest.OtherOrganization)
	for organization, inPath := range map[string]string{acctest.OtherOrganization: upper, upper: acctest.OtherOrganization} {
		c := newEnv(t).Core(t, map[string]any{"organization_id": organization})
		if err := move(t, c, "restapi", "restapi_object", "api_key", map[string]any{"path": "/v1/organizations/" + inPath + "/keys/" + notThere}); err != nil {
			t.Fatal(err)
		}
		if err := c.Refresh("api_key"); err != nil { // and not that it is elsewhere
			t.Error(err)
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

// A move and its read leave what an import leaves. It sends nothing itself.
func TestMoveIsLikeImport(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	for kind, path := range map[string]string{
		"service":       "/services/" + mockapi.ServiceID,
		"pipe_settings": "/services/" + mockapi.ServiceID + "/pipes/" + mockapi.KafkaPipeID + "/settings",
		"api_key":       "/keys/" + mockapi.APIKeyID,
	} {
		if err := c.Import(kind, importIDs[kind]); err != nil {
			t.Fatal(err)
		}
		imported := *c.Instance(kind)
		env.ResetRequests()
		if err := move(t, c, "restful", "restful_resource", kind, map[string]any{"id": organizationPath + path}); err != nil {
			t.Fatal(err)
		}
		if len(env.Requests()) > 0 || !cmp.Equal(imported.Identity, c.Instance(kind).Identity) {
			t.Errorf("%s: %d requests were sent, and the identity is %v", kind, len(env.Requests()), c.Instance(kind).Identity)
		}
		if err := c.Refresh(kind); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(imported, *c.Instance(kind)); diff != "" {
			t.Errorf("%s (-import +move):\n%s", kind, diff)
		}
	}
}
