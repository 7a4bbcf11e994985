package provider

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"net/http"
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
	failIfHidden bool
}

// An argument is set in the provider block or else in an environment variable.
type argument struct {
	name, variable      string
	set                 func(text string) error // checks the value and puts it into the configuration
	fallback            string                  // the value if it is not set
	required, sensitive bool
	ints                *api.Range[int64]   // the valid range of a whole number
	floats              *api.Range[float64] // the valid range of another number; without a range, it is a text
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
			set: func(s string) (err error) {
				if err = isTrimmed(s); err == nil {
					c.Transport.BaseURL, err = transport.ParseBaseURL(s)
				}
				return err
			},
			description: "Address of the API without `/v1`, such as `https://api.example.com`. A path prefix is allowed; `http://` is allowed only for a loopback host.",
		},
		{
			name: "organization_id", variable: "DBPLATFORM_ORGANIZATION_ID", set: textInto(&c.Transport.OrganizationID, isUUID), required: true,
			description: "UUID of the organization that the provider's key belongs to.",
		},
		{
			name: "key_id", variable: "DBPLATFORM_KEY_ID", set: textInto(&c.Transport.KeyID, isTrimmed), required: true,
			description: "ID of the API key that the provider authenticates with, as issued together with the secret. It can differ from the UUID that identifies the key in the API (`key_id` of `dbplatform_api_key`).",
		},
		{
			name: "key_secret", variable: "DBPLATFORM_KEY_SECRET", set: textInto(&c.Transport.KeySecret, isTrimmed), required: true, sensitive: true,
			description: "Secret of the provider's key.",
		},
		{
			name: "request_timeout", variable: "DBPLATFORM_REQUEST_TIMEOUT", set: durationInto(&c.Transport.RequestTimeout), fallback: "30s",
			description: "Time limit for one attempt of a request, such as `2m`. Default: `30s`.",
		},
		{
			name: "update_timeout", variable: "DBPLATFORM_UPDATE_TIMEOUT", set: durationInto(&c.UpdateTimeout), fallback: "30s",
			description: "Time limit for the API to return the new value after an update, such as `2m`. After that, the update fails. Default: `30s`.",
		},
		{
			name: "max_retries", variable: "DBPLATFORM_MAX_RETRIES", ints: &maxRetries, fallback: "12",
			set: func(s string) error {
				n, err := strconv.ParseInt(s, 10, 64)
				c.Transport.MaxRetries = int(n)
				return checkNumber("a whole number", maxRetries, n, err)
			},
			description: fmt.Sprintf("Maximum number of retries of a failed read or update, not counting 429s. Valid range: %v to %v. Default: 12.", maxRetries.Min, maxRetries.Max),
		},
		{
			name: "requests_per_second", variable: "DBPLATFORM_REQUESTS_PER_SECOND", floats: &rates,
			set: func(s string) (err error) {
				c.Transport.RequestsPerSecond, err = strconv.ParseFloat(s, 64)
				return checkNumber("a number", rates, c.Transport.RequestsPerSecond, err)
			},
			description: fmt.Sprintf("Maximum number of requests per second. Valid range: %v to %v. Default: no limit.", rates.Min, rates.Max),
		},
		{
			name: "read_method", variable: "DBPLATFORM_READ_METHOD", set: textInto(&c.ReadMethod, oneOf([]string{"PATCH", "GET"})), fallback: "PATCH",
			description: "Method for reading services and API keys: `PATCH` (default) sends an update without changes; `GET` sends a GET request to the same path, which the API does not document. " +
				"With `GET`, a read-only key is enough for plans.",
		},
		{
			name: "unreadable_objects", variable: "DBPLATFORM_UNREADABLE_OBJECTS",
			set: func(s string) error {
				switch s {
				case "warn":
					c.AlsoHidden = []int{http.StatusForbidden, http.StatusInternalServerError, http.StatusNotImplemented}
				case "error":
					c.failIfHidden = true
				}
				return oneOf([]string{"warn", "error"})(s)
			},
			description: "Behavior if the API refuses to return a service or API key: `warn` keeps the state and shows a warning; `error` fails. " +
				"By default, it warns if the API cannot return the object (HTTP 400, 405 or 422), and fails if the provider's key lacks permission (403) or the API fails (500 or 501).",
		},
	}
}

func argumentsSchema() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for i, a := range new(configuration).arguments() {
		description := a.description + " Environment variable: `" + a.variable + "`."
		switch {
		case a.ints != nil:
			attributes[a.name] = schema.Int64Attribute{
				MarkdownDescription: description, CustomType: wholeNumberType{limit: *a.ints}, Optional: true, Validators: []validator.Int64{between(*a.ints)},
			}
		case a.floats != nil:
			attributes[a.name] = schema.Float64Attribute{
				MarkdownDescription: description, Optional: true, Validators: []validator.Float64{between(*a.floats)},
			}
		default:
			var check rule[string] = func(text string) error {
				if text == "" {
					return nil // not set here: only Configure looks at the environment
				}
				unused := new(configuration) // set only checks here
				return unused.arguments()[i].set(text)
			}
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
			if err := a.set(text); err != nil {
				diags.AddAttributeError(path.Root(a.name), "Invalid "+a.name, fmt.Sprintf("%s %s.", origin, err))
			}
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
	return number.Text('f', -1)
}

func textInto(place *string, check rule[string]) func(string) error {
	return func(s string) error {
		*place = s
		return check(s)
	}
}

func durationInto(place *time.Duration) func(string) error {
	return func(s string) (err error) {
		if *place, err = time.ParseDuration(s); err != nil || *place <= 0 {
			return errors.New("must be a positive duration of at most 290 years, such as 30s or 2m")
		}
		return nil
	}
}

func checkNumber[N int64 | float64](kind string, limit api.Range[N], n N, err error) error {
	if err != nil || !limit.Contains(n) {
		return fmt.Errorf("must be %s between %v and %v", kind, limit.Min, limit.Max)
	}
	return nil
}
