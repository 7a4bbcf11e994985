package provider

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Environment variables for provider settings.
const (
	envBaseURL           = "DBPLATFORM_BASE_URL"
	envOrganizationID    = "DBPLATFORM_ORGANIZATION_ID"
	envKeyID             = "DBPLATFORM_KEY_ID"
	envKeySecret         = "DBPLATFORM_KEY_SECRET" //nolint:gosec // a name, not a secret
	envRequestTimeout    = "DBPLATFORM_REQUEST_TIMEOUT"
	envMaxRetries        = "DBPLATFORM_MAX_RETRIES"
	envRequestsPerSecond = "DBPLATFORM_REQUESTS_PER_SECOND"
	envUnreadableObjects = "DBPLATFORM_UNREADABLE_OBJECTS"
)

const (
	defaultRequestTimeout = 30 * time.Second
	defaultMaxRetries     = 6

	mostRetries = 100
)

// rates bounds requests_per_second.
var rates = api.Range[float64]{Min: 0.01, Max: 10000}

var (
	maxRetries        = between(api.Range[int64]{Min: 0, Max: mostRetries})
	requestsPerSecond = betweenFloats(rates)
)

type providerModel struct {
	BaseURL           types.String  `tfsdk:"base_url"`
	OrganizationID    types.String  `tfsdk:"organization_id"`
	KeyID             types.String  `tfsdk:"key_id"`
	KeySecret         types.String  `tfsdk:"key_secret"`
	RequestTimeout    types.String  `tfsdk:"request_timeout"`
	MaxRetries        types.Int64   `tfsdk:"max_retries"`
	RequestsPerSecond types.Float64 `tfsdk:"requests_per_second"`
	UnreadableObjects types.String  `tfsdk:"unreadable_objects"`
}

// config is the configuration from the provider block or the environment, and
// whether all of it is known yet.
func (m providerModel) config() (config transport.Config, unreadable adopt.UnreadableObjects, known bool, diags diag.Diagnostics) {
	s := settingsReader{known: true}
	config.OrganizationID = s.required("organization_id", m.OrganizationID, envOrganizationID, checkOrganizationID)
	config.KeyID = s.required("key_id", m.KeyID, envKeyID, checkKeyID)
	config.KeySecret = s.required("key_secret", m.KeySecret, envKeySecret, checkKeySecret)
	if base := s.required("base_url", m.BaseURL, envBaseURL, checkBaseURL); base != "" {
		config.BaseURL, _ = transport.ParseBaseURL(base)
	}

	config.RequestTimeout = defaultRequestTimeout
	if timeout := s.optional("request_timeout", m.RequestTimeout, envRequestTimeout, checkTimeout); timeout != "" {
		config.RequestTimeout, _ = time.ParseDuration(timeout)
	}
	retries := types.StringNull()
	switch {
	case m.MaxRetries.IsUnknown():
		s.known = false
	case !m.MaxRetries.IsNull():
		retries = types.StringValue(strconv.FormatInt(m.MaxRetries.ValueInt64(), 10))
	}
	config.MaxRetries = defaultMaxRetries
	if n := s.optional("max_retries", retries, envMaxRetries, checkRetries); n != "" {
		config.MaxRetries, _ = strconv.Atoi(n)
	}
	rate := types.StringNull()
	switch {
	case m.RequestsPerSecond.IsUnknown():
		s.known = false
	case !m.RequestsPerSecond.IsNull():
		rate = types.StringValue(decimal(m.RequestsPerSecond.ValueFloat64()))
	}
	if f := s.optional("requests_per_second", rate, envRequestsPerSecond, checkRate); f != "" {
		config.RequestsPerSecond, _ = strconv.ParseFloat(f, 64)
	}
	unreadable = adopt.UnreadableObjects(s.optional("unreadable_objects", m.UnreadableObjects, envUnreadableObjects, checkUnreadable))
	return config, unreadable, s.known, s.diags
}

// settingsReader reads settings and collects what is wrong with them.
type settingsReader struct {
	known bool
	diags diag.Diagnostics
}

// required is a setting that must be set in the block or the environment.
func (s *settingsReader) required(name string, configured types.String, variable string, check func(string) error) string {
	value := s.optional(name, configured, variable, check)
	if value == "" && !configured.IsUnknown() && !s.diagnosed(name) {
		s.diags.AddAttributeError(path.Root(name), "Missing "+name,
			fmt.Sprintf("The provider needs %s. Set it in the provider block, or set the environment variable %s.", name, variable))
	}
	return value
}

// optional is a setting from the block or else the environment; "" if it is in
// neither, not known yet, or wrong.
func (s *settingsReader) optional(name string, configured types.String, variable string, check func(string) error) string {
	if configured.IsUnknown() {
		s.known = false
		return ""
	}
	value, origin := configured.ValueString(), "The value of "+name
	if value == "" {
		value, origin = os.Getenv(variable), "The environment variable "+variable
	}
	if value == "" {
		return ""
	}
	if err := check(value); err != nil {
		s.diags.AddAttributeError(path.Root(name), "Invalid "+name, fmt.Sprintf("%s is wrong: %s.", origin, err))
		return ""
	}
	return value
}

func (s *settingsReader) diagnosed(name string) bool {
	for _, d := range s.diags {
		if at, ok := d.(diag.DiagnosticWithPath); ok && at.Path().Equal(path.Root(name)) {
			return true
		}
	}
	return false
}

func checkBaseURL(s string) error {
	_, err := transport.ParseBaseURL(s)
	return err
}

func checkOrganizationID(s string) error {
	if !adopt.IsUUID(s) {
		return errors.New("it must be a UUID of 36 characters")
	}
	return nil
}

func checkKeyID(s string) error {
	if strings.Contains(s, ":") {
		return errors.New("a key id must not contain a colon, because HTTP Basic authentication separates id and secret by one")
	}
	return checkBlanks("key id", s)
}

func checkKeySecret(s string) error {
	return checkBlanks("key secret", s)
}

// checkBlanks catches line breaks of credentials that were read from files.
func checkBlanks(what, s string) error {
	if s != strings.TrimSpace(s) {
		return fmt.Errorf("the %s begins or ends with white space or a line break; use trimspace()", what)
	}
	return nil
}

func checkTimeout(s string) error {
	if d, err := time.ParseDuration(s); err != nil || d <= 0 {
		return errors.New("it must be a positive duration such as 30s or 2m")
	}
	return nil
}

func checkRetries(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 0 || n > mostRetries {
		return fmt.Errorf("it must be a whole number from 0 to %d", mostRetries)
	}
	return nil
}

func checkRate(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !rates.Contains(f) {
		return fmt.Errorf("it must be a number from %s to %s", decimal(rates.Min), decimal(rates.Max))
	}
	return nil
}

func checkUnreadable(s string) error {
	if s != string(adopt.UnreadableWarn) && s != string(adopt.UnreadableError) {
		return errors.New("it must be warn or error")
	}
	return nil
}
