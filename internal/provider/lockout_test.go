package provider

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// Only a change that can shut out the key is warned of.
func TestLockout(t *testing.T) {
	t.Parallel()
	roles := func(names ...string) attr.Value {
		values := make([]attr.Value, len(names))
		for i, name := range names {
			values[i] = types.StringValue(name)
		}
		return types.SetValueMust(types.StringType, values)
	}
	list := func(addresses ...string) attr.Value {
		values := map[string]attr.Value{}
		for _, address := range addresses {
			values[address] = types.StringValue("")
		}
		return accessList{types.MapValueMust(types.StringType, values)}
	}
	synctest.Test(t, func(t *testing.T) { // the clock stands still
		expiry := func(in time.Duration) attr.Value {
			return timestamp{types.StringValue(time.Now().Add(in).UTC().Format(time.RFC3339))}
		}
		for name, test := range map[string]struct {
			attribute      string
			prior, planned attr.Value
			want           string // "": no warning
		}{
			"disabled":                   {"state", types.StringValue("enabled"), types.StringValue("disabled"), "state"},
			"disabled, not known before": {"state", types.StringNull(), types.StringValue("disabled"), "state"},
			"enabled":                    {"state", types.StringNull(), types.StringValue("enabled"), ""},
			"state left out":             {"state", types.StringValue("enabled"), types.StringNull(), ""},
			"state unknown":              {"state", types.StringValue("enabled"), types.StringUnknown(), ""},
			"expired":                    {"expire_at", expiry(96 * time.Hour), expiry(-time.Hour), "expire_at"},
			"expires within a day":       {"expire_at", expiry(96 * time.Hour), expiry(24*time.Hour - time.Second), "expire_at"},
			"expires in a day":           {"expire_at", expiry(96 * time.Hour), expiry(24 * time.Hour), ""},
			"never expires":              {"expire_at", expiry(96 * time.Hour), timestamp{types.StringValue(never)}, ""},
			"expiry stays":               {"expire_at", expiry(time.Hour), expiry(time.Hour), ""},
			"role goes":                  {"roles", roles("admin", "developer"), roles("developer"), "roles"},
			"other role goes":            {"roles", roles("admin", "developer"), roles("admin"), ""},
			"never had the role":         {"roles", roles("developer"), roles("query_endpoints"), ""},
			"no roles before":            {"roles", types.SetNull(types.StringType), roles("developer"), "roles"},
			"roles unknown":              {"roles", roles("admin"), types.SetUnknown(types.StringType), ""},
			"entry goes":                 {"ip_access_list", list("192.0.2.1", "192.0.2.2"), list("192.0.2.1/32"), "ip_access_list"},
			"entries go":                 {"ip_access_list", list("192.0.2.1", "192.0.2.2"), list(), "ip_access_list"},
			"entry comes":                {"ip_access_list", list("192.0.2.1"), list("192.0.2.1", "192.0.2.2"), ""},
			"first entry":                {"ip_access_list", list(), list("192.0.2.1"), "ip_access_list"},
			"no list before":             {"ip_access_list", accessList{types.MapNull(types.StringType)}, list("192.0.2.1"), "ip_access_list"},
			"list unknown":               {"ip_access_list", list("192.0.2.1"), accessList{types.MapUnknown(types.StringType)}, ""},
		} {
			prior := adopt.Attributes{"key_id": types.StringValue(mockapi.APIKeyID), test.attribute: test.prior}
			planned := adopt.Attributes{"key_id": types.StringValue(mockapi.APIKeyID), test.attribute: test.planned}
			for keyID, used := range map[string]bool{mockapi.APIKeyID: true, mockapi.OtherAPIKeyID: false} {
				client := api.New(api.Config{Transport: transport.Config{BaseURL: &url.URL{}, KeyID: keyID}})
				diags := warnOfLockout(client, adopt.Change{Config: planned, Before: prior, Planned: planned})
				if want := used && test.want != ""; (len(diags) == 1) != want {
					t.Errorf("%s, used %v: %v", name, used, diags)
				}
				for _, d := range diags {
					if d.Summary() != "Terraform uses this API key: …1111" || !strings.Contains(d.Detail(), "this plan changes its "+test.want+",") || !strings.Contains(d.Detail(), "its id is the provider's key_id") {
						t.Errorf("%s: %s: %s", name, d.Summary(), d.Detail())
					}
				}
			}
		}
	})
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
		"and this plan changes its state, expire_at, roles, ip_access_list, so the API may refuse",
		"the provider's key_id ends in its key_suffix")
	expect("a harmless adoption", harmless)
	c.Must(harmless)
	expect("no change", harmless)
	expect("an update", harmful, "this plan changes its state, ")
	expect("a destroy", acctest.Configs{"api_key": nil})
}
