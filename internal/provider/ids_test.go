package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Whoever takes the credential's id for the key's is told which one is meant.
func TestTwoIDsOfAKey(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	const which = "This is the UUID that identifies the key in the API, not the ID that the provider authenticates with (key_id in the provider block)."
	for name, config := range map[string]string{
		"resource": keyConfig(mockapi.KeyID, ""), "data source": lookUpKey(mockapi.KeyID),
	} {
		out, code := w.cli(t, config).run("validate")
		if code != 1 {
			t.Errorf("%s: validate ended with %d", name, code)
		}
		says(t, out, "Error: Not a UUID", which)
	}
	out, code := w.cli(t, keyConfig(mockapi.APIKeyID, "")).run("import", keyAddress, mockapi.KeyID)
	if code != 1 {
		t.Errorf("import ended with %d", code)
	}
	says(t, out, `"mock-key-id" is not a key_id`, which)

	out, _ = w.cli(t, serviceConfig("orders", "")).run("validate")
	says(t, out, "Error: Not a UUID")
	saysNothingOf(t, out, "identifies the key")
}
