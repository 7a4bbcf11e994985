package provider

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Values of unreadable_objects.
const (
	unreadableWarn  = "warn"
	unreadableError = "error"
)

// Environment variables that messages name.
const (
	envBaseURL        = "DBPLATFORM_BASE_URL"
	envOrganizationID = "DBPLATFORM_ORGANIZATION_ID"
	envKeyID          = "DBPLATFORM_KEY_ID"
	envKeySecret      = "DBPLATFORM_KEY_SECRET" //nolint:gosec // a name, not a secret
)

// A setting is an argument of the provider block. It can also be set in the
// environment; the block takes precedence.
type setting struct {
	name, variable      string
	whole               *api.Range[int64]   // of a whole number
	decimal             *api.Range[float64] // of another number; others are texts
	check               rule[string]        // of its text
	standard            string              // the value if it is not set
	required, sensitive bool
	description         string
}

var (
	maxRetries = api.Range[int64]{Min: 0, Max: 100}
	rates      = api.Range[float64]{Min: 0.01, Max: 10000}
)

var settings = []setting{
	{
		name: "base_url", variable: envBaseURL, check: isBaseURL, required: true,
		description: "Address of the API without `/v1`, such as `https://api.example.com`. A path prefix is allowed; `http://` is allowed only for a loopback host.",
	},
	{
		name: "organization_id", variable: envOrganizationID, check: isUUID(""), required: true,
		description: "UUID of the organization that the key belongs to.",
	},
	{
		name: "key_id", variable: envKeyID, check: isKeyID, required: true,
		description: "ID that was issued together with the secret. It can differ from the UUID that identifies the key in the API (`key_id` of `dbplatform_api_key`).",
	},
	{
		name: "key_secret", variable: envKeySecret, check: isTrimmed, required: true, sensitive: true,
		description: "Secret of the API key that the provider authenticates with.",
	},
	{
		name: "request_timeout", variable: "DBPLATFORM_REQUEST_TIMEOUT", check: isTimeout, standard: "30s",
		description: "Time limit for one attempt of a request, such as `2m`. Default: `30s`.",
	},
	{
		name: "update_timeout", variable: "DBPLATFORM_UPDATE_TIMEOUT", check: isTimeout, standard: "30s",
		description: "Maximum time until a change shows in the API's responses, such as `2m`. After that, the update fails. Default: `30s`.",
	},
	{
		name: "max_retries", variable: "DBPLATFORM_MAX_RETRIES", whole: &maxRetries, check: numberBetween("a whole number", maxRetries, parseWhole), standard: "6",
		description: fmt.Sprintf("Maximum number of retries of a failed read or update, not counting 429s. Valid range: %v to %v. Default: 6.", maxRetries.Min, maxRetries.Max),
	},
	{
		name: "requests_per_second", variable: "DBPLATFORM_REQUESTS_PER_SECOND", decimal: &rates, check: numberBetween("a number", rates, parseDecimal),
		description: fmt.Sprintf("Maximum number of requests per second. Valid range: %v to %v. Default: no limit.", rates.Min, rates.Max),
	},
	{
		name: "read_method", variable: "DBPLATFORM_READ_METHOD", check: oneOf([]string{"PATCH", "GET"}), standard: "PATCH",
		description: "Method for reading services and API keys: `PATCH` (default) sends an update without changes; `GET` sends a GET request to the same path, which the API does not document. " +
			"With `GET`, a read-only key is enough for plans.",
	},
	{
		name: "unreadable_objects", variable: "DBPLATFORM_UNREADABLE_OBJECTS", check: oneOf([]string{unreadableWarn, unreadableError}),
		description: "Behavior if the API refuses to return a service or API key: `warn` keeps the state and shows a warning; `error` fails. " +
			"By default, it warns if the API cannot return the object (HTTP 400, 405 or 422), and fails if the provider's key lacks permission (403) or the API fails (500 or 501).",
	},
}

