package provider

import (
	"fmt"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What lifecycle.ignore_changes covers is never sent: attributes and entries of maps.
// Terraform gives the apply a configuration that still has them.
func TestIgnoredChangesAreNotSent(t *testing.T) {
	t.Parallel()
	ignoring := func(what string) string { return "\n  lifecycle {\n    ignore_changes = [" + what + "]\n  }" }
	config := func(text string, memory int) string {
		return scalingConfig(mockapi.KafkaPipeID, fmt.Sprintf("replicas = 4\n  replica_memory_gb = %d", memory)+ignoring("replicas")) +
			serviceConfig(mockapi.ServiceID, fmt.Sprintf("name = %q", text)+`
  ip_access_list       = { "10.0.0.0/8" = "vpc" }
  private_endpoint_ids = ["vpce-0a1b2c3d"]`+ignoring("ip_access_list, private_endpoint_ids")) +
			keyConfig(mockapi.APIKeyID, fmt.Sprintf(`ip_access_list = { "10.0.0.0/8" = %q, "192.0.2.1" = "home" }`, text)+`
  roles     = ["developer"]
  expire_at = "2032-01-01T00:00:00Z"
  state     = "enabled"`+ignoring(`roles, expire_at, state, ip_access_list["192.0.2.1"]`))
	}
	entry := func(source, description string) mockapi.Object {
		return mockapi.Object{"source": source, "description": description}
	}
	env := newEnv(t)
	tf := env.CLI(t, config("One", 1))
	tf.Apply()
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 9 })
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
		service["ipAccessList"] = append(service["ipAccessList"].([]any), entry("203.0.113.9", "theirs"))
		service["privateEndpointIds"] = append(service["privateEndpointIds"].([]any), "vpce-8c9d0e1f")
	})
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) {
		key["roles"], key["expireAt"], key["state"] = []any{"admin"}, "2030-01-01T00:00:00Z", "disabled"
		key["ipAccessList"] = []any{entry("10.0.0.0/8", "One"), entry("192.0.2.1", "theirs")}
	})
	tf.Configure(config("Two", 2))
	env.ResetRequests()
	acctest.Contains(t, tf.Apply(), "0 added, 3 changed, 0 destroyed")
	env.ExpectWrites(t, "scalePipe", `{"replicaMemoryGb":2}`)
	env.ExpectWrites(t, "updateService", `{"name":"Two"}`)
	env.ExpectWrites(t, "updateKey", `{"ipAccessList":[{"source":"192.0.2.1","description":"theirs"},{"source":"10.0.0.0/8","description":"Two"}]}`)
	tf.ExpectNoChanges()
}

// If a key cannot be read, an attribute that only the response to its adoption
// had is left null: nothing would ever update it.
func TestUnreadableKeyKeepsOnlyWhatIsSet(t *testing.T) {
	t.Parallel()
	c := newEnv(t, mockapi.WithVariants(mockapi.Variants{RefuseEmptyPatch: 400, EchoWriteOnly: true})).Core(t, nil)
	c.Must(onKey(map[string]any{"name": "Named"}))
	if state := acctest.Plain(c.Attribute("api_key", "state")); state != nil {
		t.Errorf("the state is %v", state)
	}
}
