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
	}}
}

// An import leaves out what the validators of its attribute refuse, because
// Terraform generates configuration from it.
func TestImportable(t *testing.T) {
	t.Parallel()
	zero := types.Int64Value(0)
	got, warnings := NewResource(dial{})().(*Resource).importable(t.Context(), Attributes{
		"speed": zero, "level": types.Int64Value(9), "turns": zero, "count": zero,
	})
	want := Attributes{"speed": types.Int64Null(), "level": types.Int64Value(9), "turns": zero, "count": zero}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := fmt.Sprint(warnings)
	if len(warnings) != 1 || !strings.Contains(text, "speed = 0 (must be another value)") || strings.Contains(text, "level") {
		t.Errorf("the warnings are %v", warnings)
	}
}
