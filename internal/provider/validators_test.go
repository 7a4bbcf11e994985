package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// validated are values that terraform validate is given for an attribute of a resource,
// or of a data source ("data.api_key"), and what the error at each of them says.
type validated struct {
	kind, attribute string
	values          []string
	says            string
}

const accepted = "" // no error

// whichKeyID tells the two ids of a key apart.
const whichKeyID = "must be a UUID of 36 characters"

// validatedValues has a row for each text that is no enum: the others follow from openapi.yaml.
func validatedValues() []validated {
	const service, key = "service", "api_key"
	return slices.Concat(
		validatedByContract(),
		[]validated{
			{service, "name", []string{`"a"`, `"` + strings.Repeat("x", 50) + `"`, `"Orders 2\tand more"`}, accepted},
			{service, "name", []string{`""`, `"` + strings.Repeat("x", 51) + `"`, `"orders-2"`, `"Größe"`}, "1 to 50 ASCII letters, digits and white space"},
			{service, "transparent_data_encryption_key_id", []string{`""`}, "must not be empty"},
			{service, "private_endpoint_ids", []string{`[]`, `[terraform_data.other.id]`}, accepted},
			{service, "private_endpoint_ids", []string{`[""]`, `["vpce-1\n"]`}, "must not contain texts that are empty or begin or end with white space"},
			{service, "endpoints_enabled", []string{`{ mysql = true, other = false }`}, accepted},
			{service, "endpoints_enabled", []string{`{ mysql = null }`}, "null"},
			{service, "endpoints_enabled", []string{`{ "" = true }`}, "at least 1"},
			{service, "ip_access_list", []string{
				`{}`, `{ "10.0.0.0/8" = "", "2001:db8::1" = null }`, `{ "0.0.0.0/0" = "", "cafe" = "", "fe80::1%eth0" = "", "10.0.0.5/8" = "" }`,
				`{ "10.0.0.5/32" = "", "::1/128" = "", "2001:DB8::/32" = "", "::ffff:192.0.2.1" = "" }`,
			}, accepted},
			{service, "ip_access_list", []string{`{ "10.0.0.256" = "" }`, `{ "10.0.0.256/8" = "" }`}, "looks like an IP address or CIDR prefix, but is not a valid one"},
			{service, "ip_access_list", []string{`{ "10.0.0.0/33" = "" }`, `{ "2001:db8::/129" = "" }`}, "but is not a valid one"},
			{service, "ip_access_list", []string{`{ "10.0.0.1/" = "" }`}, "but is not a valid one"},
			{service, "ip_access_list", []string{`{ "10.0.0" = "" }`, `{ "10.0.0/8" = "" }`}, "but is not a valid one"},
			{service, "ip_access_list", []string{`{ "010.0.0.1" = "" }`, `{ "10.0.00.1/8" = "" }`}, "but is not a valid one"},
			{service, "ip_access_list", []string{`{ "2001:db8" = "" }`}, "but is not a valid one"},
			{service, "ip_access_list", []string{`{ for i in range(20) : "10.0.0.${i}/33" => "" }`}, `"10.0.0.17/33" looks like an IP address or CIDR prefix, but is not a valid one and 10 more.`},
			{service, "ip_access_list", []string{`{ "10.0.0.1 " = "" }`, `{ "\t10.0.0.0/8" = "" }`, `{ "office\n" = "" }`}, "must not be empty or begin or end with white space"},
			{service, "ip_access_list", []string{`{ " " = "" }`, `{ "" = "" }`}, "must not be empty or begin or end with white space"},
			{service, "ip_access_list", []string{`{ "10.0.0.1" = "a", "10.0.0.1/32" = "b" }`}, `"10.0.0.1/32" is the same address or range as "10.0.0.1"`},
			{service, "ip_access_list", []string{`{ "2001:db8::1" = "", "2001:DB8:0::1" = "" }`}, `"2001:db8::1" is the same address or range as "2001:DB8:0::1"`},
			{service, "ip_access_list", []string{`{ "10.0.0.0/8" = "", "10.0.0.256" = "" }`}, `has invalid entries: "10.0.0.256" looks`},
			{service, "service_id", []string{
				`"11111111111141118111111111111111"`, `"{11111111-1111-4111-8111-111111111111}"`,
				`"urn:uuid:11111111-1111-4111-8111-111111111111"`, `""`, `"../../11111111-1111-4111-8111-111111"`,
			}, "36 characters"},

			{service, "service_id", []string{`"11111111-1111-4111-8111-111111111111\r"`, `" 11111111-1111-4111-8111-111111111111"`}, "without white space"},

			{entryKind, "source", []string{`"10.0.0.5/8"`, `"2001:DB8::1"`, `"cafe"`}, accepted},
			{entryKind, "source", []string{`"10.0.0.256"`, `"2001:db8::/129"`}, "Attribute source looks like an IP address"},
			{entryKind, "source", []string{`"10.0.0.1\n"`}, "Attribute source must not be empty or begin or end with white space"},
			{entryKind, "source", []string{`""`, `" "`}, "Attribute source must not be empty or begin or end with white space"},
			{entryKind, "description", []string{`""`, `"x"`, "null"}, accepted},
			{endpointKind, "private_endpoint_id", []string{`""`, `" vpce-1"`}, "must not be empty or begin or end with white space"},
			{endpointKind, "service_id", []string{`"mine"`}, "36 characters"},

			{key, "name", []string{`""`, `"Größe, of any length"`}, accepted},
			{key, "roles", []string{`["admin", "developer", "query_endpoints"]`, `[terraform_data.other.id]`}, accepted},
			{key, "roles", []string{`[]`, `["superuser"]`}, "Attribute roles must be one or more of admin, developer, query_endpoints."},
			{key, "roles", []string{`[null]`}, "null"},
			{key, "ip_access_list", []string{`{ "10.0.0.256" = "" }`}, "looks like an IP address or CIDR prefix, but is not a valid one"},
			{key, "expire_at", []string{`"never"`, `"2001-01-01T00:00:00Z"`, `"2100-01-31T12:00:00.123+05:30"`}, accepted},
			{key, "expire_at", []string{
				`"2100-01-31"`, `"tomorrow"`, `"2100-02-30T00:00:00Z"`, `"2100-01-31T9:00:00Z"`, `"2100-01-31T09:00:00,5Z"`, `"2100-01-31T09:00:00+24:00"`,
			}, "RFC 3339"},
			{key, "expire_at", []string{`""`, `"Never"`}, `or "never" for no expiry`},
			{key, "expire_at", []string{`"0001-01-01T00:00:00Z"`, `"1970-01-01T01:00:00+01:00"`}, `must be "never" for no expiry`},
			{key, "key_id", []string{`"mine"`}, whichKeyID},
			{key, "key_id", []string{`"11111111-1111-4111-8111-111111111111\n"`}, "without white space"},

			{"data.api_key", "key_id", []string{`"mine"`}, whichKeyID},
		},
	)
}

