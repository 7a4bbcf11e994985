package provider

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

func between(limit api.Range[int64]) []validator.Int64 {
	return []validator.Int64{int64validator.Between(limit.Min, limit.Max)}
}

func betweenFloats(limit api.Range[float64]) []validator.Float64 {
	return []validator.Float64{floatRange(limit)}
}

// floatRange holds a number to its bounds. It writes them as a person would,
// which is all that the well-known validator lacks.
type floatRange api.Range[float64]

func (r floatRange) Description(context.Context) string {
	return fmt.Sprintf("value must be between %s and %s", decimal(r.Min), decimal(r.Max))
}

func (r floatRange) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

func (r floatRange) ValidateFloat64(ctx context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	f := req.ConfigValue
	if !f.IsNull() && !f.IsUnknown() && !api.Range[float64](r).Contains(f.ValueFloat64()) {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Value",
			fmt.Sprintf("Attribute %s %s, got: %s", req.Path, r.Description(ctx), decimal(f.ValueFloat64())))
	}
}

var serviceName = []validator.String{
	stringvalidator.LengthBetween(1, api.ServiceNameMaxLength),
	stringvalidator.RegexMatches(regexp.MustCompile(`^[A-Za-z0-9\s]*$`),
		"must consist of ASCII letters, digits and white space"),
}

// uuidForm refuses what is no UUID of 36 characters.
type uuidForm struct{ note string } // what to say besides; may be empty

func (uuidForm) Description(context.Context) string {
	return "must be a UUID of 36 characters, such as 7c9e6679-7425-40de-944b-e07fc1f90ae7"
}

func (v uuidForm) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v uuidForm) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if s := req.ConfigValue; !s.IsNull() && !s.IsUnknown() && !adopt.IsUUID(s.ValueString()) {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a UUID",
			strings.TrimSpace(fmt.Sprintf("The value %s, got: %q. %s", v.Description(ctx), s.ValueString(), v.note)))
	}
}

// rfc3339 is the form of an RFC 3339 time, which time.Parse takes more
// leniently: it knows hours of one digit, fractions after a comma and offsets
// of more than a day.
var rfc3339 = regexp.MustCompile(`^(?i)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// expiry refuses what is neither empty nor an RFC 3339 time, and warns of an
// expiry that has passed.
type expiry struct{}

func (expiry) Description(context.Context) string {
	return `must be an RFC 3339 time such as "2030-01-31T12:00:00Z", or "" for never`
}

func (v expiry) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v expiry) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	s := req.ConfigValue
	if s.IsNull() || s.IsUnknown() || s.ValueString() == "" {
		return
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(s.ValueString()))
	switch {
	case err != nil || !rfc3339.MatchString(s.ValueString()):
		resp.Diagnostics.AddAttributeError(req.Path, "Not a time",
			fmt.Sprintf("The value %s, got: %q", v.Description(ctx), s.ValueString()))
	case at.Before(time.Now()):
		resp.Diagnostics.AddAttributeWarning(req.Path, "Expiry in the past",
			fmt.Sprintf("The key expires at %s, which has passed: nobody can use it.", s.ValueString()))
	}
}

// oneOf refuses a value that is none of a list, in a sentence.
type oneOf struct {
	noun   string // what a value is
	values []string
}

func (v oneOf) Description(context.Context) string {
	return fmt.Sprintf("must be a %s; one of %s", v.noun, strings.Join(v.values, ", "))
}

func (v oneOf) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v oneOf) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if s := req.ConfigValue; !s.IsNull() && !s.IsUnknown() && !slices.Contains(v.values, s.ValueString()) {
		resp.Diagnostics.AddAttributeError(req.Path, "Unknown "+v.noun,
			fmt.Sprintf("%q is not a %s; use one of %s.", s.ValueString(), v.noun, strings.Join(v.values, ", ")))
	}
}

// checkPipeID refuses a service's id in the place of a pipe's.
func checkPipeID(serviceID, pipeID attr.Value, diags *diag.Diagnostics) {
	if id := adopt.Text(pipeID); id != "" && strings.EqualFold(id, adopt.Text(serviceID)) {
		diags.AddAttributeError(path.Root("pipe_id"), "The id of a service, not of a pipe",
			"pipe_id is the same as service_id. It must be the UUID of one of the service's pipes.")
	}
}
