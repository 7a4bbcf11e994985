package main

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An attribute is one that a run may change. Its name is the API's.
type attribute struct {
	resource string // the resource that has it
	name     string
	sources  []string // the pipe's sources that use it; nil: all
	// other returns another valid value, or why there is none.
	other func(o *object, now any) (value any, why string)
}

// attributes are all that can be restored. Never touched: endpoints_enabled,
// transparent_data_encryption_key_id and the state of a key.
var attributes = []attribute{
	{"service", "name", nil, otherName(serviceName)},
	{"service", "releaseChannel", nil, otherChannel},
	{"service", "ipAccessList", nil, longerList},
	{"service", "privateEndpointIds", nil, moreEndpoints},

	{"pipe_scaling", "replicas", []string{"kafka"}, within(1, 10, byOne)},
	{"pipe_scaling", "concurrency", []string{"objectStorage"}, within(0, 34, byOne)},
	{"pipe_scaling", "replicaCpuMillicores", streams, within(125, 2000, twice)},
	{"pipe_scaling", "replicaMemoryGb", streams, within(0.5, 8, twice)},

	{"pipe_settings", "streaming_max_insert_wait_ms", streams, within(500, 60_000, twice)},
	{"pipe_settings", "object_storage_concurrency", files, within(1, 35, byOne)},
	{"pipe_settings", "object_storage_polling_interval_ms", files, within(100, 3_600_000, twice)},
	{"pipe_settings", "object_storage_max_insert_bytes", files, within(10_485_760, 53_687_091_200, twice)},
	{"pipe_settings", "object_storage_max_file_count", files, within(1, 10_000, byOne)},
	{"pipe_settings", "db_max_threads", nil, within(0, 64, byOne)},
	{"pipe_settings", "db_max_insert_threads", nil, within(0, 16, byOne)},
	{"pipe_settings", "db_min_insert_block_size_bytes", nil, within(0, 10_737_418_240, twice)},
	{"pipe_settings", "db_max_download_threads", nil, within(0, 32, byOne)},
	{"pipe_settings", "db_parallel_distributed_insert_select", nil, within(0, 2, byOne)},
	{"pipe_settings", "object_storage_use_cluster_function", files, flipped},
	{"pipe_settings", "db_parallel_view_processing", nil, flipped},

	{"api_key", "name", nil, otherName(nil)},
	{"api_key", "roles", nil, otherRoles},
	{"api_key", "expireAt", nil, laterExpiry},
	{"api_key", "ipAccessList", nil, longerList},
}

var (
	streams = []string{"kafka", "kinesis"}
	files   = []string{"objectStorage"}
)

// now returns the attribute's value in a response.
func (a attribute) now(shown map[string]any) any {
	switch a.resource {
	case "pipe_scaling":
		return at(shown, "scaling", a.name)
	case "pipe_settings":
		return at(shown, "settings", a.name)
	}
	return shown[a.name]
}

// change returns another valid value of the attribute, or why it is not changed.
func (a attribute) change(o *object) (value any, why string) {
	if sources, _ := o.shown["source"].(map[string]any); len(a.sources) > 0 {
		kinds := present(sources)
		if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(a.sources, kind) }) {
			return nil, "the pipe's source (" + strings.Join(kinds, ", ") + ") does not use it"
		}
	}
	if _, ok := o.Original[a.name]; !ok && o.Kind != "pipe" {
		if _, returned := o.shown[a.name]; returned {
			return nil, "the key may be the one that the tests use"
		}
		return nil, "the API does not return it, so it could not be restored"
	}
	now := a.now(o.shown)
	if now == nil && a.name != "expireAt" {
		return nil, "the API does not return it, so it could not be restored"
	}
	return a.other(o, now)
}

const outsideBounds = "its value is outside the documented bounds, so Terraform could not restore it"

// appliesTo reports whether a pipe's setting is documented to apply to its source.
func (o *object) appliesTo(setting string) bool {
	return slices.ContainsFunc(attributes, func(a attribute) bool {
		sources, _ := o.shown["source"].(map[string]any)
		kinds := present(sources)
		return a.name == setting && (a.sources == nil || len(kinds) == 0 || slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(a.sources, kind) }))
	})
}

// atRisk is why no setting of a pipe is changed: the provider's PUT leaves out what
// is outside its bounds, and an API that replaces all settings would reset that.
func (o *object) atRisk() string {
	for _, a := range attributes {
		if a.resource != "pipe_settings" {
			continue
		}
		if _, why := a.change(o); why == outsideBounds {
			return "a PUT would leave out " + a.name + ", whose value is outside the documented bounds"
		}
	}
	return ""
}

const notChosen = "-attributes leaves it out"

// isChosen reports whether -attributes lets the run change an attribute.
func (r *run) isChosen(a attribute) bool {
	return r.s.attributes == nil || slices.Contains(r.s.attributes, snake(a.name))
}

