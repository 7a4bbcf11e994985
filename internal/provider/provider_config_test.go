package provider

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

func TestProviderArgumentsMissing(t *testing.T) {
	t.Setenv("DBPLATFORM_KEY_ID", "")
	t.Setenv("DBPLATFORM_MAX_RETRIES", "1.5")
	t.Setenv("DBPLATFORM_REQUESTS_PER_SECOND", "14711")
	_, diags := new(configuration).read(nil)
	text := fmt.Sprint(diags)
	for name, variable := range map[string]string{
		"base_url": "DBPLATFORM_BASE_URL", "organization_id": "DBPLATFORM_ORGANIZATION_ID",
		"key_id": "DBPLATFORM_KEY_ID, which is empty", "key_secret": "DBPLATFORM_KEY_SECRET",
	} {
		acctest.Contains(t, text, "Missing "+name, "Set it in the provider block, or set the environment variable "+variable+".")
	}
	acctest.Contains(t, text, "Invalid max_retries", "Environment variable DBPLATFORM_MAX_RETRIES must be a whole number between 0 and 100.",
		"Environment variable DBPLATFORM_REQUESTS_PER_SECOND must be between 0.01 and 10000.")
}

// A wrong argument is one error at its place.
func TestProviderArgumentsInvalid(t *testing.T) {
	t.Parallel()
	for _, wrong := range []struct{ name, value, says string }{
		{"base_url", `"hidden.example"`, "https://"},
		{"base_url", `"https://hidden.example\n"`, "white space"},
		{"organization_id", `"mine"`, "36 characters"},
		{"key_id", `"hidden4711 "`, "white space"},
		{"key_secret", `"hidden\n"`, "white space"},
		{"base_url", `"\ufeffhttps://hidden.example"`, "invisible characters"},
		{"base_url", `"'https://hidden.example'"`, "quotes"},
		{"key_id", `"hidden\u200b4711"`, "invisible characters"},
		{"key_id", `"'hidden4711'"`, "quotes"},
		{"key_secret", `"hidden\u00a04711"`, "invisible characters"},
		{"key_secret", `"hidden\n4711"`, "invisible characters"},
		{"key_secret", `"\"hidden\""`, "quotes"},
		{"request_timeout", `"4711"`, "duration"},
		{"request_timeout", `"-1s"`, "duration"},
		{"update_timeout", `"0s"`, "duration"},
		{"update_timeout", `"99999999h"`, "of at most 290 years"},
		{"max_retries", "4711", "between 0 and 100"},
		{"max_retries", "1.5", "must be a whole number between 0 and 100"},
		{"requests_per_second", "-4711", "between 0.01"},
		{"requests_per_second", "14711", "between 0.01"},
		{"requests_per_second", "1e4711", "must be between 0.01 and 10000"},
		{"requests_per_second", "1e-4711", "must be between 0.01 and 10000"},
		{"read_method", `"hidden"`, "one of PATCH, GET."},
		{"unreadable_objects", `"hidden"`, "one of warn, error."},
	} {
		config := underTest.Config(t, map[string]any{wrong.name: json.RawMessage(wrong.value)})
		validated, err := newServer(&dbplatform{}).ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
		if err != nil || len(validated.Diagnostics) != 1 || validated.Diagnostics[0].Attribute.String() != fmt.Sprintf("AttributeName(%q)", wrong.name) {
			t.Errorf("%s = %s: %+v, %v", wrong.name, wrong.value, validated.Diagnostics, err)
			continue
		}
		d := validated.Diagnostics[0]
		expectRefusal(t, acctest.Diagnostic{Severity: strings.ToLower(d.Severity.String()), Summary: d.Summary, Detail: d.Detail}, wrong.name, wrong.value, wrong.says)
	}
}

// argumentValues has a value for each argument that is not its default.
var argumentValues = map[string]string{
	"base_url": "https://a.example", "organization_id": mockapi.OrganizationID, "key_id": "a", "key_secret": "b",
	"request_timeout": "7s", "update_timeout": "8s", "max_retries": "0", "requests_per_second": "1.5", "read_method": "GET", "unreadable_objects": "warn",
}

// Each argument is read from the block, else from the environment, and documented. While
// one is not known, the others are read.
func TestEachArgument(t *testing.T) { //nolint:paralleltest // it sets variables
	want := configuration{Config: api.Config{
		Transport: transport.Config{
			BaseURL: &url.URL{Scheme: "https", Host: "a.example"}, OrganizationID: mockapi.OrganizationID, KeyID: "a", KeySecret: "b",
			RequestTimeout: 7 * time.Second, RequestsPerSecond: 1.5,
		},
		ReadMethod: "GET", HidesRefused: true, UpdateTimeout: 8 * time.Second,
	}}
	attributes, page, block := argumentsSchema(), content(t, "docs/index.md"), map[string]tftypes.Value{}
	expect := func(place string, allKnown bool) {
		t.Helper()
		var got configuration
		known, diags := got.read(block)
		if diff := cmp.Diff(want, got); diff != "" || diags.HasError() || known != allKnown {
			t.Errorf("from %s: known: %t, %v (-want +got):\n%s", place, known, diags, diff)
		}
	}
	for _, a := range want.arguments() {
		typ := attributes[a.name].GetType().TerraformType(t.Context())
		var value any = argumentValues[a.name]
		if typ.Is(tftypes.Number) {
			value, _ = strconv.ParseFloat(argumentValues[a.name], 64)
		}
		block[a.name] = tftypes.NewValue(typ, value)
		t.Setenv(a.variable, "not read")
		acctest.Contains(t, page, "- `"+a.name+"` (", "Environment variable: `"+a.variable+"`.")
	}
	expect("the block", true)
	for _, a := range want.arguments() {
		block[a.name] = tftypes.NewValue(tftypes.String, nil)
		t.Setenv(a.variable, argumentValues[a.name])
	}
	expect("the environment", true)
	for _, a := range want.arguments() {
		if !a.required {
			t.Setenv(a.variable, "")
		}
	}
	block["key_secret"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	want.HidesRefused = false
	want.UpdateTimeout, want.ReadMethod, want.Transport.KeySecret = 30*time.Second, "PATCH", ""
	want.Transport.RequestTimeout, want.Transport.MaxRetries, want.Transport.RequestsPerSecond = 30*time.Second, 12, 0
	expect("the defaults", false)
}

// "" in the provider block leaves an argument to the environment.
func TestEmptyArgument(t *testing.T) {
	t.Parallel()
	for name, attribute := range argumentsSchema() {
		if text, ok := attribute.(schema.StringAttribute); ok {
			if err := text.Validators[0].(lifecycle.Checker).Check(types.StringValue("")); err != nil {
				t.Errorf("%s %v", name, err)
			}
		}
	}
}
