package adopt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// refuses is a validator that refuses one value.
type refuses struct {
	validator.Describer
	value attr.Value
}

func (refuses) ValidateInt64(context.Context, validator.Int64Request, *validator.Int64Response) {}

func (refuses) ValidateFloat64(context.Context, validator.Float64Request, *validator.Float64Response) {
}

func (r refuses) Check(value attr.Value) error {
	if value.Equal(r.value) {
		return errors.New("must be another value")
	}
	return nil
}

// dial is a kind whose validators refuse some of what the API returns.
type dial struct{ lamp }

func (dial) Schema() schema.Schema {
	zero := []validator.Int64{refuses{value: types.Int64Value(0)}}
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"speed": schema.Int64Attribute{Optional: true, Validators: append([]validator.Int64{refuses{value: types.Int64Value(9)}}, zero...)},
		"level": schema.Int64Attribute{Optional: true, Validators: zero},
		"turns": schema.Int64Attribute{Computed: true, Validators: zero},
		"count": schema.Int64Attribute{Optional: true},
		"a":     schema.Float64Attribute{Optional: true, Validators: []validator.Float64{refuses{value: types.Float64Value(0)}}},
		"b":     schema.Int64Attribute{Optional: true, Validators: zero},
		"c":     schema.Int64Attribute{Optional: true, Validators: zero},
	}}
}

// An import leaves out what the validators of its attribute refuse, because
// Terraform generates configuration from it. The warning names that in order.
func TestImportable(t *testing.T) {
	t.Parallel()
	zero := types.Int64Value(0)
	got, warnings := NewResource(dial{})().(*Resource[gadget]).importable(t.Context(), Attributes{
		"speed": zero, "level": types.Int64Value(9), "turns": zero, "count": zero, "a": types.Float64Value(0), "b": zero, "c": zero,
	})
	null := types.Int64Null()
	want := Attributes{"speed": null, "level": types.Int64Value(9), "turns": zero, "count": zero, "a": types.Float64Null(), "b": null, "c": null}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const why = " = 0 (must be another value)"
	if len(warnings) != 1 || !strings.Contains(fmt.Sprint(warnings), ": a"+why+"; b"+why+"; c"+why+"; speed"+why+". They are left out of the imported state; what the configuration sets instead is applied.") {
		t.Errorf("the warnings are %v", warnings)
	}
}
