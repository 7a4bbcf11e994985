package provider

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

const anyPipe = `
data "dbplatform_pipe" "this" {
  service_id = "` + mockapi.ServiceID + `"
  pipe_id    = "` + mockapi.KafkaPipeID + `"
}
`

func TestProviderArgumentsMissing(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	tf.WriteFile("main.tf", acctest.Requirement+anyPipe)
	tf.Setenv("DBPLATFORM_KEY_ID=")

	out := tf.Fails("plan")
	for name, variable := range map[string]string{
		"base_url": "DBPLATFORM_BASE_URL", "organization_id": "DBPLATFORM_ORGANIZATION_ID",
		"key_id": "DBPLATFORM_KEY_ID, which is empty", "key_secret": "DBPLATFORM_KEY_SECRET",
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

	tf.Setenv("DBPLATFORM_MAX_RETRIES=1.5")
	out, _ = tf.Run("plan")
	acctest.Contains(t, out, "Invalid max_retries", "Environment variable DBPLATFORM_MAX_RETRIES must be a whole number between 0 and 100.")
}

// A wrong argument is one error at its place.
func TestProviderArgumentsInvalid(t *testing.T) {
	t.Parallel()
	var config strings.Builder
	type wrong struct{ argument, says string }
	places := map[int]wrong{} // by line
	for i, block := range [][]wrong{
		{
			{`base_url = "hidden.example"`, "https://"},
			{`organization_id = "mine"`, "36 characters"},
			{`key_id = "hidden:4711"`, "colon"},
			{`key_secret = "hidden\n"`, "white space"},
			{`request_timeout = "4711"`, "duration"},
			{`update_timeout = "0s"`, "duration"},
			{`max_retries = 4711`, "between 0 and 100"},
			{`requests_per_second = -4711`, "between 0.01"},
			{`read_method = "hidden"`, "one of PATCH, GET."},
			{`unreadable_objects = "hidden"`, "one of warn, error."},
		},
		{
			{`request_timeout = "-1s"`, "duration"},
			{`update_timeout = "99999999h"`, "of at most 290 years"},
			{`max_retries = 1.5`, "integer"},
			{`requests_per_second = 1e4711`, "between 0.01"},
		},
		{{`requests_per_second = 1e-4711`, "between 0.01"}},
	} {
		fmt.Fprintf(&config, "data \"dbplatform_backups\" \"d%d\" {\n  provider = dbplatform.a%[1]d\n  service_id = %q\n}\n", i, mockapi.ServiceID)
		fmt.Fprintf(&config, "provider \"dbplatform\" {\n  alias = \"a%d\"\n", i)
		for _, w := range block {
			fmt.Fprintf(&config, "  %s\n", w.argument)
			places[strings.Count(config.String(), "\n")] = w
		}
		config.WriteString("}\n")
	}
	tf := newEnv(t).CLI(t, "")
	tf.WriteFile("main.tf", acctest.Requirement)
	tf.WriteFile("providers.tf", config.String())
	for _, d := range tf.Validate() {
		w, ok := places[d.Range.Start.Line]
		if !ok {
			t.Errorf("the diagnostic is %+v", d)
			continue
		}
		delete(places, d.Range.Start.Line)
		name, value, _ := strings.Cut(w.argument, " = ")
		expectRefusal(t, d, name, value, w.says)
	}
	for _, w := range places {
		t.Errorf("%s is accepted", w.argument)
	}
}

func TestProviderConfig(t *testing.T) {
	t.Setenv("DBPLATFORM_KEY_ID", "from the environment")
	t.Setenv("DBPLATFORM_UNREADABLE_OBJECTS", "warn")
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	block := map[string]tftypes.Value{}
	for name := range argumentValues {
		block[name] = tftypes.NewValue(tftypes.String, nil)
	}
	block["base_url"], block["organization_id"], block["key_secret"] = text("https://api.example.com/prefix/"), text(mockapi.OrganizationID), text("s")
	var config configuration
	known, diags := config.read(block)
	if diags.HasError() || !known {
		t.Fatalf("known: %v, %v", known, diags)
	}
	if c := config.Transport; c.KeyID != "from the environment" || c.RequestTimeout != 30*time.Second || config.UpdateTimeout != 30*time.Second || c.MaxRetries != 6 || c.RequestsPerSecond != 0 {
		t.Errorf("the defaults are %+v", c)
	}
	if config.ReadMethod != "PATCH" || config.failIfHidden || !slices.Equal(config.AlsoHidden, []int{403, 500, 501}) {
		t.Errorf("%+v", config)
	}

	block["key_id"], block["key_secret"] = text("from the block"), tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	block["max_retries"], block["unreadable_objects"] = tftypes.NewValue(tftypes.Number, 0), text("error")
	config = configuration{}
	known, diags = config.read(block)
	if known || diags.HasError() || config.Transport.KeyID != "from the block" || config.Transport.MaxRetries != 0 || !config.failIfHidden || config.AlsoHidden != nil {
		t.Errorf("with an unknown secret: known %v, %+v, %v", known, config, diags)
	}
}

// argumentValues has a value for each argument that is not its default.
var argumentValues = map[string]string{
	"base_url": "https://a.example", "organization_id": mockapi.OrganizationID, "key_id": "a", "key_secret": "b",
	"request_timeout": "7s", "update_timeout": "8s", "max_retries": "9", "requests_per_second": "1.5", "read_method": "GET", "unreadable_objects": "warn",
}

// Each argument is read from the block and from the environment, and documented.
func TestEachArgument(t *testing.T) { //nolint:paralleltest // it sets variables
	want := configuration{Config: api.Config{
		Transport: transport.Config{
			BaseURL: &url.URL{Scheme: "https", Host: "a.example"}, OrganizationID: mockapi.OrganizationID, KeyID: "a", KeySecret: "b",
			RequestTimeout: 7 * time.Second, MaxRetries: 9, RequestsPerSecond: 1.5,
		},
		ReadMethod: "GET", AlsoHidden: []int{403, 500, 501}, UpdateTimeout: 8 * time.Second,
	}}
	attributes, page, block := argumentsSchema(), content(t, "docs/index.md"), map[string]tftypes.Value{}
	expect := func(place string) {
		var got configuration
		known, diags := got.read(block)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(configuration{})); diff != "" || diags.HasError() || !known {
			t.Errorf("from %s: %v (-want +got):\n%s", place, diags, diff)
		}
	}
	for _, a := range want.arguments() {
		typ := attributes[a.name].GetType().TerraformType(t.Context())
		var value any = argumentValues[a.name]
		if typ.Is(tftypes.Number) {
			value, _ = strconv.ParseFloat(argumentValues[a.name], 64)
		}
		block[a.name] = tftypes.NewValue(typ, value)
		acctest.Contains(t, page, "- `"+a.name+"` (", "Environment variable: `"+a.variable+"`.")
	}
	expect("the block")
	for _, a := range want.arguments() {
		block[a.name] = tftypes.NewValue(tftypes.String, nil)
		t.Setenv(a.variable, argumentValues[a.name])
	}
	expect("the environment")
}

