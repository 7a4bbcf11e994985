package provider

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

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

// unseen has the variants that change nothing of what the provider sends and
// gets: it sends all settings and no null, never adds and removes an address in one
// PATCH unless the add did nothing, and removes entries with their description. The plain
// API removes by source, too. It has no value that is stored in another form: TestAPIStoresAnotherForm
// has such values. It shows each change at once, so no read is lost.
var unseen = []string{
	"remove_by=source", "settings_put=merge", "ignore_nulls", "stored_addresses=mapped", "lost_read=404", "lost_read=page",
	"refuse_foreign_settings", "add_existing=ignore", "late_reads=3",
}

// TestVariants takes every kind of resource through its lifecycle under each
// variant of the API.
func TestVariants(t *testing.T) {
	t.Parallel()
	plain := traffic(t)
	for _, variant := range passable() {
		t.Run(variant.Name, func(t *testing.T) {
			t.Parallel()
			testLifecycle(t, variant.Name)
			if isSeen := !maps.Equal(plain, traffic(t, variant.Name)); isSeen == slices.Contains(unseen, variant.Name) {
				t.Errorf("the lifecycle meets this variant: %t, which contradicts `unseen`: extend lookUpAll, or correct `unseen`", isSeen)
			}
		})
	}
}

var requestID = regexp.MustCompile(`"requestId":"[^"]*"`)

// traffic returns what is sent and comes back while everything is adopted, changed
// and looked up, whether that succeeds or not.
func traffic(t *testing.T, names ...string) map[string]bool {
	t.Helper()
	var mu sync.Mutex
	seen := map[string]bool{}
	underTest.InVirtualTime(t, func(t *testing.T) {
		variants := parseVariants(t, names)
		env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
			recorded := c.Record()
			body := recorded.Body.Bytes()
			mu.Lock()
			defer mu.Unlock()
			seen[fmt.Sprint(c.Operation, c.Path, c.Body, recorded.Code, requestID.ReplaceAllString(string(body), ""))] = true
			acctest.Respond(w, recorded, body)
			return true
		}, mockapi.WithVariants(variants))
		share(env)
		c := env.Core(t, readMethod(variants))
		_, _ = c.Run(firstConfigs())
		_, _ = c.Run(secondConfigs())
		lookUpAll(env, c)
	})
	return seen
}

// TestCombinationsOfVariants does the same under random combinations, in which
// every two variants meet at least once.
func TestCombinationsOfVariants(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	have := map[[2]string]bool{} // the pairs that have met
	for _, one := range passable() {
		for _, other := range passable() {
			if have[[2]string{one.Name, other.Name}] || contradict(one.Name, other.Name) {
				continue
			}
			names := randomVariants(random, one.Name, other.Name)
			for _, a := range names {
				for _, b := range names {
					have[[2]string{a, b}] = true
				}
			}
			t.Run(one.Name+" "+other.Name, func(t *testing.T) {
				t.Parallel()
				testLifecycle(t, names...)
			})
		}
	}
}

// TestFailingVariants applies under every variant under which an apply may fail,
// alone and with random others. What fails has to leave a state from which the next
// apply succeeds.
func TestFailingVariants(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	for _, failing := range mockapi.AllVariants() {
		if !failing.MayFail {
			continue
		}
		var combinations [][]string
		for range 4 {
			combinations = append(combinations, randomVariants(random, failing.Name))
		}
		t.Run(failing.Name, func(t *testing.T) {
			t.Parallel()
			if failed := applyUntilOver(t, failing.Name); failed == isStoredForm(failing.Name) {
				t.Errorf("an apply failed: %t", failed)
			}
			for _, names := range combinations {
				applyUntilOver(t, names...)
			}
		})
	}
}

// isStoredForm reports whether a variant is about values that TestAPIStoresAnotherForm has, and the
// configurations here do not.
func isStoredForm(name string) bool {
	return slices.Contains([]string{"stored_addresses", "stored_text", "small_ids", "open_empty_list"}, question(name))
}

// applyUntilOver adopts and changes everything under variants, and then without
// the first one. It reports whether an apply failed under it.
func applyUntilOver(t *testing.T, names ...string) (failed bool) {
	t.Helper()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(parseVariants(t, names)))
		share(env)
		c := env.Core(t, map[string]any{"max_retries": 0})
		run := func(configs acctest.Configs) error {
			_, err := c.Run(configs)
			time.Sleep(time.Second) // the next refresh would find what is stale, or be lost (lost_read)
			return err
		}
		for _, all := range []acctest.Configs{firstConfigs(), secondConfigs()} {
			failed = run(all) != nil || failed
		}
		env.SetVariants(parseVariants(t, names[1:]))
		for _, all := range []acctest.Configs{firstConfigs(), secondConfigs()} { // what is not adopted yet has other entries
			if err := run(all); err != nil {
				t.Errorf("%v: without the first one: %v", names, err)
				return
			}
		}
		c.ExpectNoChanges(secondConfigs())
		expectSecond(t, env)
	})
	return failed
}

// question returns the open point that a variant is about. Two variants of one
// point exclude each other.
func question(name string) string {
	name, _, _ = strings.Cut(name, "=")
	return name
}

