package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// lawKinds are the kinds of object in the order in which a run applies them,
// with their ids and what a configuration may set of them.
var lawKinds = []lawKind{
	{"service", mockapi.Service, mockapi.ServiceID, map[string]any{"service_id": mockapi.ServiceID}, map[string]generator{
		"name":                 choice("Orders", "Billing", "Archive"),
		"release_channel":      choice("slow", "default", "fast"),
		"ip_access_list":       anyList,
		"private_endpoint_ids": anySet("vpce-0a1b2c3d", "vpce-4e5f6a7b", "vpce-8c9d0e1f"),
		"endpoints_enabled": func(random *rand.Rand) any {
			return map[string]any{"mysql": random.IntN(2) == 0, "https": random.IntN(2) == 0}
		},
	}},
	{"pipe_scaling", mockapi.Pipe, mockapi.KafkaPipeID, map[string]any{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID}, map[string]generator{
		"replicas":               choice(1.0, 4.0, 9.0),
		"concurrency":            choice(0.0, 17.0, 34.0),
		"replica_cpu_millicores": choice(125.0, 2000.0),
		"replica_memory_gb":      choice(0.5, 1.25, 8.0),
	}},
	{"pipe_settings", mockapi.Pipe, mockapi.KafkaPipeID, map[string]any{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID}, map[string]generator{
		"streaming_max_insert_wait_ms":        choice(500.0, 60000.0),
		"object_storage_concurrency":          choice(1.0, 35.0),
		"db_max_threads":                      choice(0.0, 33.0, 64.0),
		"db_max_insert_threads":               choice(0.0, 16.0),
		"db_parallel_view_processing":         choice(true, false),
		"object_storage_use_cluster_function": choice(true, false),
	}},
	{"api_key", mockapi.Key, mockapi.APIKeyID, map[string]any{"key_id": mockapi.APIKeyID, "on_destroy": "keep"}, map[string]generator{
		"name":           choice("Deploy", "Read", "Rotate"),
		"roles":          anySet("admin", "developer", "query_endpoints"),
		"expire_at":      choice("", "2031-01-01T00:00:00Z", "2032-02-29T12:00:00+02:00"),
		"state":          choice("enabled", "disabled"),
		"ip_access_list": anyList,
	}},
}

type lawKind struct {
	name       string
	object     mockapi.Kind
	id         string
	ids        map[string]any
	attributes map[string]generator
}

type generator func(*rand.Rand) any

func choice(values ...any) generator {
	return func(random *rand.Rand) any { return values[random.IntN(len(values))] }
}

// anySet is a set that is not empty.
func anySet(values ...any) generator {
	return func(random *rand.Rand) any {
		at := random.Perm(len(values))[:1+random.IntN(len(values))]
		slices.Sort(at)
		var set []any
		for _, i := range at {
			set = append(set, values[i])
		}
		return set
	}
}

// anyList is an access list that is not empty.
func anyList(random *rand.Rand) any {
	list := map[string]any{}
	for _, source := range anySet("10.0.0.0/8", "192.0.2.7", "198.51.100.0/24", "203.0.113.9", "2001:db8::1")(random).([]any) {
		list[source.(string)] = choice("", "office", "private network")(random)
	}
	return list
}

// configuration is a random one, in which some of what before sets stays. ignored
// is what its lifecycle.ignore_changes names: attributes, and elements of maps
// as "attribute/key".
func (k lawKind) configuration(random *rand.Rand, before map[string]any) (config map[string]any, ignored []string) {
	config = maps.Clone(k.ids)
	for _, name := range slices.Sorted(maps.Keys(k.attributes)) {
		switch value, had := before[name]; {
		case had && random.IntN(3) > 0:
			config[name] = value
		case random.IntN(3) > 0:
			config[name] = k.attributes[name](random)
		}
		if m, isMap := config[name].(map[string]any); isMap && random.IntN(5) == 0 {
			ignored = append(ignored, name+"/"+choice(anys(slices.Sorted(maps.Keys(m)))...)(random).(string))
		} else if config[name] != nil && random.IntN(6) == 0 {
			ignored = append(ignored, name)
		}
	}
	if len(config) == len(k.ids) { // a pipe's resources have to set something
		name := slices.Sorted(maps.Keys(k.attributes))[0]
		config[name] = k.attributes[name](random)
	}
	return config, ignored
}

func anys[T any](values []T) (all []any) {
	for _, value := range values {
		all = append(all, value)
	}
	return all
}

// ignoring is a configuration as Terraform plans it: what is ignored is as the
// prior state has it.
func ignoring(config, prior map[string]any, ignored []string) map[string]any {
	config = maps.Clone(config)
	for _, path := range ignored {
		name, key, element := strings.Cut(path, "/")
		if !element {
			config[name] = prior[name]
			continue
		}
		changed := maps.Clone(config[name].(map[string]any))
		before, _ := prior[name].(map[string]any)
		if value, ok := before[key]; ok {
			changed[key] = value
		} else {
			delete(changed, key)
		}
		config[name] = changed
	}
	return config
}

// drift changes an attribute of the object elsewhere, and returns a
// description.
func (k lawKind) drift(random *rand.Rand, env *acctest.Env, canDrift func(kind, name string) bool) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(k.attributes)), func(name string) bool { return !canDrift(k.name, name) })
	if len(names) == 0 {
		return ""
	}
	return k.driftOf(names[random.IntN(len(names))], random, env)
}

func (k lawKind) driftOf(name string, random *rand.Rand, env *acctest.Env) string {
	value := k.attributes[name](random)
	if value == "" {
		value = "2033-03-03T03:03:03Z" // an expiry of never may be left out of responses
	}
	env.Change(k.object, k.id, func(object mockapi.Object) {
		switch list, isList := value.(map[string]any); {
		case k.name == "pipe_scaling":
			object["scaling"].(mockapi.Object)[camel(name)] = value
		case k.name == "pipe_settings":
			object["settings"].(mockapi.Object)[name] = value
		case name == "endpoints_enabled":
			object["endpoints"].([]any)[0].(mockapi.Object)["enabled"] = list["mysql"]
		case isList:
			var entries []any
			for _, source := range slices.Sorted(maps.Keys(list)) {
				entries = append(entries, mockapi.Object{"source": source, "description": list[source]})
			}
			object[camel(name)] = entries
		default:
			object[camel(name)] = value
		}
	})
	return fmt.Sprintf("%s.%s = %v", k.name, name, value)
}

// camel is an attribute's name as the API spells it.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i := range parts[1:] {
		parts[i+1] = strings.ToUpper(parts[i+1][:1]) + parts[i+1][1:]
	}
	return strings.Join(parts, "")
}
