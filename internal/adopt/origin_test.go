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

// One API has several notations of its address, and states have them all.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for last, same := range map[string]bool{
		"https://x": true, "https://x/": true, "HTTPS://X": true, "https://x:443": true,
		"https://y": false, "no URL": false, "https://x:444": false, "https://x/api": false, "https://x.": false,
	} {
		for _, now := range []string{"https://x", "https://x/", "https://X", "https://x:443/"} {
			diags := Origin{now, "o"}.check(t.Context(), stored{last, "o"}, "the lamp", newAddress)
			if diags.HasError() == same {
				t.Errorf("last seen at %s, now at %s: %v", last, now, diags)
			}
		}
	}
	for last, says := range map[string]string{
		"https://x": "the lamp in organization p, but the provider is configured for organization o.",
		"https://y": "the lamp in organization p at https://y, but the provider is configured for organization o at https://x.",
		"":          "the lamp in organization p, but the provider is configured for organization o.", // moved from another provider
	} {
		diags := Origin{"https://x", "o"}.check(t.Context(), stored{last, "p"}, "the lamp", newAddress)
		if !diags.HasError() || !strings.Contains(diags[0].Detail(), says) {
			t.Errorf("another organization, last seen at %q: %v", last, diags)
		}
	}
}
