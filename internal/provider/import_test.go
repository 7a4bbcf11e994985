package provider

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Configuration that Terraform generates from import blocks is valid, plans
// nothing but the imports, and then nothing at all: also for objects with
// values that no configuration could set.
func TestImportInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
		service["name"] = "orders-production (old)"
		service["transparentDataEncryptionKeyId"] = ""
		service["ipAccessList"] = []any{}
	})
	env.Change(mockapi.Service, mockapi.OtherServiceID, func(service mockapi.Object) {
		service["ipAccessList"], service["privateEndpointIds"] = []any{mockapi.Object{"source": "10.0.0.0/8"}}, []any{"vpce/1"}
	})
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		pipe["scaling"].(mockapi.Object)["concurrency"] = 99
		pipe["scaling"].(mockapi.Object)["replicaMemoryGb"] = 0
	})
	env.Change(mockapi.Pipe, mockapi.ObjectStoragePipeID, func(pipe mockapi.Object) {
		pipe["settings"].(mockapi.Object)["streaming_max_insert_wait_ms"] = 0
		pipe["settings"].(mockapi.Object)["db_max_threads"] = nil
	})
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) {
		key["expireAt"], key["roles"] = nil, []any{}
	})
	var blocks strings.Builder
	for kind, ids := range map[string][]string{ // one with odd values, one without, and one that has nothing to manage
		"service":       {mockapi.ServiceID, mockapi.OtherServiceID},
		"pipe_scaling":  {mockapi.ServiceID + "/" + mockapi.KafkaPipeID, mockapi.ServiceID + "/" + mockapi.ObjectStoragePipeID, mockapi.ServiceID + "/" + mockapi.PostgresPipeID},
		"pipe_settings": {mockapi.ServiceID + "/" + mockapi.ObjectStoragePipeID, mockapi.ServiceID + "/" + mockapi.KafkaPipeID},
		"api_key":       {mockapi.APIKeyID, mockapi.OtherAPIKeyID},
	} {
		for i, id := range ids {
			fmt.Fprintf(&blocks, "import {\n  to = dbplatform_%s.n%d\n  id = %q\n}\n", kind, i, id)
		}
	}
	// Terraform 1.16.0 to 1.16.2 generates nothing for blocks without it (hashicorp/terraform#39144).
	tf := env.CLI(t, strings.ReplaceAll(blocks.String(), "import {\n", "import {\n  provider = dbplatform\n"))
	if tf.IsOpenTofu() && !tf.IsAtLeast(11) {
		t.Skip("before 1.11.2, OpenTofu crashes where a resource has nested attributes that are read-only")
	}
	out := tf.Must("plan", "-generate-config-out=generated.tf", "-out=plan")
	tf.Configure(blocks.String()) // an import block of a configured resource names no provider
	acctest.Contains(t, out, "Plan: 9 to import, 0 to add, 0 to change, 0 to destroy.",
		"Warning: Nothing to manage: pipe s", "Pipe "+mockapi.PostgresPipeID+" reads from Postgres; no attribute of the resource applies to that. Remove the resource")
	generated, err := os.ReadFile(filepath.Join(tf.Dir, "generated.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tf.Validate() {
		if d.Severity == "error" {
			t.Errorf("the generated configuration is refused: %s %s\n%s", d.Summary, d.Detail, generated)
		}
	}
	env.ResetRequests()
	acctest.Contains(t, tf.Apply(), "Apply complete! Resources: 9 imported, 0 added, 0 changed, 0 destroyed.")
	tf.ExpectNoChanges()
	env.ExpectOnlyReads(t)

	// It enforces an expiry that never comes and a list that is empty, too.
	env.Change(mockapi.Key, mockapi.OtherAPIKeyID, func(key mockapi.Object) {
		key["expireAt"], key["ipAccessList"] = "2033-01-01T00:00:00Z", []any{mockapi.Object{"source": "0.0.0.0/0", "description": ""}}
	})
	acctest.Contains(t, tf.Apply(), `"2033-01-01T00:00:00Z" -> "never"`, `- "0.0.0.0/0"`, "0 added, 1 changed, 0 destroyed")
	env.ExpectWrites(t, "updateKey", `{"expireAt":null,"ipAccessList":[]}`)
}

// What the API may not return is shown only if it is configured: after an import
// it is a change, and is sent unless the API shows it already. If the API returns
// it, drift is seen.
func TestImportOfUnreturnedAttributes(t *testing.T) {
	t.Parallel()
	config := onKey(map[string]any{"state": "enabled"})
	for returned, sent := range map[bool]string{true: "", false: `{"state":"enabled"}`} {
		env := newEnv(t)
		if returned {
			env.SetVariants(mockapi.Variants{"echo_write_only"})
		}
		c := env.Core(t, nil)
		if err := c.Import("api_key", mockapi.APIKeyID); err != nil {
			t.Fatal(err)
		}
		if changes := c.Changes("api_key", config["api_key"]); !slices.Equal(changes, []string{"state"}) {
			t.Errorf("returned is %v: the plan after the import changes %s", returned, changes)
		}
		c.Must(config)
		env.ExpectWrites(t, "updateKey", oneOrNone(sent)...)
		c.ExpectNoChanges(config)
		env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["state"] = "disabled" })
		if plans, err := c.PlanAll(config); err != nil || (len(plans) == 1) != returned {
			t.Errorf("returned is %v: drift is planned as %v (%v)", returned, plans, err)
		}
	}
}

