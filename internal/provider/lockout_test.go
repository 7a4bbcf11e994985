package provider

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// The key is recognized by either of its ids, and by no chance.
func TestKeyInUse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		credential, id, suffix string
		want                   bool
	}{
		{mockapi.APIKeyID, mockapi.APIKeyID, "", true},
		{"ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF", "abcdefab-cdef-4abc-8def-abcdefabcdef", "", true},
		{"Wm93aPgx7Kq", mockapi.APIKeyID, "x7Kq", true},
		{"x7Kq", mockapi.APIKeyID, "x7Kq", true},
		{"Wm93aPgx7kq", mockapi.APIKeyID, "x7Kq", false}, // case matters
		{"Wm93aPgx7Kq", mockapi.APIKeyID, "7Kq", false},
		{"Wm93aPgx7Kq", mockapi.APIKeyID, "p2Zd", false},
		{"", "", "", false},
	} {
		key := adopt.Attributes{"key_id": types.StringValue(test.id), "key_suffix": types.StringValue(test.suffix)}
		if got := whyInUse(key, test.credential) != ""; got != test.want {
			t.Errorf("credential %q, id %q, suffix %q: %v", test.credential, test.id, test.suffix, got)
		}
	}
}

// A change of what the key may do is warned of, if the key is Terraform's.
func TestLockout(t *testing.T) {
	t.Parallel()
	list := func(address string) attr.Value {
		return accessList{types.MapValueMust(types.StringType, map[string]attr.Value{address: types.StringValue("")})}
	}
	text := func(s string) attr.Value { return types.StringValue(s) }
	for name, test := range map[string]struct {
		attribute      string
		prior, planned attr.Value
		want           bool
	}{
		"disabled":                   {"state", text("enabled"), text("disabled"), true},
		"disabled, not known before": {"state", types.StringNull(), text("disabled"), true},
		"enabled":                    {"state", types.StringNull(), text("enabled"), false},
		"state left out":             {"state", text("enabled"), types.StringNull(), false},
		"expires":                    {"expire_at", timestamp{types.StringValue(never)}, timestamp{types.StringValue("2030-01-31T12:00:00Z")}, true},
		"expires later":              {"expire_at", timestamp{types.StringValue("2030-01-31T12:00:00Z")}, timestamp{types.StringValue("2030-01-31T12:00:01Z")}, false},
		"expires earlier":            {"expire_at", timestamp{types.StringValue("2030-01-31T12:00:00Z")}, timestamp{types.StringValue("2030-01-31T11:59:59Z")}, true},
		"never expires":              {"expire_at", timestamp{types.StringValue("2030-01-31T12:00:00Z")}, timestamp{types.StringValue(never)}, false},
		"other roles":                {"roles", types.SetNull(types.StringType), types.SetValueMust(types.StringType, []attr.Value{text("developer")}), true},
		"other entries":              {"ip_access_list", list("192.0.2.1"), list("192.0.2.2"), true},
		"other notation":             {"ip_access_list", list("192.0.2.1"), list("192.0.2.1/32"), false},
		"other attribute":            {"name", text("a"), text("b"), false},
	} {
		prior := adopt.Attributes{"key_id": text(mockapi.APIKeyID), test.attribute: test.prior}
		planned := adopt.Attributes{"key_id": text(mockapi.APIKeyID), test.attribute: test.planned}
		for keyID, used := range map[string]bool{mockapi.APIKeyID: true, mockapi.OtherAPIKeyID: false} {
			client := api.New(api.Config{Transport: transport.Config{BaseURL: &url.URL{}, KeyID: keyID}})
			diags := warnOfLockout(client, adopt.Change{Config: planned, Before: prior, Planned: planned})
			if want := used && test.want; (len(diags) == 1) != want {
				t.Errorf("%s, used %v: %v", name, used, diags)
			}
			for _, d := range diags {
				acctest.Contains(t, d.Detail(), "its id is the provider's key_id")
			}
		}
	}
}

const lockoutSummary = "Terraform uses this API key: …1111"

// The warning comes with the plan, once for all that would lock the key out.
func TestLockoutWarning(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["keySuffix"] = mockapi.KeyID[len(mockapi.KeyID)-4:] })
	c := env.Core(t, nil)
	expect := func(when string, config acctest.Configs, want ...string) {
		t.Helper()
		c.MustPlan(config)
		found := warned(c, lockoutSummary)
		if len(found) != min(len(want), 1) {
			t.Errorf("%s: %q", when, found)
		}
		acctest.Contains(t, fmt.Sprint(found), want...)
	}
	harmful := onKey(map[string]any{
		"state": "disabled", "expire_at": "2020-01-01T00:00:00Z", "roles": []any{"developer"},
		"ip_access_list": map[string]any{"198.51.100.0/24": "runners"},
	})
	harmless := onKey(map[string]any{"name": "Renamed"})

	expect("an adoption", harmful,
		"and this plan changes its state, expire_at, roles, ip_access_list. If that shuts it out",
		"the provider's key_id ends in its key_suffix")
	expect("a harmless adoption", harmless)
	c.Must(harmless)
	expect("no change", harmless)
	expect("an update", harmful, "this plan changes its state, ")
	expect("a destroy", acctest.Configs{"api_key": nil})
}
