package provider

import (
	"cmp"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A configuration is what the provider block and the environment set.
type configuration struct {
	api.Config
}

// An argument is set in the provider block or else in an environment variable.
type argument struct {
	name, variable      string
	check               rule[string]
	set                 func(text string) // puts a valid value into the configuration
	fallback            string            // the value if it is not set
	required, sensitive bool
	isNumber            bool // else it is a string
	description         string
}

var (
	maxRetries = api.Range[int64]{Min: 0, Max: 100}
	rates      = api.Range[float64]{Min: 0.01, Max: 10000}
)

func (c *configuration) arguments() []argument {
	return []argument{
		{
			name: "base_url", variable: "DBPLATFORM_BASE_URL", required: true,
			check: isBaseURL, set: func(s string) { c.Transport.BaseURL, _ = transport.ParseBaseURL(s) },
			description: "Address of the API without `/v1`, such as `https://api.example.com`. A path prefix is allowed; `http://` is allowed only for a loopback host.",
		},
		{
			name: "organization_id", variable: "DBPLATFORM_ORGANIZATION_ID", check: isUUID, set: textInto(&c.Transport.OrganizationID), required: true,
			description: "UUID of the organization that the provider's key belongs to.",
		},
		{
			name: "key_id", variable: "DBPLATFORM_KEY_ID", check: isClean, set: textInto(&c.Transport.KeyID), required: true,
			description: "ID of the provider's key, as issued together with its secret. It can differ from the UUID of the key (`key_id` of `dbplatform_api_key`).",
		},
		{
			name: "key_secret", variable: "DBPLATFORM_KEY_SECRET", check: isClean, set: textInto(&c.Transport.KeySecret), required: true, sensitive: true,
			description: "Secret of the provider's key.",
		},
		{
			name: "request_timeout", variable: "DBPLATFORM_REQUEST_TIMEOUT", check: isTimeout, set: durationInto(&c.Transport.RequestTimeout), fallback: "30s",
			description: "Time limit for one attempt of a request, such as `2m`. Default: `30s`.",
		},
		{
			name: "update_timeout", variable: "DBPLATFORM_UPDATE_TIMEOUT", check: isTimeout, set: durationInto(&c.UpdateTimeout), fallback: "30s",
			description: "Time to wait after an update until the API returns the new value, such as `2m`. After that, the update fails. Default: `30s`.",
		},
		{
			name: "max_retries", variable: "DBPLATFORM_MAX_RETRIES", isNumber: true, fallback: "12",
			check: isIn(maxRetries, parseInt),
			set: func(s string) {
				n, _ := parseInt(s)
				c.Transport.MaxRetries = int(n)
			},
			description: fmt.Sprintf("Maximum number of retries of a failed read or update, not counting 429s. Valid range: %v to %v. Default: 12.", maxRetries.Min, maxRetries.Max),
		},
		{
			name: "requests_per_second", variable: "DBPLATFORM_REQUESTS_PER_SECOND", isNumber: true,
			check: isIn(rates, parseFloat), set: func(s string) { c.Transport.RequestsPerSecond, _ = parseFloat(s) },
			description: fmt.Sprintf("Maximum number of requests per second. Valid range: %v to %v. Default: no limit.", rates.Min, rates.Max),
		},
		{
			name: "read_method", variable: "DBPLATFORM_READ_METHOD", check: oneOf([]string{"PATCH", "GET"}), set: textInto(&c.ReadMethod), fallback: "PATCH",
			description: "Method for reading services and API keys: `PATCH` with `{}` (default), or an undocumented `GET`, for which a read-only key is enough.",
		},
		{
			name: "unreadable_objects", variable: "DBPLATFORM_UNREADABLE_OBJECTS", check: oneOf([]string{"warn", "error"}),
			set: func(s string) { c.HidesRefused = s == "warn" }, fallback: "error",
			description: "Behavior if the API refuses to return a service or API key (HTTP 400, 403, 405, 422, 500 or 501): `error` (default) fails; " +
				"`warn` keeps the state and shows a warning.",
		},
	}
}

func argumentsSchema() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, a := range new(configuration).arguments() {
		description := a.description + " Environment variable: `" + a.variable + "`."
		check := secretRule{orEmpty(a.check)}
		if a.isNumber {
			attributes[a.name] = schema.NumberAttribute{MarkdownDescription: description, Optional: true, Validators: []validator.Number{check}}
		} else {
			attributes[a.name] = schema.StringAttribute{
				MarkdownDescription: description, Optional: true, Sensitive: a.sensitive, Validators: []validator.String{check},
			}
		}
	}
	return attributes
}

// read takes each argument from the block or the environment, and reports
// whether all of them are known yet.
func (c *configuration) read(block map[string]tftypes.Value) (known bool, diags diag.Diagnostics) {
	known = true
	for _, a := range c.arguments() {
		if !block[a.name].IsKnown() {
			known = false
			continue
		}
		text, origin := argumentText(block[a.name]), "Attribute "+a.name
		if text == "" {
			text, origin = os.Getenv(a.variable), "Environment variable "+a.variable
		}
		text = cmp.Or(text, a.fallback)
		switch {
		case text != "":
			if err := a.check(text); err != nil {
				diags.AddAttributeError(path.Root(a.name), "Invalid "+a.name, fmt.Sprintf("%s %s.", origin, err))
				continue
			}
			a.set(text)
		case a.required:
			remedy := fmt.Sprintf("The provider needs %s. Set it in the provider block, or set the environment variable %s", a.name, a.variable)
			if _, isSet := os.LookupEnv(a.variable); isSet {
				remedy += ", which is empty"
			}
			diags.AddAttributeError(path.Root(a.name), "Missing "+a.name, remedy+".")
		}
	}
	return known, diags
}

// argumentText writes a known value as an environment variable would, "" for null.
func argumentText(value tftypes.Value) string {
	var text string
	if value.As(&text) == nil { // also of a null
		return text
	}
	var number big.Float
	if err := value.As(&number); err != nil {
		panic(err) // no argument has another type
	}
	return number.Text('g', -1)
}

// orEmpty is a rule of the provider block: "" is not set there, and may be set in the environment.
func orEmpty(check rule[string]) rule[string] {
	return func(text string) error {
		if text == "" {
			return nil
		}
		return check(text)
	}
}

var isBaseURL rule[string] = func(s string) error {
	if err := isClean(s); err != nil {
		return err
	}
	_, err := transport.ParseBaseURL(s)
	return err
}

var isTimeout = require("be a positive duration of at most 290 years, such as 30s or 2m", func(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
})

// isIn is between for a number in a text.
func isIn[N int64 | float64](limit api.Range[N], parse func(string) (N, error)) rule[string] {
	return require(rangeText(limit), func(s string) bool {
		n, err := parse(s)
		return err == nil && limit.Contains(n)
	})
}

func parseInt(s string) (int64, error)     { return strconv.ParseInt(s, 10, 64) }
func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

func textInto(place *string) func(string) {
	return func(s string) { *place = s }
}

func durationInto(place *time.Duration) func(string) {
	return func(s string) { *place, _ = time.ParseDuration(s) }
}
