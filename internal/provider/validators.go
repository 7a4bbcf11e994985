package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// A rule validates the known values of an attribute: a string, int64, float64, the
// text of a number, the []attr.Value of a set or the map[string]attr.Value of a map. Its error follows the
// attribute's name, as in "must be between 1 and 10". It shows no value but an address.
type rule[V any] func(value V) error

var _ lifecycle.Checker = rule[string](nil)

func (rule[V]) Description(context.Context) string         { return "" }
func (rule[V]) MarkdownDescription(context.Context) string { return "" }

func (r rule[V]) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	r.validate(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (r rule[V]) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	r.validate(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (r rule[V]) ValidateFloat64(_ context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	r.validate(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (r rule[V]) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	r.validate(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (r rule[V]) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	r.validate(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (r rule[V]) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	r.validate(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (r rule[V]) validate(at path.Path, value attr.Value, diags *diag.Diagnostics) {
	err := r.Check(value)
	if err == nil {
		return
	}
	shown := ""
	if lifecycle.Elements(value) == nil { // a collection may be long
		shown = ", not " + lifecycle.Describe(value)
	}
	diags.AddAttributeError(at, "Invalid Attribute Value", fmt.Sprintf("Attribute %s %s%s.", at, err, shown))
}

// A secretRule is a rule for a value that may be a secret, so that no error shows it.
type secretRule struct{ rule[string] }

func (r secretRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if err := r.Check(req.ConfigValue); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Value", fmt.Sprintf("Attribute %s %s.", req.Path, err))
	}
}

// Check returns the rule's error, nil for a value that is null or not known yet.
func (r rule[V]) Check(value attr.Value) error {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	var native any
	switch v := value.(type) {
	case interface{ ValueString() string }:
		native = v.ValueString()
	case interface{ ValueInt64() int64 }:
		native = v.ValueInt64()
	case interface{ ValueFloat64() float64 }:
		native = v.ValueFloat64()
	case types.Number:
		native = v.ValueBigFloat().Text('g', -1)
	case types.Set:
		native = v.Elements()
	case interface{ Elements() map[string]attr.Value }:
		native = v.Elements()
	}
	return r(native.(V)) // panics only for an attribute of the wrong type
}

// require returns the rule that ok must hold. text follows "must", as in "be one of a, b".
func require[V any](text string, ok func(V) bool) rule[V] {
	return func(value V) error {
		if !ok(value) {
			return errors.New("must " + text)
		}
		return nil
	}
}

func between[N int64 | float64](limit api.Range[N]) rule[N] {
	return require(rangeText(limit), limit.Contains)
}

func rangeText[N int64 | float64](limit api.Range[N]) string {
	kind := ""
	if _, isWhole := any(limit.Min).(int64); isWhole {
		kind = "a whole number "
	}
	return fmt.Sprintf("be %sbetween %v and %v", kind, limit.Min, limit.Max)
}

func oneOf(values []string) rule[string] {
	return require("be one of "+strings.Join(values, ", "), func(s string) bool { return slices.Contains(values, s) })
}

// someOf requires at least one value, and only values of an enum.
func someOf(values []string) rule[[]attr.Value] {
	isWrong := func(e attr.Value) bool { return oneOf(values).Check(e) != nil }
	return require("be one or more of "+strings.Join(values, ", "), func(elements []attr.Value) bool {
		return len(elements) > 0 && !slices.ContainsFunc(elements, isWrong)
	})
}

// isTrimmed also catches line breaks of what was read from files.
var isTrimmed = require("not be empty or begin or end with white space", func(s string) bool { return s != "" && s == strings.TrimSpace(s) })

// isClean catches what files, shells and copying add to a value.
var isClean = require("not be empty, or contain white space, invisible characters or quotes at its ends", func(s string) bool {
	isInvisible := func(r rune) bool { return !unicode.IsPrint(r) }
	return s != "" && s == strings.Trim(s, " \"'") && !strings.ContainsFunc(s, isInvisible)
})

var areTrimmed = require("not contain texts that are empty or begin or end with white space", func(elements []attr.Value) bool {
	return !slices.ContainsFunc(elements, func(e attr.Value) bool { return isTrimmed.Check(e) != nil })
})

var isServiceName = require(
	fmt.Sprintf("be 1 to %d ASCII letters, digits and white space", api.ServiceNameMaxLength),
	regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9\s]{1,%d}$`, api.ServiceNameMaxLength)).MatchString)

var isUUID = require("be a UUID of 36 characters without white space, such as 7c9e6679-7425-40de-944b-e07fc1f90ae7", isUUIDText)

// isUUIDText requires 36 characters. The uuid package accepts other forms, which the API's
// paths do not.
func isUUIDText(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && len(s) == 36
}

// rfc3339 is the form of an RFC 3339 time in capital letters. time.Parse also takes hours
// of one digit, fractions after a comma and offsets of more than a day.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

var isExpiry rule[string] = func(s string) error {
	at, err := time.Parse(time.RFC3339, s)
	switch {
	case s == never:
		return nil
	case err != nil || !rfc3339.MatchString(s):
		return errors.New(`must be an RFC 3339 time such as "2099-01-31T12:00:00Z", or "never" for no expiry`)
	case at.IsZero() || at.Unix() == 0: // not near that: Terraform before 1.10 validates with a plantimestamp() of the year 1
		return errors.New(`must be "never" for no expiry, which many APIs store as this time`)
	}
	return nil
}

// addressLike matches what can only be meant as an address: digits with dots
// and a slash, or hexadecimal digits with a colon.
var addressLike = regexp.MustCompile(`^([0-9./]+|[0-9a-fA-F./]*:[0-9a-fA-F:./]*)$`)

// isSource requires an address, or what is clearly none: it may be a name that the API knows.
var isSource rule[string] = func(source string) error {
	switch {
	case !api.IsAddress(source) && addressLike.MatchString(source):
		return errors.New("looks like an IP address or CIDR prefix, but is not a valid one")
	}
	return isTrimmed(source)
}

// areSources requires every key of an access list to be a source, and each address once.
var areSources rule[map[string]attr.Value] = func(list map[string]attr.Value) error {
	var problems []string
	first := map[string]string{} // by canonical address
	for _, source := range slices.Sorted(maps.Keys(list)) {
		err, canonical := isSource(source), api.CanonicalAddress(source)
		if other, ok := first[canonical]; ok {
			err = fmt.Errorf("is the same address or range as %q", other)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%q %s", source, err))
		}
		first[canonical] = source
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("has invalid entries: %s", api.Listed(problems, "; "))
}
