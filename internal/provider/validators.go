package provider

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// The validators of this provider do not show the value that they refuse: it may
// be sensitive, which a provider cannot see.

// invalid is the error about a value that is not what it must be.
func invalid(at path.Path, mustBe string) diag.Diagnostic {
	// The rest of the path may hold an element of a set.
	attribute := at.Steps()[0]
	return diag.NewAttributeErrorDiagnostic(at, "Invalid Attribute Value", fmt.Sprintf("Attribute %s must be %s.", attribute, mustBe))
}

func between(limit api.Range[int64]) []validator.Int64 {
	return []validator.Int64{wholeRange(limit)}
}

func betweenFloats(limit api.Range[float64]) []validator.Float64 {
	return []validator.Float64{floatRange(limit)}
}

// wholeRange holds a whole number to its bounds.
type wholeRange api.Range[int64]

func (r wholeRange) Description(context.Context) string {
	return fmt.Sprintf("between %d and %d", r.Min, r.Max)
}

func (r wholeRange) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

func (r wholeRange) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	n := req.ConfigValue
	if !n.IsNull() && !n.IsUnknown() && !api.Range[int64](r).Contains(n.ValueInt64()) {
		resp.Diagnostics.Append(invalid(req.Path, r.Description(ctx)))
	}
}

// floatRange holds a number to its bounds.
type floatRange api.Range[float64]

func (r floatRange) Description(context.Context) string {
	return fmt.Sprintf("between %s and %s", decimal(r.Min), decimal(r.Max))
}

func (r floatRange) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

func (r floatRange) ValidateFloat64(ctx context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	f := req.ConfigValue
	if !f.IsNull() && !f.IsUnknown() && !api.Range[float64](r).Contains(f.ValueFloat64()) {
		resp.Diagnostics.Append(invalid(req.Path, r.Description(ctx)))
	}
}

// serviceName holds a name to its length and its characters.
type serviceName struct{}

var serviceNamePattern = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9\s]{1,%d}$`, api.ServiceNameMaxLength))

func (serviceName) Description(context.Context) string {
	return fmt.Sprintf("1 to %d ASCII letters, digits and white space", api.ServiceNameMaxLength)
}

func (v serviceName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v serviceName) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if s := req.ConfigValue; !s.IsNull() && !s.IsUnknown() && !serviceNamePattern.MatchString(s.ValueString()) {
		resp.Diagnostics.Append(invalid(req.Path, v.Description(ctx)))
	}
}

// oneOf refuses a value that is none of a list.
type oneOf []string

func (v oneOf) Description(context.Context) string { return "one of " + strings.Join(v, ", ") }

func (v oneOf) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v oneOf) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if s := req.ConfigValue; !s.IsNull() && !s.IsUnknown() && !slices.Contains(v, s.ValueString()) {
		resp.Diagnostics.Append(invalid(req.Path, v.Description(ctx)))
	}
}

// uuidForm refuses what is no UUID of 36 characters.
type uuidForm struct{ note string } // what to say besides; may be empty

func (uuidForm) Description(context.Context) string {
	return "a UUID of 36 characters, such as 7c9e6679-7425-40de-944b-e07fc1f90ae7"
}

func (v uuidForm) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v uuidForm) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if s := req.ConfigValue; !s.IsNull() && !s.IsUnknown() && !adopt.IsUUID(s.ValueString()) {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a UUID",
			strings.TrimSpace(fmt.Sprintf("Attribute %s must be %s. %s", req.Path, v.Description(ctx), v.note)))
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
	return `an RFC 3339 time such as "2030-01-31T12:00:00Z", or "" for never`
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
			fmt.Sprintf("Attribute %s must be %s.", req.Path, v.Description(ctx)))
	case at.Before(time.Now()) && at.Year() > 1: // Terraform 1.8 validates with a plantimestamp() in the year 1
		resp.Diagnostics.AddAttributeWarning(req.Path, "Expiry in the past",
			"This time has passed: nobody can use a key with this expiry.")
	}
}

// checkPipeID refuses a service's id in the place of a pipe's.
func checkPipeID(serviceID, pipeID attr.Value, diags *diag.Diagnostics) {
	if id := adopt.Text(pipeID); id != "" && strings.EqualFold(id, adopt.Text(serviceID)) {
		diags.AddAttributeError(path.Root("pipe_id"), "The id of a service, not of a pipe",
			"pipe_id is the same as service_id. It must be the UUID of one of the service's pipes.")
	}
}