// usable returns the first attribute of a resource that can be changed, or the one
// with this name, and another valid value; or why there is none.
func (r *run) usable(o *object, resource, name string) (a attribute, value any, why string) {
	why = notChosen
	for _, a := range attributes {
		if a.resource != resource || name != "" && name != a.name || !r.isChosen(a) {
			continue
		}
		if value, why = a.change(o); why == "" {
			return a, value, ""
		}
	}
	return attribute{}, nil, why
}

// present names the kinds of source that a pipe has, of those that are documented.
func present(object map[string]any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(object)), func(name string) bool {
		_, isObject := object[name].(map[string]any)
		return !isObject || shapes["pipe"].members["source"].members[name] == nil
	})
}

// The ways to another number.
var (
	byOne = func(now *big.Rat) *big.Rat { return new(big.Rat).Add(now, big.NewRat(1, 1)) }
	twice = func(now *big.Rat) *big.Rat { return new(big.Rat).Mul(now, big.NewRat(2, 1)) }
)

// within changes a number within its bounds: upwards, or else to the minimum.
func within(least, most float64, up func(*big.Rat) *big.Rat) func(*object, any) (any, string) {
	lower, upper := new(big.Rat).SetFloat64(least), new(big.Rat).SetFloat64(most)
	return func(_ *object, now any) (any, string) {
		value, ok := asNumber(now)
		switch {
		case !ok:
			return nil, "its value is not a number"
		case value.Cmp(lower) < 0 || value.Cmp(upper) > 0:
			return nil, outsideBounds
		}
		other := up(value)
		if value.Sign() == 0 {
			other = byOne(value)
		}
		if other.Cmp(upper) > 0 {
			other = lower
		}
		return decimal(other), ""
	}
}

func flipped(_ *object, now any) (any, string) {
	value, ok := now.(bool)
	if !ok {
		return nil, "its value is not a boolean"
	}
	return !value, ""
}

func otherChannel(_ *object, now any) (any, string) {
	switch now {
	case "slow", "fast":
		return "default", ""
	case "default":
		return "slow", ""
	}
	return nil, "its value is not documented"
}

// serviceName is what the documentation allows.
var serviceName = regexp.MustCompile(`^[A-Za-z0-9\s]{1,50}$`)

func otherName(allowed *regexp.Regexp) func(*object, any) (any, string) {
	return func(_ *object, now any) (any, string) {
		name, _ := now.(string)
		const suffix, longest = " test", 50
		switch {
		case name == "" || allowed != nil && !allowed.MatchString(name):
			return nil, "its value is not one that the documentation allows, so Terraform could not restore it"
		case len(name) > longest-len(suffix):
			return name[:len(name)-1], ""
		}
		return name + suffix, ""
	}
}

// longerList adds an entry to a list that has some: nobody knows whether an empty
// list admits everybody, and it could not be restored without emptying it.
func longerList(_ *object, now any) (any, string) {
	list, ok := entries(now)
	sources := map[string]bool{}
	for _, e := range list {
		sources[e.Source] = true
		if isTestAddress(e.Source) {
			return nil, "it already has " + e.Source + ", the address that the tests add"
		}
	}
	switch {
	case !ok:
		return nil, "its entries have another form than documented"
	case len(list) == 0:
		return nil, "it is empty, and restoring it would empty it again"
	case len(sources) < len(list):
		return nil, "it lists an address twice"
	}
	return append(list, entry{testAddress, "make testlive"}), ""
}

func moreEndpoints(o *object, now any) (any, string) {
	ids := texts(now)
	if list, isList := now.([]any); !isList || len(ids) < len(list) {
		return nil, "its entries have another form than documented"
	}
	if unused := without(texts(o.shown["availablePrivateEndpointIds"]), ids); len(unused) > 0 {
		return append(ids, unused[0]), ""
	}
	return nil, "no other private endpoint is available"
}

// otherRoles adds the role with the fewest rights, or takes it away.
func otherRoles(_ *object, now any) (any, string) {
	const least = "query_endpoints"
	roles := texts(now)
	switch {
	case len(without(roles, []string{"admin", "developer", least})) > 0 || len(roles) == 0:
		return nil, "it has roles that are not documented"
	case !slices.Contains(roles, least):
		return append(roles, least), ""
	case len(roles) > 1:
		return without(roles, []string{least}), ""
	}
	return nil, "a key that may only query would be given more rights"
}

// laterExpiry is a day later, or in ten years for a key that never expires.
func laterExpiry(_ *object, now any) (any, string) {
	const years = 10
	text, isText := now.(string)
	if now == nil || isText && text == "" {
		return time.Now().AddDate(years, 0, 0).UTC().Truncate(24 * time.Hour).Format(time.RFC3339), ""
	}
	moment, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		return nil, "its value is not a time"
	case moment.Before(time.Now()):
		return nil, "the key has expired, and would be valid again"
	}
	return moment.AddDate(0, 0, 1).UTC().Format(time.RFC3339), ""
}
