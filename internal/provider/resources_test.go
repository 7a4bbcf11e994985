package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

type checks = map[string]knownvalue.Check

// A lifecycle takes a resource through Terraform. After its first step, it is
// imported.
type resourceLife struct {
	config       func(id, body string) string
	kind         mockapi.Kind
	id, importID string
	operation    string // that changes the object
	source       string // of a pipe: an import leaves out what does not apply to it
	steps        []step
}

// A step is an apply of a configuration. The framework checks that the next plan
// is empty.
type step struct {
	drift  func(mockapi.Object) // what somebody changes before
	id     string               // of another object
	config string
	action plancheck.ResourceActionType
	sent   string // "" for nothing
	shows  checks
}

// TestResourcesInTerraform adopts, imports, changes, replaces and destroys each kind of
// resource, and checks what is planned and sent. TestEntr* do so for entries of lists.
func TestResourcesInTerraform(t *testing.T) {
	t.Parallel()
	for kind, l := range map[string]resourceLife{
		"service": serviceLifecycle, "pipe_scaling": scalingLifecycle, "pipe_settings": settingsLifecycle, "api_key": keyLifecycle,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			env, address := newEnv(t), "dbplatform_"+kind+".this"
			idName := map[mockapi.Kind]string{mockapi.Service: "service_id", mockapi.Pipe: "pipe_id", mockapi.Key: "key_id"}[l.kind]
			var steps []resource.TestStep
			for _, s := range l.steps {
				apply := resource.TestStep{
					PreConfig: func() {
						if s.drift != nil {
							env.Change(l.kind, l.id, s.drift)
						}
						env.ResetRequests()
					},
					Config:           env.ProviderBlock() + l.config(cmp.Or(s.id, l.id), s.config),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, s.action)}},
					Check: func(*terraform.State) error {
						env.ExpectWrites(t, l.operation, oneOrNone(s.sent)...)
						return nil
					},
				}
				for name, check := range s.shows {
					apply.ConfigStateChecks = append(apply.ConfigStateChecks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), check))
				}
				steps = append(steps, apply)
			}
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
					"dbplatform": func() (tfprotov6.ProviderServer, error) { return newServer(&dbplatform{}), nil },
				},
				Steps: slices.Insert(steps, 1, resource.TestStep{
					ResourceName: address, ImportState: true, ImportStateId: l.importID,
					ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: idName, ImportStateVerifyIgnore: unusedBy(l.source, kind),
				}),
			})
			env.ExpectWrites(t, l.operation, oneOrNone(l.steps[len(l.steps)-1].sent)...) // the destroy sent nothing
		})
	}
}

var serviceLifecycle = resourceLife{
	config: serviceConfig, kind: mockapi.Service, id: mockapi.ServiceID, importID: mockapi.ServiceID, operation: "updateService",
	steps: []step{
		{ // adopted, and nothing managed yet
			action: plancheck.ResourceActionCreate,
			shows:  checks{"name": knownvalue.StringExact("Orders"), "release_channel": knownvalue.Null(), "endpoints_enabled": knownvalue.Null()},
		},
		{
			config: wholeService, action: plancheck.ResourceActionUpdate,
			sent: `{"name":"Renamed","ipAccessList":{` + addedEntries + `,"remove":[{"description":"office","source":"192.0.2.7"},{"description":"private network","source":"10.0.0.0/8"}]},
				"privateEndpointIds":{"add":["vpce-8c9d0e1f"],"remove":["vpce-0a1b2c3d"]},"transparentDataEncryptionKeyId":"tde-key-2",
				"releaseChannel":"fast","endpoints":[{"enabled":false,"protocol":"mysql"}]} then ` + addedAgain,
			shows: checks{"release_channel": knownvalue.StringExact("fast"), "endpoints": knownvalue.MapSizeExact(0)},
		},
		{
			drift: func(service mockapi.Object) {
				service["ipAccessList"] = []any{mockapi.Object{"source": "0.0.0.0/0", "description": "oops"}}
				service["endpoints"].([]any)[0].(mockapi.Object)["enabled"] = true
			},
			config: wholeService, action: plancheck.ResourceActionUpdate,
			sent: `{"ipAccessList":{` + addedEntries + `,"remove":[{"description":"oops","source":"0.0.0.0/0"}]},"endpoints":[{"enabled":false,"protocol":"mysql"}]}`,
		},
		{ // no longer managed: nothing is sent, nothing is reset
			action: plancheck.ResourceActionUpdate,
			shows:  checks{"name": knownvalue.StringExact("Renamed"), "release_channel": knownvalue.Null(), "endpoints_enabled": knownvalue.Null()},
		},
		{id: mockapi.OtherServiceID, config: `name = "Playground"`, action: plancheck.ResourceActionDestroyBeforeCreate, sent: `{"name":"Playground"}`},
	},
}