// A plan finds out that an object does not exist before anything is applied.
func TestPlanFailsEarly(t *testing.T) {
	t.Parallel()
	tf := newEnv(t).CLI(t, "")
	for config, check := range map[string]string{
		scalingConfig(notThere, "replicas = 1") + settingsConfig(notThere, "db_max_threads = 1"): "Check service_id and pipe_id (they may be swapped, or not belong together), and",
		serviceConfig(notThere, ""): "Check service_id, and", keyConfig(notThere, ""): "Check key_id, and",
	} {
		tf.Configure(config)
		acctest.Contains(t, acctest.Flat(tf.Fails("plan")), "Unable to adopt", notThere, "404", `"`+notThere+`"`, check+" that organization_id is the organization that the object belongs to. If the object was deleted, remove its block, or use terraform destroy -refresh=false.")
	}
}

// If the API does not know the organization, the first advice is about it, and what
// to do comes before the API's own words.
func TestUnknownOrganization(t *testing.T) {
	t.Parallel()
	for text, advice := range map[string]string{
		"Organization 0001 not found":              "Check organization_id, and that the key belongs to that organization.",
		"pipe not found in organization 0001":      "Check service_id and pipe_id (they may be swapped, or not belong together)",
		"The organisation 0001 does not exist":     "Check organization_id, and that the key",
		"NOT_FOUND: pipe 22 of service 11 unknown": "Check service_id and pipe_id",
	} {
		env := newEnv(t)
		env.Fail(mockapi.Fault{Status: http.StatusNotFound, Body: `{"status":404,"error":"` + text + `"}`})
		_, err := env.Core(t, nil).PlanAll(acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 4})})
		acctest.Contains(t, fmt.Sprint(err), "Unable to adopt pipe scaling …1111: not found (404): "+advice, text)
	}
}

// While the provider's configuration is unknown, an import fails, because it could
// not be checked. A refresh is skipped, and says so once for all objects.
func TestUnknownProvider(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	// The address of the API is an attribute of a resource, which is unknown before
	// it is created or changed.
	configure := func(revision, more string) {
		tf.WriteFile("main.tf", acctest.Requirement+strings.Replace(env.ProviderBlock(), fmt.Sprintf("%q", env.URL), "terraform_data.address.output.url", 1)+
			fmt.Sprintf("resource \"terraform_data\" \"address\" {\n  input = { url = %q, revision = %q }\n}\n", env.URL, revision)+
			keyConfig(mockapi.APIKeyID, "")+serviceConfig(mockapi.ServiceID, "")+scalingConfig(mockapi.KafkaPipeID, "replicas = 2")+more)
	}
	configure("1", fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", keyAddress, mockapi.APIKeyID))
	acctest.Contains(t, tf.Fails("plan"), "Provider configuration is not known yet")
	tf.Apply("-target=terraform_data.address")
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
	tf.Apply()
	tf.ExpectNoChanges()

	configure("2", "")
	env.ResetRequests()
	acctest.Contains(t, tf.Must("plan"), "efresh skipped", "(and 2 more similar warnings elsewhere)")
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
	tf.Apply()
	tf.ExpectNoChanges()
}

// Where Terraform allows it, what an unknown configuration is for is deferred.
func TestUnknownProviderDefers(t *testing.T) {
	t.Parallel()
	shape, block := underTest.Schemas(t).Provider.ValueType().(tftypes.Object), map[string]tftypes.Value{}
	for name, typ := range shape.AttributeTypes {
		block[name] = tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	config, err := tfprotov6.NewDynamicValue(shape, tftypes.NewValue(shape, block))
	if err != nil {
		t.Fatal(err)
	}
	for _, allowed := range []bool{false, true} {
		server := newServer(&dbplatform{})
		_, _ = server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			Config: &config, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: allowed},
		})
		got, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "dbplatform_api_key", ID: mockapi.APIKeyID})
		if err != nil || (got.Deferred != nil) != allowed || (len(got.Diagnostics) == 0) != allowed {
			t.Errorf("allowed: %t: %+v, %v", allowed, got, err)
		}
	}
}
