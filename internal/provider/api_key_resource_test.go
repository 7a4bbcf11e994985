package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Destroying a key sends nothing. A warning says that the key can still be used,
// unless it is known to be disabled.
func TestDestroyOfAKey(t *testing.T) {
	t.Parallel()
	returned := mockapi.Variants{EchoWriteOnly: true}
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
		"disabled, and never readable": {variants: mockapi.Variants{RefuseEmptyPatch: 405}, set: map[string]any{"state": "disabled"}},
		"managed, and never readable":  {variants: mockapi.Variants{RefuseEmptyPatch: 405}, set: map[string]any{"name": "One"}, usable: true},
	} {
		env := newEnv(t, mockapi.WithVariants(test.variants))
		c := env.Core(t, nil)
		c.Must(onKey(test.set))
		if test.is != "" {
			env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["state"] = test.is })
		}
		env.ResetRequests()
		plans := c.MustPlan(acctest.Configs{"api_key": nil})
		usable, removed := warned(c, "API key …1111 may stay usable"), warned(c, "Destroy leaves the object as it is")
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

// A refresh that finds nothing but another used_at changes nothing: used_at follows
// with another change. The first use is a change.
func TestUsedAtIsNoDrift(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{UsedAtMoves: true}))
	c := env.Core(t, nil)
	c.Must(onKey(map[string]any{"name": "Used"}))
	before := c.Attribute("api_key", "used_at")
	for _, name := range []string{"Used", "Drifted"} {
		env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = name })
		c.Walk()
		if err := c.Refresh("api_key"); err != nil {
			t.Fatal(err)
		}
		if moves := !c.Attribute("api_key", "used_at").Equal(before); moves != (name == "Drifted") {
			t.Errorf("%s: used_at moves: %t", name, moves)
		}
	}

	env = newEnv(t)
	use := func(at any) {
		env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["usedAt"] = at })
	}
	use(nil)
	c = env.Core(t, nil)
	c.Must(onKey(nil))
	use("2025-07-21T00:00:00Z")
	c.Walk()
	if err := c.Refresh("api_key"); err != nil || c.Attribute("api_key", "used_at").IsNull() {
		t.Errorf("after the first use: %s, %v", c.Attribute("api_key", "used_at"), err)
	}
}