// expectRefusal checks what an error says about a value.
func expectRefusal(t *testing.T, d acctest.Diagnostic, attribute, value, says string) {
	t.Helper()
	text := acctest.Flat(d.Summary + " " + d.Detail)
	if d.Severity != "error" || !strings.Contains(text, strings.TrimSuffix(says, ".")) {
		t.Errorf("%s = %s: the %s says %q, not %q", attribute, value, d.Severity, text, says)
	}
}

// A refusal shows the value, unless it may be a secret.
func TestRefusalsShowTheValue(t *testing.T) {
	t.Parallel()
	secret := secretRule{orEmpty(isClean)}
	for want, test := range map[string]struct {
		rule  interface{ validator.String }
		value string
	}{
		`Attribute x must be one of enabled, disabled, not "on\n".`:                                                  {oneOf(api.KeyStates), "on\n"},
		`Attribute x must be "never" for no expiry, which many APIs store as this time, not "1970-01-01T00:00:00Z".`: {isExpiry, "1970-01-01T00:00:00Z"},
		"Attribute x must not be empty, or contain white space, invisible characters or quotes at its ends.":         {secret, "'secret'"},
	} {
		resp := &validator.StringResponse{}
		test.rule.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("x"), ConfigValue: types.StringValue(test.value)}, resp)
		if got := resp.Diagnostics[0].Detail(); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	if err := isExpiry.Check(types.StringValue("0001-01-01T08:00:00Z")); err != nil { // timeadd(plantimestamp(), "8h") in old versions of Terraform
		t.Error(err)
	}
}

// TestValidationInTerraform gives terraform validate all of these values at once and
// holds what it says against each. Nothing may be sent.
func TestValidationInTerraform(t *testing.T) {
	t.Parallel()
	ids := map[string][]string{
		"pipe_scaling": {"service_id", "pipe_id"}, "pipe_settings": {"service_id", "pipe_id"}, "service": {"service_id"}, "api_key": {"key_id"},
		entryKind: {"service_id", "source"}, endpointKind: {"service_id", "private_endpoint_id"},
		"data.api_key": {"key_id"},
	}
	literals := map[string]string{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "key_id": mockapi.APIKeyID, "source": "10.0.0.0/8", "private_endpoint_id": "vpce-1"}
	type at struct {
		validated
		value string
	}
	var config strings.Builder
	places := map[int]at{} // by line
	for _, v := range validatedValues() {
		for _, value := range v.values {
			kind, isLookUp := strings.CutPrefix(v.kind, "data.")
			fmt.Fprintf(&config, "%s \"dbplatform_%s\" \"v%d\" {\n", map[bool]string{false: "resource", true: "data"}[isLookUp], kind, len(places))
			for _, id := range ids[v.kind] {
				if id != v.attribute {
					fmt.Fprintf(&config, "  %s = %q\n", id, literals[id])
				}
			}
			fmt.Fprintf(&config, "  %s = %s\n", v.attribute, value)
			places[strings.Count(config.String(), "\n")] = at{v, value}
			config.WriteString("}\n")
		}
	}
	for name, schema := range underTest.Schemas(t).ResourceSchemas {
		for _, a := range schema.Block.Attributes {
			isTested := slices.ContainsFunc(validatedValues(), func(v validated) bool { return "dbplatform_"+v.kind == name && v.attribute == a.Name })
			if a.Optional && !isTested {
				t.Errorf("%s of %s has no row in validatedValues, in validators_test.go", a.Name, name)
			}
		}
	}
	env := newEnv(t)
	tf := env.CLI(t, "")
	tf.WriteFile("values.tf", config.String()+"resource \"terraform_data\" \"other\" {}\n")

	refused := map[int]bool{}
	for _, d := range tf.Validate() {
		line := d.Range.Start.Line
		place, ok := places[line]
		if d.Range.Filename != "values.tf" || !ok || place.says == accepted {
			t.Errorf("%s: %+v", place.value, d)
			continue
		}
		refused[line] = true
		expectRefusal(t, d, place.attribute, place.value, place.says)
	}
	for line, place := range places {
		if place.says != accepted && !refused[line] {
			t.Errorf("%s of %s accepts %s", place.attribute, place.kind, place.value)
		}
	}
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("validate sent %d requests", len(sent))
	}
}
