package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Destroying a key sends nothing. A warning says that the key can still be used,
// unless it is known to be disabled.
func TestDestroyOfAKey(t *testing.T) {
	t.Parallel()
	returned := mockapi.Variants{"echo_write_only"}
	for name, test := range map[string]struct {
		variants mockapi.Variants
		set      map[string]any
		is       string // elsewhere
		usable   bool
	}{
		"not managed":                  {usable: true},
		"enabled":                      {set: map[string]any{"state": "enabled"}, usable: true},
		"disabled":                     {set: map[string]any{"state": "disabled"}},
		"disabled elsewhere":           {is: "disabled", usable: true},
		"disabled elsewhere, shown":    {variants: returned, is: "disabled", usable: true},
		"enabled elsewhere, shown":     {variants: returned, set: map[string]any{"state": "disabled"}, is: "enabled", usable: true},
		"disabled, and never readable": {variants: mockapi.Variants{"refuse_empty_patch=405"}, set: map[string]any{"state": "disabled"}},
		"managed, and never readable":  {variants: mockapi.Variants{"refuse_empty_patch=405"}, set: map[string]any{"name": "One"}, usable: true},
	} {
		env := newEnv(t, mockapi.WithVariants(test.variants))
		c := env.Core(t, nil)
		c.Must(onKey(test.set))
		if test.is != "" {
			env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["state"] = test.is })
		}
		env.ResetRequests()
		plans := c.MustPlan(acctest.Configs{"api_key": nil})
		usable, removed := warned(c, "API key …1111 may stay usable"), warned(c, "Destroy changes nothing in the API")
		if len(usable) != 1 && test.usable || len(removed) != 1 && !test.usable || len(usable)+len(removed) != 1 {
			t.Errorf("%s: %q", name, c.Warnings)
		}
		if test.usable {
			acctest.Contains(t, usable[0], "API key "+mockapi.APIKeyID+" can still be used, unless it is disabled already.", `keep its block, set state = "disabled" and apply; then remove the block`)
		}
		if err := c.ApplyAll(plans); err != nil || !c.Instance("api_key").State.IsNull() {
			t.Errorf("%s: %v", name, err)
		}
		env.ExpectOnlyReads(t)
	}
}

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
		key := lifecycle.Attributes{"key_id": types.StringValue(test.id), "key_suffix": types.StringValue(test.suffix)}
		if got := whyInUse(key, test.credential) != ""; got != test.want {
			t.Errorf("credential %q, id %q, suffix %q: %v", test.credential, test.id, test.suffix, got)
		}
	}
}

const lockoutSummary = "Terraform uses this API key: …4444"

// Whatever lets Terraform's own key do less is warned of. What lets it do as much, and other keys, are not.
func TestLockout(t *testing.T) {
	t.Parallel()
	type list = map[string]any
	const sooner, later = "2098-01-31T12:00:00Z", "2099-01-31T12:00:00Z"
	entry := []any{mockapi.Object{"source": "192.0.2.1", "description": ""}}
	for name, test := range map[string]struct {
		attribute string
		was       any // in the API
		is        any // in the configuration
		warns     bool
	}{
		"disabled":          {"state", "enabled", "disabled", true},
		"enabled":           {"state", "enabled", "enabled", false},
		"expires":           {"expire_at", nil, later, true},
		"expires earlier":   {"expire_at", later, sooner, true},
		"expires later":     {"expire_at", sooner, later, false},
		"another notation":  {"expire_at", later, "2099-01-31T13:00:00+01:00", false},
		"never expires":     {"expire_at", later, never, false},
		"other roles":       {"roles", []any{"admin"}, []any{"developer"}, true},
		"one role less":     {"roles", []any{"admin", "developer"}, []any{"admin"}, true},
		"one role more":     {"roles", []any{"admin"}, []any{"admin", "developer"}, false},
		"the first entry":   {"ip_access_list", []any{}, list{"192.0.2.1": ""}, true},
		"another entry":     {"ip_access_list", entry, list{"192.0.2.2": ""}, true},
		"no entry any more": {"ip_access_list", entry, list{}, true},
		"one entry more":    {"ip_access_list", entry, list{"192.0.2.1": "", "192.0.2.2": ""}, false},
		"described anew":    {"ip_access_list", entry, list{"192.0.2.1/32": "home"}, false},
		"renamed":           {"name", "Old", "New", false},
	} {
		underTest.InVirtualTime(t, func(t *testing.T) {
			for id, isOwn := range map[string]bool{mockapi.OwnAPIKeyID: true, mockapi.NextAPIKeyID: false} {
				env := underTest.NewVirtualEnv(nil)
				env.Change(mockapi.Key, id, with(camel(test.attribute), test.was))
				c := env.Core(t, nil)
				if err := c.Import("api_key", id); err != nil {
					t.Fatal(err)
				}
				planWithoutRefresh(t, c, acctest.Configs{"api_key": {"key_id": id, test.attribute: test.is}})
				found := warned(c, "Terraform uses this API key: ")
				if (len(found) == 1) != (isOwn && test.warns) || len(found) > 1 {
					t.Errorf("%s of key …%s: %q", name, id[32:], found)
				}
				acctest.Contains(t, fmt.Sprint(found), map[bool]string{true: "This plan changes " + test.attribute + " of the key. If that shuts Terraform out"}[len(found) == 1])
			}
		})
	}
}

// The warning comes with the plan, once for all that would lock the key out.
func TestLockoutWarning(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
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
	onOwnKey := func(set map[string]any) acctest.Configs {
		set["key_id"] = mockapi.OwnAPIKeyID
		return acctest.Configs{"api_key": set}
	}
	harmful := onOwnKey(map[string]any{
		"state": "disabled", "expire_at": "2020-01-01T00:00:00Z", "roles": []any{"developer"},
		"ip_access_list": map[string]any{"198.51.100.0/24": "runners"},
	})
	harmless := onOwnKey(map[string]any{"name": "Renamed"})

	expect("an adoption", harmful,
		"This plan changes state, expire_at, roles, ip_access_list of the key.",
		"the provider's key_id ends in its key_suffix")
	expect("a harmless adoption", harmless)
	c.Must(harmless)
	expect("no change", harmless)
	expect("an update", harmful, "This plan changes state, ")
	expect("a destroy", acctest.Configs{"api_key": nil})
	c.Must(harmful)
	_, err := c.PlanAll(harmful)
	acctest.Contains(t, fmt.Sprint(err), "unauthorized (401)", "the key is disabled")
}

// An expiry that turns out to be empty in the apply is an error with advice, and
// nothing is sent.
func TestUnknownExpiryIsEmptyInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "resource \"terraform_data\" \"expiry\" {\n  input = \"\"\n}\n"+keyConfig(mockapi.OtherAPIKeyID, "expire_at = terraform_data.expiry.output"))
	out, code := tf.Run("apply", "-auto-approve")
	if code != 1 {
		t.Errorf("the apply ended with %d", code)
	}
	acctest.Contains(t, out, `Warning: Adoption of API key …2222: expire_at (was "never")`, "Attribute expire_at must be", `or "never" for no expiry, not "".`)
	env.ExpectOnlyReads(t)
}
