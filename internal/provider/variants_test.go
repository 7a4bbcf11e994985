package provider

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

var seed = flag.Uint64("seed", 1, "seed of the random tests: go test ./internal/provider -args -seed=N")

// seeded returns a random source and logs its seed.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", *seed)
	return rand.New(rand.NewPCG(*seed, 0))
}

// passable returns the variants under which every apply can succeed.
func passable() []mockapi.NamedVariant {
	return slices.DeleteFunc(mockapi.AllVariants(), func(variant mockapi.NamedVariant) bool { return variant.MayFail })
}

func parseVariants(t *testing.T, names []string) mockapi.Variants {
	t.Helper()
	variants, err := mockapi.ParseVariants(names...)
	if err != nil {
		t.Fatal(err)
	}
	return variants
}

// TestVariants takes every kind of resource through its lifecycle under each
// variant of the API.
func TestVariants(t *testing.T) {
	t.Parallel()
	for _, variant := range passable() {
		t.Run(variant.Name, func(t *testing.T) {
			t.Parallel()
			testLifecycle(t, variant.Name)
		})
	}
}

// TestPairsOfVariants does the same under every two variants that are about the
// same operation.
func TestPairsOfVariants(t *testing.T) {
	t.Parallel()
	all := passable()
	for i, one := range all {
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			for _, other := range all[i+1:] {
				if meet(question(one.Name), question(other.Name)) && !contradict(one.Name, other.Name) {
					testLifecycle(t, one.Name, other.Name)
				}
			}
		})
	}
}

// TestCombinationsOfVariants does the same under random combinations.
func TestCombinationsOfVariants(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	for i := range 60 {
		names := randomVariants(random)
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			testLifecycle(t, names...)
		})
	}
}

// TestVariantsThroughTheCLI does the same with a real CLI.
func TestVariantsThroughTheCLI(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{
		{"late=old", "settings_put=forget", "numbers=quoted", "stale_services=200ms"},
		{"missing=absent", "refuse_empty_patch=422"},
	} {
		t.Run(names[0], func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, mockapi.WithVariants(parseVariants(t, names)))
			tf := env.CLI(t, hcl(firstConfigs()))
			tf.Apply()
			tf.ExpectNoChanges()
			tf.Configure(hcl(secondConfigs()))
			tf.Apply()
			tf.ExpectNoChanges()
			expectSecond(t, env)
			tf.Must("destroy", "-auto-approve")
			env.ExpectNoDeletes(t)
			expectSecond(t, env)
		})
	}
}

// TestPairsWithFailingVariants applies under every variant under which an apply
// may fail, alone and with every other that touches the same operation. What
// fails has to leave a state from which the next apply succeeds.
func TestPairsWithFailingVariants(t *testing.T) {
	t.Parallel()
	for _, failing := range mockapi.AllVariants() {
		if !failing.MayFail {
			continue
		}
		t.Run(failing.Name, func(t *testing.T) {
			t.Parallel()
			if !applyUntilOver(t, failing.Name) {
				t.Error("no apply failed")
			}
			for _, other := range passable() {
				if meet(question(failing.Name), question(other.Name)) && !contradict(failing.Name, other.Name) {
					applyUntilOver(t, failing.Name, other.Name)
				}
			}
		})
	}
}

// applyUntilOver adopts and changes everything under variants, and then without
// the first one. It reports whether an apply failed under it.
func applyUntilOver(t *testing.T, names ...string) (failed bool) {
	t.Helper()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(parseVariants(t, names)))
		c := env.Core(t, map[string]any{"max_retries": 0})
		for _, all := range []acctest.Configs{firstConfigs(), secondConfigs()} {
			_, err := c.Run(all)
			failed = failed || err != nil
		}
		env.SetVariants(parseVariants(t, names[1:]))
		if _, err := c.Run(secondConfigs()); err != nil {
			t.Errorf("%v: without the first one: %v", names, err)
			return
		}
		c.ExpectNoChanges(secondConfigs())
		expectSecond(t, env)
		env.ExpectNoDeletes(t)
	})
	return failed
}