func settingsSchema() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, s := range settings {
		description := s.description + " Environment variable: `" + s.variable + "`."
		switch {
		case s.whole != nil:
			attributes[s.name] = schema.Int64Attribute{
				MarkdownDescription: description, CustomType: wholeNumberType{}, Optional: true, Validators: []validator.Int64{between(*s.whole)},
			}
		case s.decimal != nil:
			attributes[s.name] = schema.Float64Attribute{MarkdownDescription: description, Optional: true, Validators: []validator.Float64{between(*s.decimal)}}
		default:
			var check rule[string] = func(text string) error {
				if text == "" {
					return nil // not set: whether the environment has it, only Configure knows
				}
				return s.check(text)
			}
			attributes[s.name] = schema.StringAttribute{
				MarkdownDescription: description, Optional: true, Sensitive: s.sensitive, Validators: []validator.String{check},
			}
		}
	}
	return attributes
}

// readSettings returns the value of each setting, from the block or the
// environment, and whether all of them are known yet.
func readSettings(block map[string]tftypes.Value) (values map[string]string, known bool, diags diag.Diagnostics) {
	values, known = map[string]string{}, true
	for _, s := range settings {
		if !block[s.name].IsKnown() {
			known = false
			continue
		}
		at, origin := path.Root(s.name), "Attribute "+s.name
		value := settingText(block[s.name])
		if value == "" {
			value, origin = os.Getenv(s.variable), "Environment variable "+s.variable
		}
		switch err := s.check(value); {
		case value == "" && s.required:
			remedy := fmt.Sprintf("The provider needs %s. Set it in the provider block, or set the environment variable %s", s.name, s.variable)
			if _, isSet := os.LookupEnv(s.variable); isSet {
				remedy += ", which is empty"
			}
			diags.AddAttributeError(at, "Missing "+s.name, remedy+".")
		case value == "":
			values[s.name] = s.standard
		case err != nil:
			diags.AddAttributeError(at, "Invalid "+s.name, fmt.Sprintf("%s %s.", origin, err))
		default:
			values[s.name] = value
		}
	}
	return values, known, diags
}

// settingText is a known value of the block as it is written in the environment,
// "" if it is null.
func settingText(value tftypes.Value) string {
	var text string
	var number big.Float
	switch {
	case value.IsNull():
		return ""
	case value.As(&text) == nil:
		return text
	case value.As(&number) == nil:
		return number.Text('f', -1)
	}
	panic("no text for a setting of type " + value.Type().String())
}

// clientConfig converts valid settings.
func clientConfig(values map[string]string) api.Config {
	base, _ := transport.ParseBaseURL(values["base_url"])
	timeout, _ := time.ParseDuration(values["request_timeout"])
	updateTimeout, _ := time.ParseDuration(values["update_timeout"])
	retries, _ := parseWhole(values["max_retries"])
	rate, _ := parseDecimal(values["requests_per_second"])
	config := api.Config{
		Transport: transport.Config{
			BaseURL:           base,
			OrganizationID:    values["organization_id"],
			KeyID:             values["key_id"],
			KeySecret:         values["key_secret"],
			RequestTimeout:    timeout,
			MaxRetries:        int(retries),
			RequestsPerSecond: rate,
		},
		ReadMethod:    values["read_method"],
		UpdateTimeout: updateTimeout,
	}
	if values["unreadable_objects"] == unreadableWarn {
		config.AlsoHidden = api.AlsoHidden
	}
	return config
}

func isBaseURL(s string) error {
	if _, err := transport.ParseBaseURL(s); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "the base URL "))
	}
	return nil
}

func isKeyID(s string) error {
	if strings.Contains(s, ":") {
		return errors.New("must not contain a colon, because HTTP Basic authentication separates id and secret with a colon")
	}
	return isTrimmed(s)
}

// isTrimmed catches line breaks of credentials that were read from files.
var isTrimmed = must("not begin or end with white space or a line break", func(s string) bool {
	return s == strings.TrimSpace(s)
})

var isTimeout = must("be a positive duration such as 30s or 2m", func(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
})

func numberBetween[N int64 | float64](kind string, limit api.Range[N], parse func(string) (N, error)) rule[string] {
	return func(s string) error {
		n, err := parse(s)
		if err != nil {
			return fmt.Errorf("must be %s between %v and %v", kind, limit.Min, limit.Max)
		}
		return between(limit)(n)
	}
}

func parseWhole(s string) (int64, error)     { return strconv.ParseInt(s, 10, 64) }
func parseDecimal(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
