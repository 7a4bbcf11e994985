package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// TestPairsWithFailingVariants goes through every variant under which an apply
// may fail, together with every other that touches the same operation. Whatever
// fails must leave a state from which the next apply succeeds.
func TestPairsWithFailingVariants(t *testing.T) {
	t.Parallel()
	for _, failing := range mockapi.AllVariants() {
		if !failing.MayFail {
			continue
		}
		t.Run(failing.Name, func(t *testing.T) {
			t.Parallel()
			if !fails(t, failing.Name) {
				t.Error("no apply failed")
			}
			for _, other := range passable() {
				if meet(question(failing.Name), question(other.Name)) && !contradict(failing.Name, other.Name) {
					t.Run(other.Name, func(t *testing.T) {
						t.Parallel()
						fails(t, failing.Name, other.Name)
					})
				}
			}
		})
	}
}

// fails adopts and changes everything under variants of which the first may let
// an apply fail, and then without that one. It reports whether an apply failed.
func fails(t *testing.T, names ...string) (failed bool) {
	t.Helper()
	parse := func(names []string) mockapi.Variants {
		variants, err := mockapi.ParseVariants(names...)
		if err != nil {
			t.Fatal(err)
		}
		return variants
	}
	env := newEnv(t, mockapi.WithVariants(parse(names)))
	c := env.Core(t, map[string]any{"max_retries": 0})
	first := everyKind(4, 0, "First", map[string]any{"10.0.0.0/8": "vpc", "203.0.113.9": "", "2001:db8::1": "six"}, "2031-02-03T04:05:06+02:00")
	second := everyKind(7, 33, "Second", map[string]any{"10.0.0.0/8": "", "203.0.113.9": "office", "198.51.100.7": ""}, "")
	for _, configs := range []acctest.Configs{first, second} {
		_, err := c.Run(configs)
		failed = failed || err != nil
	}

	env.SetVariants(parse(names[1:]))
	if _, err := c.Run(second); err != nil {
		t.Errorf("once it is over: %v", err)
		return failed
	}
	if changed := c.Must(second); len(changed) > 0 {
		t.Errorf("the next plan changes %v", changed)
	}
	expect(t, env, 7, 33)
	env.ExpectNoDeletes(t)
	return failed
}
