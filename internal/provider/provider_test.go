package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const anyPipe = `
data "dbplatform_pipe" "this" {
  service_id = "` + mockapi.ServiceID + `"
  pipe_id    = "` + mockapi.KafkaPipeID + `"
}
`

func TestProviderSettingsMissing(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	tf.WriteFile("main.tf", acctest.Requirement+anyPipe)

	out := tf.Fails("plan")
	for name, variable := range map[string]string{
		"base_url": "DBPLATFORM_BASE_URL", "organization_id": "DBPLATFORM_ORGANIZATION_ID",
		"key_id": "DBPLATFORM_KEY_ID", "key_secret": "DBPLATFORM_KEY_SECRET",
	} {
		acctest.Contains(t, out, "Missing "+name, "Set it in the provider block, or set the environment variable "+variable+".")
	}

	tf.Setenv(environment(env)...)
	tf.Setenv("DBPLATFORM_REQUEST_TIMEOUT=10s", "DBPLATFORM_MAX_RETRIES=1", "DBPLATFORM_REQUESTS_PER_SECOND=50")
	tf.Must("plan")
	agent := env.Requests()[0].Header.Get("User-Agent")
	if !strings.HasPrefix(agent, "terraform-provider-dbplatform/dev Terraform/1.") {
		t.Errorf("the User-Agent is %q", agent)
	}

	tf.Setenv("DBPLATFORM_MAX_RETRIES=many")
	out, _ = tf.Run("plan")
	acctest.Contains(t, out, "Invalid max_retries", "The environment variable DBPLATFORM_MAX_RETRIES is wrong")
}

// A wrong setting is one error at its place, which does not show a secret.
func TestProviderSettingsInvalid(t *testing.T) {
	t.Parallel()
	tf := newEnv(t).CLI(t, "")
	for setting, words := range map[string]string{
		`base_url = "api.example.com"`:                         "https://",
		`base_url = "ftp://api.example.com"`:                   "https://",
		`base_url = "http://api.example.com"`:                  "must begin with https:// unless its host is this machine",
		`base_url = "https://me:secret@api.example.com"`:       "user",
		`base_url = "https://api.example.com/?a=b"`:            "query",
		`base_url = "https://api.example.com/#a"`:              "fragment",
		`organization_id = "mine"`:                             "36 characters",
		`organization_id = "00000000000040008000000000000001"`: "36 characters",
		`key_id = "a:b"`:                                       "colon",
		`key_secret = "hidden\n"`:                              "white space",
		`request_timeout = "30"`:                               "duration",
		`request_timeout = "-1s"`:                              "duration",
		`max_retries = -1`:                                     "between 0 and 100",
		`max_retries = 1.5`:                                    "integer",
		`requests_per_second = 0`:                              "between 0.01",
		`requests_per_second = -3`:                             "between 0.01",
	} {
		tf.WriteFile("main.tf", acctest.Requirement+"provider \"dbplatform\" {\n  "+setting+"\n}\n"+anyPipe)
		found := tf.Validate()
		if len(found) != 1 || found[0].Severity != "error" || found[0].Range.Start.Line != strings.Count(acctest.Requirement, "\n")+2 {
			t.Errorf("%s: the diagnostics are %+v", setting, found)
			continue
		}
		acctest.Contains(t, found[0].Summary+" "+found[0].Detail, words)
		acctest.Lacks(t, found[0].Summary+" "+found[0].Detail, "hidden", "me:secret")
	}
}

func TestProviderConfig(t *testing.T) {
	t.Setenv("DBPLATFORM_KEY_ID", "from the environment")
	t.Setenv("DBPLATFORM_UNREADABLE_OBJECTS", "warn")
	model := providerModel{
		BaseURL:        types.StringValue("https://api.example.com/prefix/"),
		OrganizationID: types.StringValue(mockapi.OrganizationID),
		KeySecret:      types.StringValue("s"),
	}
	config, unreadable, known, diags := model.config()
	if diags.HasError() || !known {
		t.Fatalf("known: %v, %v", known, diags)
	}
	if config.KeyID != "from the environment" || config.RequestTimeout.String() != "30s" || config.MaxRetries != 6 || config.RequestsPerSecond != 0 {
		t.Errorf("the defaults are %+v", config)
	}
	if unreadable != adopt.UnreadableWarn {
		t.Errorf("unreadable_objects is %v", unreadable)
	}

	model.KeyID, model.KeySecret = types.StringValue("from the block"), types.StringUnknown()
	model.UnreadableObjects = types.StringValue("error")
	if config, unreadable, known, diags = model.config(); known || diags.HasError() || config.KeyID != "from the block" || unreadable != adopt.UnreadableError {
		t.Errorf("with an unknown secret: %q, known %v, %v", config.KeyID, known, diags)
	}
}

// A plan finds out that an object does not exist, or that the key is refused,
// before anything is applied.
func TestPlanFailsEarly(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	for _, config := range []string{
		scalingConfig(notThere, "replicas = 1") + settingsConfig(notThere, "db_max_threads = 1"), serviceConfig(notThere, ""), keyConfig(notThere, ""),
	} {
		tf.Configure(config)
		acctest.Contains(t, tf.Fails("plan"), "Unable to adopt", notThere, "404", `"`+notThere+`"`, "Check the id", "-refresh=false")
	}
	tf.WriteFile("main.tf", acctest.Requirement+strings.Replace(env.ProviderBlock(), mockapi.KeySecret, "not-the-secret", 1)+scalingConfig(mockapi.KafkaPipeID, "replicas = 1"))
	out := tf.Fails("plan")
	acctest.Contains(t, out, "Unable to adopt pipe scaling", "401", "DBPLATFORM_KEY_ID and DBPLATFORM_KEY_SECRET")
	acctest.Lacks(t, out, "not-the-secret")
}

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