// withoutQuestions returns variants without those of some questions.
func withoutQuestions(variants mockapi.Variants, questions ...string) mockapi.Variants {
	return slices.DeleteFunc(slices.Clone(variants), func(name string) bool { return slices.Contains(questions, question(name)) })
}

// randomVariants returns these variants and one for most of the other questions.
func randomVariants(random *rand.Rand, names ...string) []string {
	byQuestion := map[string][]string{}
	for _, variant := range passable() {
		byQuestion[question(variant.Name)] = append(byQuestion[question(variant.Name)], variant.Name)
	}
	for _, q := range slices.Sorted(maps.Keys(byQuestion)) {
		if random.IntN(4) > 0 {
			name := byQuestion[q][random.IntN(len(byQuestion[q]))]
			if !slices.ContainsFunc(names, func(other string) bool { return contradict(name, other) }) {
				names = append(names, name)
			}
		}
	}
	return names
}

// contradictions are variants that no client can get along with together, by the
// beginning of their names.
var contradictions = [][2]string{
	// An object that cannot be read has responses that are out of date.
	{"refuse_empty_patch", "stale_services"},
	{"refuse_empty_patch", "stale_keys"},
	{"sparse_patch_response", "stale_services"},
	{"sparse_patch_response", "stale_keys"},
	// An endpoint that is listed late looks as if it had been switched.
	{"endpoints_always_listed", "stale_services"},
	// Nothing ever shows it.
	{"refuse_empty_patch", "update_response"},
	{"sparse_patch_response", "update_response"},
	// It counts as out of date after each read, although every change shows.
	{"used_at_moves", "lost_read"},
	// What was not changed is left out, which counts as changed.
	{"frozen_roles", "sparse_patch_response"},
	// A zero that no read shows is lost with the next PUT, and nothing shows that.
	{"omit_empty=reads", "settings_put=forget"},
	{"omit_empty=all", "settings_put=forget"},
	// A setting can neither be sent nor left out.
	{"refuse_foreign_settings", "settings_put=forget"},
	// What is left out counts as empty, so that nothing waits for the read that is lost.
	{"omit_empty=all", "lost_read"},
	// Of an undocumented kind of source, no setting is foreign.
	{"refuse_foreign_settings", "undocumented_source"},
}

// contradict reports whether no API behaves in both ways, or no client can get
// along with one that does.
func contradict(one, other string) bool {
	return question(one) == question(other) || slices.ContainsFunc(contradictions, func(pair [2]string) bool {
		return strings.HasPrefix(one, pair[0]) && strings.HasPrefix(other, pair[1]) || strings.HasPrefix(other, pair[0]) && strings.HasPrefix(one, pair[1])
	})
}

// testLifecycle takes every kind through its lifecycle under some variants:
// adopt, change, correct drift, import, destroy, and look up. After each change
// there is nothing more to change.
func testLifecycle(t *testing.T, names ...string) {
	t.Helper()
	underTest.InVirtualTime(t, func(t *testing.T) {
		variants := parseVariants(t, names)
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(variants))
		defer func() {
			if t.Failed() {
				t.Logf("under %v", names)
			}
		}()
		settings := readMethod(variants)
		isHidden := settings == nil && (variants.Value("refuse_empty_patch") != "" || variants.Has("sparse_patch_response")) // no read shows a service or key

		share(env)
		c := env.Core(t, settings)
		second := secondConfigsWith("203.0.113.9/32")
		c.Must(firstConfigs())
		c.ExpectNoChanges(firstConfigs())
		c.Must(second)
		before := c.States()
		c.ExpectNoChanges(second)
		if diff := cmp.Diff(before, c.States()); diff != "" {
			t.Errorf("a refresh changes the state:\n%s", diff)
		}
		expectSecond(t, env)

		readUntilNew(c, "pipe_scaling", variants) // drift cannot be seen before
		env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
			pipe["scaling"].(mockapi.Object)["replicas"] = 1
			pipe["settings"].(mockapi.Object)["db_max_threads"] = 5
		})
		drifted := []string{"pipe_scaling", "pipe_settings"}
		if !isHidden {
			env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) { service["name"] = "Drifted" })
			env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Drifted" })
			share(env) // both entries are gone
			drifted = []string{"api_key", "pipe_scaling", "pipe_settings", "service", "service_ip_access_entry", "service_private_endpoint"}
		}
		if changed := c.Must(second); !slices.Equal(changed, drifted) {
			t.Errorf("drift is seen at %v, not %v", changed, drifted)
		}
		c.ExpectNoChanges(second)
		expectSecond(t, env)

		importAll(t, env.Core(t, settings), variants, isHidden, second)
		if settings != nil && slices.Contains(env.Sent("updateService"), "{}") {
			t.Error("an object is read by PATCH")
		}
		env.ResetRequests()
		c.Must(acctest.Configs{"pipe_scaling": nil, "pipe_settings": nil, "service": nil, "api_key": nil})
		env.ExpectOnlyReads(t)
		c.Must(acctest.Configs{"service_ip_access_entry": nil, "service_private_endpoint": nil})
		if shared := env.Object(mockapi.Service, mockapi.OtherServiceID); fmt.Sprint(listOf(shared), shared["privateEndpointIds"]) != "[192.0.2.200/32 theirs] [vpce-theirs]" {
			t.Errorf("after the destroy, the service has %v and %v", listOf(shared), shared["privateEndpointIds"])
		}
		if len(names) > 1 {
			return // what follows is about one variant at a time
		}
		for what, err := range lookUpAll(env, c) {
			if fails := what == "unknown" || what == "postgres" && variants.Value("postgres_settings") != ""; fails != (err != nil) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// readMethod returns the provider's setting to read by GET where that is possible.
func readMethod(variants mockapi.Variants) map[string]any {
	if !variants.Has("read_by_get") {
		return nil
	}
	return map[string]any{"read_method": "GET"}
}

// lookUpAll meets what the lifecycle does not: other sources, backups, an unknown
// object and a rate limit. It returns what failed.
func lookUpAll(env *acctest.Env, c *acctest.Core) map[string]error {
	_, postgres := c.Run(acctest.Configs{"pipe_settings": onPipe(mockapi.PostgresPipeID, map[string]any{"db_max_threads": 4})})
	env.LimitRate(1, 10*time.Second, mockapi.RetryAfterSeconds)
	pipe := func(id string) error {
		_, err := c.LookUp("pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": id})
		return err
	}
	_, backups := c.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID})
	return map[string]error{"postgres": postgres, "kinesis": pipe(mockapi.KinesisPipeID), "unknown": pipe(mockapi.OtherServiceID), "backups": backups}
}

