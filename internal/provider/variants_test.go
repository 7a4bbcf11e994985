package provider

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// TestVariants takes every resource through its lifecycle under each variant of
// the API: adopt, change, correct drift, import and destroy, with an empty plan
// after each step. A few variants also go through a real CLI.
func TestVariants(t *testing.T) {
	t.Parallel()
	for _, variant := range passable() {
		t.Run(variant.Name, func(t *testing.T) {
			t.Parallel()
			live(t, variant.Name)
		})
	}
}

func TestVariantsThroughTheCLI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"late=old", "missing=absent", "numbers=quoted", "refuse_empty_patch=422", "settings_put=forget", "stale_services=200ms"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variants, err := mockapi.ParseVariants(name)
			if err != nil {
				t.Fatal(err)
			}
			variantLife(t, variants)
		})
	}
}

// passable are the variants under which every apply can succeed.
func passable() []mockapi.NamedVariant {
	return slices.DeleteFunc(mockapi.AllVariants(), func(variant mockapi.NamedVariant) bool { return variant.MayFail })
}

func everything(replicas, threads int, name, list, expiry string) string {
	return scalingConfig(mockapi.KafkaPipeID, fmt.Sprintf("replicas = %d\n  replica_memory_gb = 0.5", replicas)) +
		settingsConfig(mockapi.KafkaPipeID, fmt.Sprintf("db_max_threads = %d\n  db_parallel_view_processing = true", threads)) +
		serviceConfig(mockapi.ServiceID, fmt.Sprintf(`name = %q
  ip_access_list = %s
  private_endpoint_ids = ["vpce-0a1b2c3d", "vpce-8c9d0e1f"]
  release_channel = "fast"
  endpoints_enabled = { mysql = %v }`, name, list, replicas%2 == 0)) +
		keyConfig(mockapi.APIKeyID, fmt.Sprintf(`name = %q
  roles = ["query_endpoints", "admin"]
  expire_at = %q
  state = "enabled"
  ip_access_list = %s`, name, expiry, list)) + anyPipe
}

func variantLife(t *testing.T, variants mockapi.Variants) {
	t.Helper()
	env := newEnv(t, mockapi.WithVariants(variants))
	tf := env.CLI(t, "")
	empty := func(when string) {
		t.Helper()
		tf.ExpectNoChanges()
	}
	apply := func(config string) {
		t.Helper()
		tf.Configure(config)
		tf.Apply()
	}

	apply(everything(4, 0, "First", `{ "10.0.0.0/8" = "vpc", "203.0.113.9" = "", "2001:db8::1" = "six" }`, "2031-02-03T04:05:06+02:00"))
	empty("after adoption")

	changed := everything(7, 33, "Second", `{ "10.0.0.0/8" = "", "203.0.113.9/32" = "office", "198.51.100.7" = "" }`, "")
	apply(changed)
	empty("after the change")
	expect(t, env, 7, 33)

	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		pipe["scaling"].(mockapi.Object)["replicas"] = 1
		pipe["settings"].(mockapi.Object)["db_max_threads"] = 5
	})
	out, code := tf.Run("plan", "-detailed-exitcode")
	if code != 2 {
		t.Errorf("the plan after drift ended with %d:\n%s", code, out)
	}
	apply(changed)
	empty("after mending")
	expect(t, env, 7, 33)

	tf.Must(slices.Concat([]string{"state", "rm"}, slices.Collect(maps.Keys(everyImport)))...)
	apply(changed + strings.Replace(importBlocks(), mockapi.ObjectStoragePipeID, mockapi.KafkaPipeID, 1))
	empty("after the import")
	expect(t, env, 7, 33)

	tf.Must("destroy", "-auto-approve")
	env.ExpectNoDeletes(t)
	expect(t, env, 7, 33)
}

// expect checks what the API has in the end.
func expect(t *testing.T, env *acctest.Env, replicas, threads int) {
	t.Helper()
	pipe := env.Object(mockapi.Pipe, mockapi.KafkaPipeID)
	if got := fmt.Sprint(pipe["scaling"].(mockapi.Object)["replicas"]); got != strconv.Itoa(replicas) {
		t.Errorf("the pipe has %s replicas, not %d", got, replicas)
	}
	settings := pipe["settings"].(mockapi.Object)
	if got := fmt.Sprint(settings["db_max_threads"]); got != strconv.Itoa(threads) {
		t.Errorf("the pipe has %s threads, not %d", got, threads)
	}
	if got := fmt.Sprint(settings["object_storage_max_file_count"]); got != "100" {
		t.Errorf("a setting that nobody manages went from 100 to %s", got)
	}
	service, key := env.Object(mockapi.Service, mockapi.ServiceID), env.Object(mockapi.Key, mockapi.APIKeyID)
	for _, object := range []mockapi.Object{service, key} {
		if object["name"] != "Second" {
			t.Errorf("the name is %v", object["name"])
		}
		list := map[string]string{}
		for _, entry := range object["ipAccessList"].([]any) {
			entry := entry.(mockapi.Object)
			description, _ := entry["description"].(string)
			list[api.CanonicalAddress(fmt.Sprint(entry["source"]))] = description
		}
		want := map[string]string{"10.0.0.0/8": "", "203.0.113.9/32": "office", "198.51.100.7/32": ""}
		if len(object["ipAccessList"].([]any)) != 3 || !maps.Equal(list, want) {
			t.Errorf("the access list is %v", object["ipAccessList"])
		}
	}
	for what, values := range map[string][2]any{
		"private endpoints": {sorted(service["privateEndpointIds"]), "[vpce-0a1b2c3d vpce-8c9d0e1f]"},
		"release channel":   {service["releaseChannel"], "fast"},
		"mysql endpoint":    {service["endpoints"].([]any)[0].(mockapi.Object)["enabled"], replicas%2 == 0},
		"roles":             {sorted(key["roles"]), "[admin query_endpoints]"},
		"expiry":            {key["expireAt"], nil},
		"state":             {key["state"], "enabled"},
	} {
		if values[0] != values[1] {
			t.Errorf("%s: %v, not %v", what, values[0], values[1])
		}
	}
}

func sorted(list any) string {
	var all []string
	for _, s := range list.([]any) {
		all = append(all, fmt.Sprint(s))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}