const (
	wholeService = `
  name                               = "Renamed"
  ip_access_list                     = { "10.0.0.0/8" = "the vpc", "203.0.113.9" = "" }
  private_endpoint_ids               = ["vpce-4e5f6a7b", "vpce-8c9d0e1f"]
  transparent_data_encryption_key_id = "tde-key-2"
  release_channel                    = "fast"
  endpoints_enabled                  = { mysql = false }
`
	addedAgain   = `{"ipAccessList":{"add":[{"description":"the vpc","source":"10.0.0.0/8"}]}}` // the mock API adds first and removes by address
	addedEntries = `"add":[{"description":"the vpc","source":"10.0.0.0/8"},{"description":"","source":"203.0.113.9"}]`
)

var scalingLifecycle = resourceLife{
	config: scalingConfig, kind: mockapi.Pipe, id: mockapi.KafkaPipeID, importID: mockapi.ServiceID + "/" + mockapi.KafkaPipeID,
	operation: "scalePipe", source: "kafka",
	steps: []step{
		{config: "replicas = 4", action: plancheck.ResourceActionCreate, sent: `{"replicas":4}`, shows: checks{"replicas": knownvalue.Int64Exact(4)}},
		{config: "replicas = 4\n  replica_memory_gb = 0.5", action: plancheck.ResourceActionUpdate, sent: `{"replicaMemoryGb":0.5}`},
		// Left out again: no longer managed, not reset.
		{config: "replicas = 4", action: plancheck.ResourceActionNoop, shows: checks{"replica_memory_gb": knownvalue.Float64Exact(0.5)}},
		{ // other drift is not touched
			drift: func(pipe mockapi.Object) {
				scaling := pipe["scaling"].(mockapi.Object)
				scaling["replicas"], scaling["replicaCpuMillicores"] = 9, 2000
			},
			config: "replicas = 4", action: plancheck.ResourceActionUpdate, sent: `{"replicas":4}`,
			shows: checks{"replica_cpu_millicores": knownvalue.Int64Exact(2000)},
		},
		{id: mockapi.ObjectStoragePipeID, config: "concurrency = 34", action: plancheck.ResourceActionDestroyBeforeCreate, sent: `{"concurrency":34}`},
	},
}

var settingsLifecycle = resourceLife{
	config: settingsConfig, kind: mockapi.Pipe, id: mockapi.ObjectStoragePipeID, importID: mockapi.ServiceID + "/" + mockapi.ObjectStoragePipeID,
	operation: "updatePipeSettings", source: "objectStorage",
	steps: []step{
		{
			config: "object_storage_concurrency = 12", action: plancheck.ResourceActionCreate,
			sent:  allSettings(mockapi.ObjectStoragePipeID, map[string]any{"object_storage_concurrency": 12}),
			shows: checks{"object_storage_concurrency": knownvalue.Int64Exact(12)},
		},
		{ // other drift is not touched
			drift: func(pipe mockapi.Object) {
				settings := pipe["settings"].(mockapi.Object)
				settings["object_storage_concurrency"], settings["db_max_download_threads"] = 1, 31
			},
			config: "object_storage_concurrency = 12\n  db_max_threads = 0\n  db_parallel_view_processing = true", action: plancheck.ResourceActionUpdate,
			sent: allSettings(mockapi.ObjectStoragePipeID, map[string]any{
				"object_storage_concurrency": 12, "db_max_threads": 0, "db_parallel_view_processing": true, "db_max_download_threads": 31,
			}),
			shows: checks{"db_max_download_threads": knownvalue.Int64Exact(31)},
		},
		{
			id: mockapi.KafkaPipeID, config: "streaming_max_insert_wait_ms = 60000", action: plancheck.ResourceActionDestroyBeforeCreate,
			sent: allSettings(mockapi.KafkaPipeID, map[string]any{"streaming_max_insert_wait_ms": 60000}),
		},
	},
}

