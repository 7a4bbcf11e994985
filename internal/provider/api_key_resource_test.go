package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A destroy that finds the key gone has nothing left to disable.
func TestDestroyOfAKeyThatIsGone(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	c.Must(onKey(map[string]any{"on_destroy": "disable"}))
	plans, err := c.PlanAll(acctest.Configs{"api_key": nil})
	if err != nil {
		t.Fatal(err)
	}
	env.Forget(mockapi.Key, mockapi.APIKeyID)
	c.Walk()
	if err := c.Apply("api_key", plans["api_key"]); err != nil || len(warned(c, "API key no longer exists")) != 1 {
		t.Errorf("%v %q", err, c.Warnings)
	}
	env.ExpectWrites(t, "updateKey", `{"state":"disabled"}`)
}

// A refresh that finds nothing but another used_at changes nothing: used_at follows
// with another change.
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
}
