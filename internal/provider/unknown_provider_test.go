package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// unknownProvider is a provider block whose address comes from a resource. It
// is known only after that resource is applied, and again unknown when its
// input changes.
func unknownProvider(env *acctest.Env, input string) string {
	return strings.Replace(env.ProviderBlock(), fmt.Sprintf("%q", env.URL), "terraform_data.address.output.url", 1) + fmt.Sprintf(`
resource "terraform_data" "address" {
  input = { url = %q, revision = %q }
}
`, env.URL, input)
}

// An import cannot be checked while the provider's configuration is unknown,
// so it fails.
func TestImportWithUnknownProvider(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	tf.WriteFile("main.tf", acctest.Requirement+unknownProvider(env, "1")+keyConfig(mockapi.APIKeyID, "")+
		fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", keyAddress, mockapi.APIKeyID))
	acctest.Contains(t, tf.Fails("plan"), "Provider configuration is not known yet")
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
	tf.Apply("-target=terraform_data.address")
	tf.Apply()
	tf.ExpectNoChanges()
}

// A refresh that is skipped because the provider's configuration is unknown
// says so, once for all objects.
func TestRefreshWithUnknownProvider(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	resources := keyConfig(mockapi.APIKeyID, "") + serviceConfig(mockapi.ServiceID, "") + scalingConfig(mockapi.KafkaPipeID, "replicas = 2")
	tf.WriteFile("main.tf", acctest.Requirement+unknownProvider(env, "1")+resources)
	tf.Apply()
	tf.WriteFile("main.tf", acctest.Requirement+unknownProvider(env, "2")+resources)
	env.ResetRequests()
	out := tf.Must("plan")
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
	acctest.Contains(t, out, "efresh skipped", "(and 2 more similar warnings elsewhere)")
	tf.Apply()
	tf.ExpectNoChanges()
}