// If the API does not return the object, an import has no known state: its plan shows as
// added what the object may have already. A warning says so.
func TestImportOfAHiddenObject(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"refuse_empty_patch=405"}))
	c := env.Core(t, nil)
	if err := c.Import("service", mockapi.ServiceID); err != nil {
		t.Fatal(err)
	}
	acctest.Contains(t, fmt.Sprint(c.Warnings), "Import of service …1111: current values unknown: The plan cannot compare, nor check whether the object exists: it shows every attribute that you set as added")
	acctest.Lacks(t, fmt.Sprint(c.Warnings), "last known state")
	if err := c.Import(entryKind, mockapi.ServiceID+"/203.0.113.7"); err != nil {
		t.Error(err)
	}
	acctest.Contains(t, fmt.Sprint(c.Warnings), "Import of access list entry of service …1111: current values unknown: ", "HTTP 405")
	config := onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "private network", "203.0.113.9": "mine"}})
	c.Must(config)
	c.ExpectNoChanges(config)
	expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 mine")
}

// The read after an import leaves out what no configuration could set, and names it in
// order. The next read shows it.
func TestImportLeavesOutInvalidValues(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		scaling := pipe["scaling"].(mockapi.Object)
		scaling["replicas"], scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"] = 99, 9, 0
		scaling["concurrency"] = 99 // which a Kafka pipe does not use
	})
	c := env.Core(t, nil)
	if err := c.Import("pipe_scaling", importIDs["pipe_scaling"]); err != nil || !c.Attribute("pipe_scaling", "replicas").IsNull() {
		t.Fatalf("%v, %v", err, c.Attribute("pipe_scaling", "replicas"))
	}
	acctest.Contains(t, fmt.Sprint(c.Warnings), ": replica_cpu_millicores = 9 (must be a whole number between 125 and 2000); replica_memory_gb = 0 (must be between 0.5 and 8); "+
		"replicas = 99 (must be a whole number between 1 and 10). They are left out of the imported state; what the configuration sets instead is applied.")
	setEntries(env, "10.0.0.0/33 ")
	if err := c.Import("service", mockapi.ServiceID); err != nil || !c.Attribute("service", "ip_access_list").IsNull() {
		t.Errorf("%v, %v", err, c.Attribute("service", "ip_access_list"))
	}
	c.Walk()
	if err := c.Refresh("pipe_scaling"); err != nil || c.Attribute("pipe_scaling", "replicas").IsNull() || len(c.Warnings) > 0 {
		t.Errorf("%v, %q", err, c.Warnings)
	}
}

// An import id of another form is refused with the form that it should have, and
// so is one of an object that does not exist or cannot be read.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	for _, test := range []struct{ kind, id, want string }{
		{"pipe_scaling", mockapi.KafkaPipeID, "service_id/pipe_id"},
		{"pipe_settings", mockapi.ServiceID + "/" + mockapi.KafkaPipeID + "/x", "service_id/pipe_id"},
		{"pipe_scaling", mockapi.ServiceID + "/mine", `"mine" is not a pipe_id`},
		{"service", "/" + mockapi.ServiceID, "has the form service_id"},
		{"service", "", `"" is not a service_id`},
		{"pipe_scaling", "", `"" is not a service_id`},
		{entryKind, mockapi.ServiceID, "Unable to import access list entry " + mockapi.ServiceID + ": The id has too few parts. The import id of dbplatform_service_ip_access_entry has the form service_id/source."},
		{entryKind, "10.0.0.0/8", `"10.0.0.0" is not a service_id`},
		{entryKind, mockapi.ServiceID + "/10.0.0.0/33", `"10.0.0.0/33" is not a source: it looks like an IP address or CIDR prefix, but is not a valid one.`},
		{entryKind, mockapi.ServiceID + "/10.0.0.0/16", "Unable to import access list entry of service …1111:  access list entry 10.0.0.0/16 of service " + mockapi.ServiceID + ": the API's list does not have this entry."},
		{endpointKind, mockapi.ServiceID + "/", `"" is not a private_endpoint_id: it must not be empty or begin or end with white space.`},
		{"service", strings.ReplaceAll(mockapi.ServiceID, "-", ""), "36 characters"},
		{"api_key", mockapi.KeyID, "is not a key_id"},
	} {
		err := fmt.Sprint(c.Import(test.kind, test.id))
		acctest.Contains(t, err, acctest.Flat(test.want))
		acctest.Lacks(t, err, "error in the provider")
	}
	acctest.Contains(t, fmt.Sprint(c.Import("api_key", notThere)), "Unable to import API key …9999: not found (404)", "Check organization_id, key_id")
	pass := env.Fail(fault(http.StatusForbidden))
	c.Walk()
	acctest.Contains(t, fmt.Sprint(c.Import(entryKind, mockapi.ServiceID+"/10.0.0.0/8")), "Unable to import access list entry of service …1111: forbidden (403)")
	pass()
	env.Fail(fault(401)) // which is described in one line
	c.Walk()
	acctest.Contains(t, fmt.Sprint(c.Import("service", mockapi.ServiceID)), "Unable to import service …1111: unauthorized (401)")
}

// An import by identity does the same as one by id. A CLI that can do it may
// not be installed, so the provider's own server is asked.
func TestImportByIdentity(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	c.Must(firstConfigs()) // secondConfigs alone cannot be adopted
	c.Must(secondConfigs())
	for kind, id := range importIDs {
		if err := c.Import(kind, id); err != nil {
			t.Fatal(err)
		}
		byID := *c.Instance(kind)
		if err := c.ImportBy(kind, &tfprotov6.ImportResourceStateRequest{Identity: byID.Identity}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(byID, *c.Instance(kind)); diff != "" {
			t.Errorf("%s (-by id +by identity):\n%s", kind, diff)
		}
	}
}
