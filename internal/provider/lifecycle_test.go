package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// firstConfigs are configurations of every kind. Their lists have all that the mock API has,
// because an adoption removes nothing.
func firstConfigs() acctest.Configs {
	list := map[string]any{"10.0.0.0/8": "vpc", "203.0.113.9": "", "2001:db8::1": "six", "192.0.2.7": "office", "198.51.100.0/24": "ci"}
	configs := everyKind(4, 0, "First", list, "203.0.113.9", "2031-02-03T04:05:06+02:00")
	configs["service"]["private_endpoint_ids"] = []any{"vpce-0a1b2c3d", "vpce-4e5f6a7b", "vpce-8c9d0e1f"}
	return configs
}

// secondConfigs change most of what firstConfigs set.
func secondConfigs() acctest.Configs { return secondConfigsWith("203.0.113.9") }

// secondConfigsWith have an address in this notation.
func secondConfigsWith(address string) acctest.Configs {
	return everyKind(7, 33, "Second", map[string]any{"10.0.0.0/8": "", address: "office", "198.51.100.7": ""}, address, "never")
}

func everyKind(replicas, threads int, name string, list map[string]any, entry, expiry string) acctest.Configs {
	return acctest.Configs{
		"pipe_scaling":  onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": replicas, "replica_memory_gb": 0.5}),
		"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"db_max_threads": threads, "db_parallel_view_processing": true}),
		"service": {
			"service_id": mockapi.ServiceID, "name": name, "ip_access_list": list,
			"private_endpoint_ids": []any{"vpce-0a1b2c3d", "vpce-8c9d0e1f"}, "release_channel": "fast",
			"endpoints_enabled": map[string]any{"mysql": replicas%2 == 0},
		},
		"service_ip_access_entry":  {"service_id": mockapi.OtherServiceID, "source": entry, "description": name},
		"service_private_endpoint": {"service_id": mockapi.OtherServiceID, "private_endpoint_id": fmt.Sprintf("vpce-%d", replicas)},
		"api_key": {
			"key_id": mockapi.APIKeyID, "name": name, "roles": []any{"query_endpoints", "admin"}, "expire_at": expiry,
			"state": "enabled", "ip_access_list": list,
		},
	}
}

// share gives the service whose entries are managed one by one some of someone else.
func share(env *acctest.Env) {
	env.Change(mockapi.Service, mockapi.OtherServiceID, func(service mockapi.Object) {
		service["ipAccessList"] = []any{mockapi.Object{"source": "192.0.2.200", "description": "theirs"}}
		service["privateEndpointIds"] = []any{"vpce-theirs"}
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
		isHidden := settings == nil && (variants.RefuseEmptyPatch != 0 || variants.SparsePatchResponse) // no read shows a service or key

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

		readUntilNew(t, c, "pipe_scaling", variants) // drift cannot be seen before
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
			if fails := what == "unknown" || what == "postgres" && variants.PostgresSettings != 0; fails != (err != nil) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// readMethod returns the provider's setting to read by GET where that is possible.
func readMethod(variants mockapi.Variants) map[string]any {
	if !variants.ReadByGet {
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
	if variants.Missing == mockapi.AsAbsent {
		notReturned = append(notReturned, "expire_at") // never, and left out
	}
	if variants.NormaliseAddress {
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
		readUntilNew(t, c, kind, variants)
		for _, name := range c.Changes(kind, second[kind]) {
			if !slices.Contains(notReturned, name) {
				t.Errorf("after the import of %s, there is a change of %s", kind, name)
			}
		}
	}
}

// readUntilNew reads until responses show the newest values.
func readUntilNew(t *testing.T, c *acctest.Core, kind string, variants mockapi.Variants) {
	t.Helper()
	for range variants.LateReads {
		c.Walk()
		if err := c.Refresh(kind); err != nil {
			t.Error(err)
		}
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
		"replicas": scaling["replicas"], "threads": settings["db_max_threads"], "files": settings["object_storage_max_file_count"],
		"service": service["name"], "private endpoints": sorted(service["privateEndpointIds"]), "channel": service["releaseChannel"],
		"mysql": service["endpoints"].([]any)[0].(mockapi.Object)["enabled"],
		"key":   key["name"], "roles": sorted(key["roles"]), "expiry": key["expireAt"], "state": key["state"],
		"lists": [][]string{listOf(service), listOf(key), listOf(shared)}, "shared": sorted(shared["privateEndpointIds"]),
	}
	list := []string{"10.0.0.0/8 ", "198.51.100.7/32 ", "203.0.113.9/32 office"}
	if diff := cmp.Diff(map[string]any{
		"replicas": int64(7), "threads": int64(33), "files": int64(100),
		"service": "Second", "private endpoints": "[vpce-0a1b2c3d vpce-8c9d0e1f]", "channel": "fast", "mysql": false,
		"key": "Second", "roles": "[admin query_endpoints]", "expiry": nil, "state": "enabled",
		"lists": [][]string{list, list, {"192.0.2.200/32 theirs", "203.0.113.9/32 Second"}}, "shared": "[vpce-7 vpce-theirs]",
	}, got); diff != "" {
		t.Errorf("the API (-want +got):\n%s", diff)
	}
}

// listOf returns the access list of an object, entry by entry.
func listOf(object mockapi.Object) (entries []string) {
	for _, entry := range object["ipAccessList"].([]any) {
		entry := entry.(mockapi.Object)
		description, _ := entry["description"].(string)
		entries = append(entries, api.CanonicalAddress(entry["source"].(string))+" "+description)
	}
	slices.Sort(entries)
	return entries
}

func sorted(list any) string {
	var all []string
	for _, s := range list.([]any) {
		all = append(all, fmt.Sprint(s))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}