// question returns the open point that a variant is about. Two variants of one
// point exclude each other.
func question(name string) string {
	name, _, _ = strings.Cut(name, "=")
	return name
}

// touches has the operations that a question is about. What is not here is
// about all of them.
var touches = map[string][]string{
	"remove_before_add":        {"updateService"},
	"entry_identity":           {"updateService"},
	"add_existing":             {"updateService"},
	"endpoints_always_listed":  {"updateService"},
	"normalise_address":        {"updateService", "updateKey"},
	"normalise_expiry":         {"updateKey"},
	"used_at_moves":            {"updateKey"},
	"refuse_empty_patch":       {"updateService", "updateKey"},
	"echo_write_only":          {"updateService", "updateKey"},
	"settings_put":             {"updatePipeSettings"},
	"sparse_settings_response": {"updatePipeSettings"},
	"ignore_nulls":             {"updatePipeSettings", "scalePipe"},
	"late":                     {"getPipe", "scalePipe"},
	"sparse_patch_response":    {"updateService", "updateKey", "scalePipe"},
	"remove_by":                {"updateService"},
	"stale_services":           {"updateService"},
	"stale_keys":               {"updateKey"},
	"stale_pipes":              {"getPipe", "scalePipe", "updatePipeSettings"},
	"refuse_foreign_settings":  {"updatePipeSettings"},
	"refuse_extra_setting":     {"updatePipeSettings"},
	"postgres_settings":        {"updatePipeSettings"},
	"backup_numbers":           {"listBackups"},
	"backup_status":            {"listBackups"},
	"scaling_quantities":       {"getPipe", "scalePipe"},
	"frozen_roles":             {"updateKey"},
	"error_shape":              {"refusals"}, // of a service's or key's PATCH
}

// meet reports whether two questions touch the same operation.
func meet(one, other string) bool {
	a, b := touches[one], touches[other]
	refusals := func(q string) bool { return q == "refuse_empty_patch" || q == "add_existing" }
	switch {
	case one == other:
		return false
	case one == "error_shape" || other == "error_shape":
		return refusals(one) || refusals(other)
	case a == nil || b == nil:
		return false // about every operation: in the random combinations
	}
	return slices.ContainsFunc(a, func(operation string) bool { return slices.Contains(b, operation) })
}

// randomVariants returns a variant for about half of the questions.
func randomVariants(random *rand.Rand) []string {
	byQuestion := map[string][]string{}
	for _, variant := range passable() {
		byQuestion[question(variant.Name)] = append(byQuestion[question(variant.Name)], variant.Name)
	}
	var names []string
	for _, q := range slices.Sorted(maps.Keys(byQuestion)) {
		if random.IntN(2) == 0 {
			name := byQuestion[q][random.IntN(len(byQuestion[q]))]
			if !slices.ContainsFunc(names, func(other string) bool { return contradict(name, other) }) {
				names = append(names, name)
			}
		}
	}
	return names
}

// contradict reports whether no client can get along with an API that behaves in
// both ways: an object that cannot be read has responses that are out of date,
// a list that is not shown refuses what it has already, a setting of another kind
// can neither be sent nor left out, a refusal does not say what it is about, or
// what was not changed is left out, which counts as changed.
func contradict(one, other string) bool {
	for _, pair := range [][2]string{{one, other}, {other, one}} {
		a, b := pair[0], question(pair[1])
		switch question(a) {
		case "refuse_empty_patch", "sparse_patch_response":
			if b == "stale_services" || b == "stale_keys" || strings.HasPrefix(pair[1], "add_existing=refuse") {
				return true
			}
		case "frozen_roles":
			if b == "sparse_patch_response" {
				return true
			}
		case "refuse_foreign_settings":
			if b == "settings_put" && pair[1] != "settings_put=merge" {
				return true
			}
		case "refuse_extra_setting":
			if pair[1] == "error_shape=empty" || pair[1] == "settings_put=forget" {
				return true
			}
		}
	}
	return false
}
