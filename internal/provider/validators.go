package provider

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
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

// addresses looks at the keys of an access list. Two notations of one address
// are an error, because only one description can be that address's; what is
// no address, and what is open to everyone, is a warning: the API says no
// more than "an address or range".
type addresses struct{}

func (addresses) Description(context.Context) string {
	return "keys are IP addresses or CIDR prefixes, each once"
}

func (v addresses) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (addresses) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	seen := map[string]string{}
	for _, source := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		canonical := api.CanonicalAddress(source)
		switch other, twice := seen[canonical]; {
		case twice:
			resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(source), "Address stands twice",
				fmt.Sprintf("%q and %q are the same address or range. Keep one of them.", other, source))
		case strings.TrimSpace(source) == "":
			resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(source), "Address is empty",
				"A key of the list is an IP address or a CIDR prefix.")
		case !api.IsAddress(source):
			resp.Diagnostics.AddAttributeWarning(req.Path.AtMapKey(source), fmt.Sprintf("Not an address: %q", source),
				"This is neither an IP address nor a CIDR prefix. It is sent as it is, and the API may refuse it.")
		case canonical == "0.0.0.0/0" || canonical == "::/0":
			resp.Diagnostics.AddAttributeWarning(req.Path.AtMapKey(source), fmt.Sprintf("Open to everyone: %s", source),
				"This range holds every address there is.")
		}
		seen[canonical] = source
	}
}
