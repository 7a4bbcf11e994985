package provider

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What fails leaves nothing behind that is not true, and the same apply
// succeeds once the cause is gone.
func TestFailuresLeaveTheTruth(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	all := func(replicas, name string) string {
		return scalingConfig(mockapi.KafkaPipeID, "replicas = "+replicas) +
			serviceConfig(mockapi.ServiceID, `name = "`+name+`"`) + keyConfig(mockapi.APIKeyID, `name = "`+name+`"`)
	}
	tf := env.CLI(t, all("5", "One"))
	refuse := func(status int) (allow func()) {
		var removals []func()
		for _, operation := range []string{"scalePipe", "updateService", "updateKey"} {
			// The plan's and the apply's reads of a service and of a key are
			// the same operation.
			skip := map[string]int{"updateService": 2, "updateKey": 2}[operation]
			removals = append(removals, env.Fail(mockapi.Fault{
				Operation: operation, Skip: skip, Status: status,
				Body: `{"status":` + strings.Repeat("4", 3) + `,"requestId":"7c9e6679-7425-40de-944b-e07fc1f90ae7","error":"the cluster is in maintenance"}`,
			}))
		}
		return func() {
			for _, remove := range removals {
				remove()
			}
		}
	}

	allow := refuse(409)
	out, code := tf.Run("apply", "-auto-approve")
	if code != 1 {
		t.Errorf("apply ended with %d", code)
	}
	acctest.Contains(t, out, "Unable to adopt pipe scaling", "Unable to adopt service", "Unable to adopt API key",
		"the cluster is in maintenance", "HTTP 409", "7c9e6679-7425-40de-944b-e07fc1f90ae7")
	if n := strings.Count(out, "Error: "); n != 3 {
		t.Errorf("%d errors for three resources:\n%s", n, out)
	}
	acctest.Lacks(t, tf.Must("state", "list"), "dbplatform_")
	allow()
	acctest.Contains(t, tf.Apply(), "3 added, 0 changed, 0 destroyed")

	tf.Configure(all("6", "Two"))
	allow = refuse(403)
	out, _ = tf.Run("apply", "-auto-approve")
	acctest.Contains(t, out, "lacks permission", "HTTP 403")
	allow()
	acctest.Contains(t, tf.Apply(), "0 added, 3 changed, 0 destroyed")
	tf.ExpectNoChanges()
}

// An answer that goes on showing the old value is a contradiction, said at
// the attribute; nothing is tainted and the next apply is an apply.
func TestContradiction(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	config := scalingConfig(mockapi.KafkaPipeID, "replicas = 8")
	env.Run(t,
		resource.TestStep{
			PreConfig:   func() { env.SetVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: 1000}) },
			Config:      config,
			ExpectError: regexp.MustCompile(`(?s)Change not confirmed by the API.*change\s+of\s+replicas\s+but\s+still\s+returns\s+2\.`),
		},
		resource.TestStep{PreConfig: func() { env.SetVariants(mockapi.Variants{}) }, Config: config},
		acctest.EmptyPlan(config),
	)
}

// An object that is gone leaves the state. The plan that would adopt it again
// warns, so that it does not stop a destroy of other objects; an apply fails.
func TestGone(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5")+keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`))
	tf.Apply()
	env.Forget(mockapi.Pipe, mockapi.KafkaPipeID)
	env.Forget(mockapi.Key, mockapi.APIKeyID)
	acctest.Contains(t, tf.Must("plan"), "Warning: Object no longer exists", "(and one more similar warning elsewhere)")
	out, code := tf.Run("apply", "-auto-approve")
	if code != 1 {
		t.Errorf("apply ended with %d", code)
	}
	acctest.Contains(t, out, "Unable to adopt pipe scaling", "Unable to adopt API key", "404")
	env.ExpectNoDeletes(t)
}

// Where the API refuses the PATCH without changes that shows a service or a
// key, Terraform goes by what it applied.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{RefuseEmptyPatch: 422}))
	tf := env.CLI(t, serviceConfig(mockapi.ServiceID, `name = "Blind"`)+keyConfig(mockapi.OtherAPIKeyID, `roles = ["admin"]`))
	out := tf.Apply()
	acctest.Contains(t, out, "Warning: Unable to read existing objects", "(and 3 more similar warnings elsewhere)", "HTTP 422")
	env.ResetRequests()
	tf.ExpectNoChanges()
	for _, operation := range []string{"updateService", "updateKey"} {
		if n := len(env.Sent(operation)); n != 1 {
			t.Errorf("%s was tried %d times in one walk", operation, n)
		}
	}
}

// No log, however chatty, holds a secret.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, lookUpPipe(mockapi.ObjectStoragePipeID)+scalingConfig(mockapi.ObjectStoragePipeID, "concurrency = 5")+
		serviceConfig(mockapi.ServiceID, `name = "Logged"`))
	tf.Setenv("TF_LOG_PROVIDER=TRACE")
	out := tf.Apply()
	env.Fail(mockapi.Fault{Operation: "getPipe", Times: 2, Status: 500, Body: "not now"})
	again, _ := tf.Run("plan")
	out += again
	acctest.Contains(t, out, "connectionString") // there is something to hide
	acctest.Lacks(t, out, mockapi.KeySecret, "not-a-real-key", "encryption-key-1",
		base64.StdEncoding.EncodeToString([]byte(mockapi.KeyID+":"+mockapi.KeySecret)))
}
