package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Whoever takes the credential's id for the key's is told which one is meant.
func TestTwoIDsOfAKey(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	const which = "This is the UUID by which the API names the key, not the ID that the key authenticates with (key_id of the provider)."
	for _, config := range []string{keyConfig(mockapi.KeyID, ""), lookUpKey(mockapi.KeyID)} {
		out := env.CLI(t, config).Fails("validate")
		acctest.Contains(t, out, "Error: Not a UUID", which)
	}
	out := env.CLI(t, keyConfig(mockapi.APIKeyID, "")).Fails("import", keyAddress, mockapi.KeyID)
	acctest.Contains(t, out, `"mock-key-id" is not a key_id`, which)

	out, _ = env.CLI(t, serviceConfig("orders", "")).Run("validate")
	acctest.Contains(t, out, "Error: Not a UUID")
	acctest.Lacks(t, out, "names the key")
}
