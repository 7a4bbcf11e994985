package provider

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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
			changed := changedBy(t, variant.Name)
			if operation := unseen[variant.Name]; (operation == "") == (len(changed) == 0) {
				t.Errorf("the lifecycle shows this variant in %q, and `unseen` has %q: extend lookUpAll, or correct `unseen`", changed, operation)
			}
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
				if meet(t, one.Name, other.Name) && !contradict(one.Name, other.Name) {
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
				if meet(t, failing.Name, other.Name) && !contradict(failing.Name, other.Name) {
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

// unseen has the variants that change nothing of what the provider sends and
// gets, with the operation that they are about: it sends all settings and no
// null, never adds and removes an address in one PATCH unless the add did nothing,
// and removes entries with their description.
var unseen = map[string]string{
	"remove_before_add":        "updateService",
	"remove_by=whole":          "updateService",
	"settings_put=merge":       "updatePipeSettings",
	"settings_put=forget":      "updatePipeSettings",
	"sparse_settings_response": "updatePipeSettings",
	"ignore_nulls":             "updatePipeSettings",
}

// traffic has what was sent and came back, by operation.
type traffic map[string]map[string]bool

var requestID = regexp.MustCompile(`"requestId":"[^"]*"`)

// record returns a hook that records.
func (seen traffic) record() acctest.Hook {
	var mu sync.Mutex
	return func(w http.ResponseWriter, c acctest.Call) bool {
		recorded := c.Record()
		body := recorded.Body.Bytes()
		mu.Lock()
		defer mu.Unlock()
		if seen[c.Operation] == nil {
			seen[c.Operation] = map[string]bool{}
		}
		seen[c.Operation][fmt.Sprint(c.Path, c.Body, recorded.Code, requestID.ReplaceAllString(string(body), ""))] = true
		acctest.Respond(w, recorded, body)
		return true
	}
}

var trafficUnder sync.Map // by the names of the variants

// lifecycleTraffic returns the traffic of adopting, changing and looking up
// everything, whether that succeeds or not.
func lifecycleTraffic(t *testing.T, names ...string) traffic {
	t.Helper()
	once, _ := trafficUnder.LoadOrStore(strings.Join(names, " "), sync.OnceValue(func() traffic {
		seen := traffic{}
		underTest.InVirtualTime(t, func(t *testing.T) {
			variants := parseVariants(t, names)
			env := underTest.NewVirtualEnv(seen.record(), mockapi.WithVariants(variants))
			c := env.Core(t, readMethod(variants))
			_, _ = c.Run(firstConfigs())
			_, _ = c.Run(secondConfigs())
			lookUpAll(env, c)
		})
		return seen
	}))
	return once.(func() traffic)()
}

// changedBy returns the operations whose requests or responses differ under a
// variant.
func changedBy(t *testing.T, name string) (operations []string) {
	t.Helper()
	var without []string
	if name == "remove_by=source" {
		without = []string{"entry_identity=whole"} // alone, it is how the plain API removes
	}
	before, under := lifecycleTraffic(t, without...), lifecycleTraffic(t, append(without, name)...)
	for _, operation := range mockapi.Operations() {
		if !maps.Equal(before[operation], under[operation]) {
			operations = append(operations, operation)
		}
	}
	return operations
}

// meet reports whether two variants are about the same update. Those that change
// most updates are left to the random combinations.
func meet(t *testing.T, one, other string) bool {
	t.Helper()
	about := func(name string) []string {
		if operation := unseen[name]; operation != "" {
			return []string{operation}
		}
		return slices.DeleteFunc(changedBy(t, name), func(operation string) bool {
			return !slices.Contains([]string{"updateService", "updateKey", "scalePipe", "updatePipeSettings"}, operation)
		})
	}
	refusals := func(q string) bool { return q == "refuse_empty_patch" || q == "add_existing" }
	switch a, b := question(one), question(other); {
	case a == "error_shape":
		return refusals(b)
	case b == "error_shape":
		return refusals(a)
	}
	a, b := about(one), about(other)
	return question(one) != question(other) && len(a) < 3 && len(b) < 3 &&
		slices.ContainsFunc(a, func(operation string) bool { return slices.Contains(b, operation) })
}

// randomVariants returns a variant for about half of the questions, except the
// one under which random runs cannot see drift of a scaling.
func randomVariants(random *rand.Rand) []string {
	byQuestion := map[string][]string{}
	for _, variant := range passable() {
		if variant.Name != "scaling_quantities" {
			byQuestion[question(variant.Name)] = append(byQuestion[question(variant.Name)], variant.Name)
		}
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
