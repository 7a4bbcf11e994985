package adopt

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// stored is the private state of an object that was last seen at an origin.
type stored Origin

func (s stored) GetKey(context.Context, string) ([]byte, diag.Diagnostics) {
	value, _ := json.Marshal(s)
	return value, nil
}

func (stored) SetKey(context.Context, string, []byte) diag.Diagnostics { return nil }

func TestOrigin(t *testing.T) {
	t.Parallel()
	if diags := (Origin{"https://x", "o"}).check(t.Context(), stored{"https://x", "o"}, "the lamp", newAddress); diags.HasError() {
		t.Error(diags)
	}
	for last, says := range map[string]string{
		"https://x": "the lamp in organization p at https://x, but the provider is configured for organization o at https://x.",
		"https://y": "the lamp in organization p at https://y, but the provider is configured for organization o at https://x.",
	} {
		diags := Origin{"https://x", "o"}.check(t.Context(), stored{last, "p"}, "the lamp", newAddress)
		if !diags.HasError() || !strings.Contains(diags[0].Detail(), says) {
			t.Errorf("another organization, last seen at %q: %v", last, diags)
		}
	}
}
