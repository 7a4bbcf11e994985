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

// TestPairsOfVariants goes through every two variants together that are about the
// same operation, without a CLI.
func TestPairsOfVariants(t *testing.T) {
	t.Parallel()
	all := passable()
	for i, one := range all {
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			for _, other := range all[i+1:] {
				if meet(question(one.Name), question(other.Name)) && !contradict(one.Name, other.Name) {
					live(t, one.Name, other.Name)
				}
			}
		})
	}
}

var seed = flag.Uint64("seed", 1, "seed of the random tests: go test ./internal/provider -args -seed=N")

// seeded returns a random source and logs its seed.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", *seed)
	return rand.New(rand.NewPCG(*seed, 0))
}

// TestCombinationsOfVariants goes through random combinations of all of them.
func TestCombinationsOfVariants(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	for i := range 60 {
		names := randomVariants(random)
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			live(t, names...)
		})
	}
}

// question is what a variant is an answer to: two answers to one question
// exclude each other.
func question(name string) string {
	name, _, _ = strings.Cut(name, "=")
	return name
}

// touches are the operations that a question is about. What is not here is
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

// meet tells whether two questions touch the same operation.
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

// randomVariants answers about half of the questions.
func randomVariants(random *rand.Rand) []string {
	answers := map[string][]string{}
	for _, variant := range passable() {
		answers[question(variant.Name)] = append(answers[question(variant.Name)], variant.Name)
	}
	var names []string
	for _, q := range slices.Sorted(maps.Keys(answers)) {
		if random.IntN(2) == 0 {
			name := answers[q][random.IntN(len(answers[q]))]
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

func everyKind(replicas, threads int, name string, list map[string]any, expiry string) acctest.Configs {
	return acctest.Configs{
		"pipe_scaling": {"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "replicas": replicas, "replica_memory_gb": 0.5},
		"pipe_settings": {
			"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID,
			"db_max_threads": threads, "db_parallel_view_processing": true,
		},
		"service": {
			"service_id": mockapi.ServiceID, "name": name, "ip_access_list": list,
			"private_endpoint_ids": []any{"vpce-0a1b2c3d", "vpce-8c9d0e1f"}, "release_channel": "fast",
			"endpoints_enabled": map[string]any{"mysql": replicas%2 == 0},
		},
		"api_key": {
			"key_id": mockapi.APIKeyID, "name": name, "roles": []any{"query_endpoints", "admin"}, "expire_at": expiry,
			"state": "enabled", "ip_access_list": list, "on_destroy": "keep",
		},
	}
}

// live takes everything through its life under some variants together: adopt,
// nothing to do, change, nothing to do, drift, correct it, nothing to do, import,
// destroy.
func live(t *testing.T, names ...string) {
	t.Helper()
	variants, err := mockapi.ParseVariants(names...)
	if err != nil {
		t.Fatal(err)
	}
	env := newEnv(t, mockapi.WithVariants(variants))
	c := env.Core(t, nil)
	apply := func(what string, configs acctest.Configs) []string {
		t.Helper()
		changed, err := c.Run(configs)
		if err != nil {
			t.Fatalf("%v: %s: %v", names, what, err)
		}
		return changed
	}
	nothing := func(when string, configs acctest.Configs) {
		t.Helper()
		if changed := apply(when, configs); len(changed) > 0 {
			c.Walk()
			t.Fatalf("%v: %s there is something to change about %v: %v", names, when, changed, c.Changes(changed[0], configs[changed[0]]))
		}
	}

	first := everyKind(4, 0, "First", map[string]any{"10.0.0.0/8": "vpc", "203.0.113.9": "", "2001:db8::1": "six"}, "2031-02-03T04:05:06+02:00")
	apply("adopting", first)
	nothing("after adoption", first)

	second := everyKind(7, 33, "Second", map[string]any{"10.0.0.0/8": "", "203.0.113.9/32": "office", "198.51.100.7": ""}, "")
	apply("changing", second)
	nothing("after the change", second)
	expect(t, env, 7, 33)

	for range variants.LateReads { // drift cannot be seen before
		c.Walk()
		if err := c.Refresh("pipe_scaling"); err != nil {
			t.Fatal(err)
		}
	}
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		pipe["scaling"].(mockapi.Object)["replicas"] = 1
		pipe["settings"].(mockapi.Object)["db_max_threads"] = 5
	})
	if variants.RefuseEmptyPatch == 0 && !variants.SparsePatchResponse { // else nobody sees it
		env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) { service["name"] = "Drifted" })
		env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Drifted" })
	}
	if changed := apply("mending", second); len(changed) < 2 {
		t.Errorf("%v: drift was seen at %v only", names, changed)
	}
	nothing("after mending", second)
	expect(t, env, 7, 33)

	importing(t, env, variants, names, second)
	apply("destroying", acctest.Configs{"pipe_scaling": nil, "pipe_settings": nil, "service": nil, "api_key": nil})
	env.ExpectNoDeletes(t)
	expect(t, env, 7, 33)
}

// importing imports everything and expects the same configuration to change
// no more than what no answer shows.
func importing(t *testing.T, env *acctest.Env, variants mockapi.Variants, names []string, configs acctest.Configs) {
	t.Helper()
	unseen := []string{"endpoints", "endpoints_enabled", "release_channel", "state"}
	if variants.Missing == mockapi.AsAbsent {
		unseen = append(unseen, "expire_at") // never, and left out
	}
	c := env.Core(t, nil)
	for kind, id := range map[string]string{
		"pipe_scaling": mockapi.ServiceID + "/" + mockapi.KafkaPipeID, "pipe_settings": mockapi.ServiceID + "/" + mockapi.KafkaPipeID,
		"service": mockapi.ServiceID, "api_key": mockapi.APIKeyID,
	} {
		if err := c.Import(kind, id); err != nil {
			t.Errorf("%v: importing %s: %v", names, kind, err)
			continue
		}
		if blind := variants.RefuseEmptyPatch != 0 || variants.SparsePatchResponse; blind && (kind == "service" || kind == "api_key") {
			continue // what cannot be read imports as nothing but its id
		}
		for range variants.LateReads {
			c.Walk()
			if err := c.Refresh(kind); err != nil {
				t.Error(err)
			}
		}
		for _, name := range c.Changes(kind, configs[kind]) {
			if !slices.Contains(unseen, name) {
				t.Errorf("%v: after the import of %s there is a change of %s", names, kind, name)
			}
		}
	}
}