// importAll imports everything. The configuration then changes only what no
// response shows, and the notation of addresses.
func importAll(t *testing.T, c *acctest.Core, variants mockapi.Variants, isHidden bool, second acctest.Configs) {
	t.Helper()
	notReturned := []string{"endpoints", "endpoints_enabled", "release_channel", "state"}
	omitsInReads := variants.Has("omit_empty=reads") || variants.Has("omit_empty=all")
	if variants.Has("missing=absent") || omitsInReads {
		notReturned = append(notReturned, "expire_at") // never, and left out
	}
	if variants.Has("normalise_address") {
		notReturned = append(notReturned, "ip_access_list")
	}
	for kind, id := range importIDs {
		if err := c.Import(kind, id); err != nil {
			t.Errorf("importing %s: %v", kind, err)
			continue
		}
		if isHidden && !strings.HasPrefix(kind, "pipe_") {
			continue // it imports as nothing but its id
		}
		readUntilNew(c, kind, variants)
		for _, name := range c.Changes(kind, second[kind]) {
			if !slices.Contains(notReturned, name) {
				t.Errorf("after the import of %s, there is a change of %s", kind, name)
			}
		}
	}
}

// readUntilNew reads until responses show the newest values.
func readUntilNew(c *acctest.Core, kind string, variants mockapi.Variants) {
	for range variants.LateReads() {
		c.Walk()
		_ = c.Refresh(kind) // fails if the API shows nothing for a while
	}
}

// expectSecond checks that the API has what secondConfigs set, and that a
// setting that nobody manages is as it was.
func expectSecond(t *testing.T, env *acctest.Env) {
	t.Helper()
	pipe, service, key := env.Object(mockapi.Pipe, mockapi.KafkaPipeID), env.Object(mockapi.Service, mockapi.ServiceID), env.Object(mockapi.Key, mockapi.APIKeyID)
	shared := env.Object(mockapi.Service, mockapi.OtherServiceID)
	scaling, settings := pipe["scaling"].(mockapi.Object), pipe["settings"].(mockapi.Object)
	got := map[string]any{
		"replicas": scaling["replicas"], "threads": settings["db_max_threads"], "others": settings["db_max_download_threads"],
		"service": service["name"], "private endpoints": sorted(service["privateEndpointIds"]), "channel": service["releaseChannel"],
		"mysql": service["endpoints"].([]any)[0].(mockapi.Object)["enabled"],
		"key":   norm.NFC.String(key["name"].(string)), "roles": sorted(key["roles"]), "expiry": key["expireAt"], "state": key["state"],
		"lists": [][]string{listOf(service), listOf(key), listOf(shared)}, "shared": sorted(shared["privateEndpointIds"]),
	}
	list := []string{"10.0.0.0/8 ", "198.51.100.7/32 ", "203.0.113.9/32 café"}
	if diff := cmp.Diff(map[string]any{
		"replicas": int64(7), "threads": int64(33), "others": int64(4),
		"service": "Second", "private endpoints": "[vpce-0a1b2c3d vpce-8c9d0e1f]", "channel": "fast", "mysql": false,
		"key": "Second é", "roles": "[admin query_endpoints]", "expiry": nil, "state": "enabled",
		"lists": [][]string{list, list, {"192.0.2.200/32 theirs", "203.0.113.9/32 Second é"}}, "shared": "[vpce-7 vpce-theirs]",
	}, got); diff != "" {
		t.Errorf("the API (-want +got):\n%s", diff)
	}
}
