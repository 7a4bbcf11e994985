package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// unknownProvider is a provider block whose address comes from a resource. It
// is known only after that resource is applied, and again unknown when its
// input changes.
func (w *env) unknownProvider(input string) string {
	return strings.Replace(w.provider(), fmt.Sprintf("%q", w.url), "terraform_data.address.output.url", 1) + fmt.Sprintf(`
resource "terraform_data" "address" {
  input = { url = %q, revision = %q }
}
`, w.url, input)
}

// An import cannot be checked while the provider's configuration is unknown,
// so it fails.
func TestImportWithUnknownProvider(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"an object that exists": mockapi.APIKeyID, "one that does not": notThere} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			tf := w.cli(t, "")
			tf.configure(requirement + w.unknownProvider("1") + keyConfig(id, "") +
				fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", keyAddress, id))
			out, code := tf.run("plan")
			if code == 0 {
				t.Errorf("the import is planned:\n%s", out)
			}
			says(t, out, "Provider configuration is not known yet")
			if sent := w.Requests(); len(sent) > 0 {
				t.Errorf("%d requests were sent", len(sent))
			}
			tf.must("apply", "-auto-approve", "-target=terraform_data.address")
			if id == mockapi.APIKeyID {
				tf.must("apply", "-auto-approve")
				tf.empty()
			}
		})
	}
}

// A refresh that is skipped because the provider's configuration is unknown
// says so, once for all objects.
func TestRefreshWithUnknownProvider(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	tf := w.cli(t, "")
	resources := keyConfig(mockapi.APIKeyID, "") + serviceConfig(mockapi.ServiceID, "") + scalingConfig(mockapi.KafkaPipeID, "replicas = 2")
	tf.configure(requirement + w.unknownProvider("1") + resources)
	tf.must("apply", "-auto-approve")
	tf.configure(requirement + w.unknownProvider("2") + resources)
	w.ResetRequests()
	out := flat(tf.must("plan"))
	if sent := w.Requests(); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
	says(t, out, "(and 2 more similar warnings elsewhere)")
	if !strings.Contains(strings.ToLower(out), "refresh") || !strings.Contains(out, "skipped") {
		t.Errorf("nothing says that the refresh was skipped:\n%s", out)
	}
	tf.must("apply", "-auto-approve")
	tf.empty()
}