// allSettings is a PUT of all settings that a pipe has at first, with changes on top.
func allSettings(id string, changes map[string]any) string {
	settings := mockapi.New().Object(mockapi.Pipe, id)["settings"].(mockapi.Object)
	foreign := map[string]string{mockapi.KafkaPipeID: "object_storage_", mockapi.ObjectStoragePipeID: "streaming_"}[id]
	maps.DeleteFunc(settings, func(name string, _ any) bool { return strings.HasPrefix(name, foreign) })
	maps.Copy(settings, changes)
	body, _ := json.Marshal(settings)
	return string(body)
}

var keyLifecycle = resourceLife{
	config: keyConfig, kind: mockapi.Key, id: mockapi.APIKeyID, importID: mockapi.APIKeyID, operation: "updateKey",
	steps: []step{
		{ // adopted, and nothing managed yet
			action: plancheck.ResourceActionCreate,
			shows:  checks{"state": knownvalue.Null()},
		},
		{
			config: `expire_at = "2031-06-30T00:00:00Z"`, action: plancheck.ResourceActionUpdate,
			sent: `{"expireAt":"2031-06-30T00:00:00Z"}`, shows: checks{"expire_at": knownvalue.StringExact("2031-06-30T00:00:00Z")},
		},
		{config: `expire_at = "2031-06-30T02:00:00.000+02:00"`, action: plancheck.ResourceActionNoop}, // the same instant
		{config: wholeKey, action: plancheck.ResourceActionUpdate, sent: `{"name":"Rotated","state":"disabled",` + sentKey + `}`},
		{
			drift: func(key mockapi.Object) {
				key["expireAt"], key["roles"], key["ipAccessList"] = nil, []any{"admin"}, []any{}
			},
			config: wholeKey, action: plancheck.ResourceActionUpdate, sent: `{` + sentKey + `}`,
		},
		{config: `expire_at = "never"`, action: plancheck.ResourceActionUpdate, sent: `{"expireAt":null}`, shows: checks{"expire_at": knownvalue.StringExact("never")}},
		{id: mockapi.OtherAPIKeyID, config: `expire_at = "never"`, action: plancheck.ResourceActionDestroyBeforeCreate}, // which is so already
	},
}

const (
	wholeKey = `
  name           = "Rotated"
  roles          = ["query_endpoints", "admin"]
  expire_at      = "2032-02-29T12:00:00+02:00"
  state          = "disabled"
  ip_access_list = { "198.51.100.0/24" = "runners" }
`
	sentKey = `"expireAt":"2032-02-29T12:00:00+02:00","ipAccessList":[{"description":"runners","source":"198.51.100.0/24"}],"roles":["admin","query_endpoints"]`
)

// Pipes, each with a scaling and settings and looked up as well, cost a known number of requests.
// TestConnectionsAreReused in package transport has the connections.
func TestRequestsInTerraform(t *testing.T) {
	t.Parallel()
	const n = 15
	env := newEnv(t)
	env.AddPipes(n)
	tf := env.CLI(t, manyPipes(n))
	for _, step := range []struct {
		args     []string
		requests int
	}{
		{[]string{"apply", "-auto-approve"}, 6 * n}, // a read to plan; a read, a PATCH, a read or two, and a PUT to apply
		{[]string{"plan", "-detailed-exitcode"}, n},
		{[]string{"apply", "-auto-approve", "-var", "changed=1"}, n + 2},
		{[]string{"destroy", "-auto-approve"}, n}, // reads only in the plan
	} {
		tf.Must(step.args...)
		if requests := len(env.Requests()); requests == 0 || requests > step.requests {
			t.Errorf("%v took %d requests, not %d", step.args, requests, step.requests)
		}
		env.ResetRequests()
	}
}

// manyPipes is the configuration of the pipes that the API has been given n of.
func manyPipes(n int) string {
	ids := `format("55555555-5555-4555-8555-%012d", count.index + 1)`
	block := func(kind string, more string) string {
		return fmt.Sprintf(`
%s "all" {
  count      = %d
  service_id = %q
  pipe_id    = %s
  %s
}
`, kind, n, mockapi.ServiceID, ids, more)
	}
	return `
variable "changed" {
  default = 0
}
` + block(`resource "dbplatform_pipe_scaling"`, "replicas = count.index < var.changed ? 4 : 3") +
		block(`resource "dbplatform_pipe_settings"`, "db_max_threads = 5") +
		block(`data "dbplatform_pipe"`, "")
}
