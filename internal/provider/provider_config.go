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
	envRequestTimeout = "DBPLATFORM_REQUEST_TIMEOUT"
)

// A setting is an argument of the provider block. It can also be set in the
// environment; the block takes precedence.
type setting struct {
	name, variable string
	attribute      func(description string, check rule[string]) schema.Attribute
	check          rule[string]
	standard       string // the value if it is not set
	required       bool
	description    string
}

var (
	maxRetries = api.Range[int64]{Min: 0, Max: 100}
	rates      = api.Range[float64]{Min: 0.01, Max: 10000}
)

// settings are all arguments of the provider block.
var settings = []setting{
	{
		name: "base_url", variable: envBaseURL, attribute: textSetting, check: isBaseURL, required: true,
		description: "Address of the API without `/v1`, such as `https://api.example.com`. A path prefix is allowed; `http://` is allowed only for a loopback host.",
	},
	{
		name: "organization_id", variable: envOrganizationID, attribute: textSetting, check: isUUID(""), required: true,
		description: "UUID of the organization that the key belongs to.",
	},
	{
		name: "key_id", variable: envKeyID, attribute: textSetting, check: isKeyID, required: true,
		description: "ID that was issued together with the secret. It can differ from the UUID that identifies the key in the API (`key_id` of `dbplatform_api_key`).",
	},
	{
		name: "key_secret", variable: envKeySecret, attribute: secretSetting, check: isTrimmed, required: true,
		description: "Secret of the API key that the provider authenticates with.",
	},
	{
		name: "request_timeout", variable: envRequestTimeout, attribute: textSetting, check: isTimeout, standard: "30s",
		description: "Time limit for one attempt of a request, such as `2m`. Default: `30s`.",
	},
	{
		name: "update_timeout", variable: "DBPLATFORM_UPDATE_TIMEOUT", attribute: textSetting, check: isTimeout, standard: "30s",
		description: "How long a change may take to show in the API's responses, such as `2m`. After that, the update fails. Default: `30s`.",
	},
	{
		name: "max_retries", variable: "DBPLATFORM_MAX_RETRIES", attribute: wholeSetting, check: numberBetween("a whole number", maxRetries, parseWhole), standard: "6",
		description: fmt.Sprintf("Maximum number of retries of a failed request. Valid range: %v to %v. Default: 6.", maxRetries.Min, maxRetries.Max),
	},
	{
		name: "requests_per_second", variable: "DBPLATFORM_REQUESTS_PER_SECOND", attribute: decimalSetting, check: numberBetween("a number", rates, parseDecimal),
		description: fmt.Sprintf("Maximum number of requests per second. Valid range: %v to %v. Default: no limit.", rates.Min, rates.Max),
	},
	{
		name: "read_method", variable: "DBPLATFORM_READ_METHOD", attribute: textSetting, check: oneOf([]string{"PATCH", "GET"}), standard: "PATCH",
		description: "How services and API keys are read: `PATCH` (default) sends an update without changes; `GET` sends a GET request to the same path, which the API does not document. " +
			"With `GET`, a read-only key is enough for plans.",
	},
	{
		name: "unreadable_objects", variable: "DBPLATFORM_UNREADABLE_OBJECTS", attribute: textSetting, check: oneOf([]string{unreadableWarn, unreadableError}),
		description: "What happens if the API refuses to return a service or API key: `warn` keeps the state and shows a warning; `error` fails. " +
			"By default, it warns if the API cannot return the object (HTTP 400, 405 or 422), and fails if the provider's key lacks permission (403) or the API fails (500 or 501).",
	},
}

// settingsSchema are the settings as attributes of the provider block.
func settingsSchema() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, s := range settings {
		description := s.description + " Environment variable: `" + s.variable + "`."
		check := rule[string](func(value string) error {
			if value == "" {
				return nil // not set, which only Configure can tell: it knows the environment
			}
			return s.check(value)
		})
		attributes[s.name] = s.attribute(description, check)
	}
	return attributes
}

func textSetting(description string, check rule[string]) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: []validator.String{check}}
}

func secretSetting(description string, check rule[string]) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Sensitive: true, Validators: []validator.String{check}}
}

func wholeSetting(description string, check rule[string]) schema.Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, CustomType: wholeNumberType{}, Optional: true, Validators: []validator.Int64{check}}
}

func decimalSetting(description string, check rule[string]) schema.Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Optional: true, Validators: []validator.Float64{check}}
}

// readSettings returns the value of each setting, from the block or the
// environment, and whether all of them are known yet.
func readSettings(block map[string]tftypes.Value) (values map[string]string, known bool, diags diag.Diagnostics) {
	values, known = map[string]string{}, true
	for _, s := range settings {
		at := path.Root(s.name)
		value, origin := settingText(block[s.name]), "Attribute "+s.name
		if !block[s.name].IsKnown() {
			known = false
			continue
		}
		if value == "" {
			value, origin = os.Getenv(s.variable), "Environment variable "+s.variable
		}
		switch err := s.check(value); {
		case value == "" && s.required:
			diags.AddAttributeError(at, "Missing "+s.name,
				fmt.Sprintf("The provider needs %s. Set it in the provider block, or set the environment variable %s.", s.name, s.variable))
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

// settingText is a value of the block as it is written in the environment; "" if
// it is null or unknown.
func settingText(value tftypes.Value) string {
	var text string
	var number big.Float
	switch {
	case value.IsNull() || !value.IsKnown():
		return ""
	case value.As(&text) == nil:
		return text
	case value.As(&number) == nil:
		f, _ := number.Float64()
		return strconv.FormatFloat(f, 'f', -1, 64)
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
func isTrimmed(s string) error {
	if s != strings.TrimSpace(s) {
		return errors.New("must not begin or end with white space or a line break")
	}
	return nil
}

func isTimeout(s string) error {
	if d, err := time.ParseDuration(s); err != nil || d <= 0 {
		return errors.New("must be a positive duration such as 30s or 2m")
	}
	return nil
}

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
