package provider

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// timestampType is a string for an instant, or for an expiry that never comes. It is
// kept verbatim; the same instant in another notation means the same.
type timestampType struct{ basetypes.StringType }

type timestamp struct{ basetypes.StringValue }

var _ lifecycle.Notation = timestamp{}

func (t timestampType) Equal(o attr.Type) bool {
	_, ok := o.(timestampType)
	return ok
}

func (t timestampType) ValueType(context.Context) attr.Value { return timestamp{} }

func (t timestampType) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return timestamp{in}, nil
}

func (t timestampType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return timestamp{value.(basetypes.StringValue)}, nil
}

func (v timestamp) Type(context.Context) attr.Type { return timestampType{} }

func (v timestamp) Equal(o attr.Value) bool {
	other, ok := o.(timestamp)
	return ok && v.StringValue.Equal(other.StringValue)
}

// SemanticEqual reports whether both are the same instant.
func (v timestamp) SemanticEqual(other attr.Value) bool {
	a, aOK := instant(v.ValueString())
	b, bOK := instant(lifecycle.Text(other))
	return aOK && bOK && a.Equal(b)
}

// KeepNotation returns prior if v is the same instant at v's precision: an API
// may keep fewer fractional digits than it is sent.
func (v timestamp) KeepNotation(prior attr.Value) attr.Value {
	now, nowOK := instant(v.ValueString())
	old, oldOK := instant(lifecycle.Text(prior))
	if nowOK && oldOK && old.Truncate(precision(v.ValueString())).Equal(now) {
		return prior
	}
	return v
}

// precision is the unit of the last digit of a timestamp's seconds.
func precision(s string) time.Duration {
	_, fraction, _ := strings.Cut(s, ".")
	digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
	return time.Duration(math.Pow10(9 - min(digits, 9))) // in nanoseconds
}

// instantLayouts are notations of ISO 8601. time.Parse accepts fractions in each of them.
var instantLayouts = []string{
	time.RFC3339,
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	time.DateOnly,
}

// isNoTime reports whether a timestamp is one that some platforms store for no time at all: in
// the year 1, or the first instant of 1970.
func isNoTime(s string) bool {
	at, ok := instant(s)
	return ok && (at.Year() <= 1 || at.Unix() == 0)
}

// instant reads a timestamp leniently. One without an offset is taken as UTC.
func instant(s string) (time.Time, bool) {
	s = strings.ToUpper(s) // RFC 3339 also allows "t" and "z"
	for _, layout := range instantLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
