package main

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// neverTouched are the members of requests that no run changes.
var neverTouched = []string{"service endpoints", "service transparentDataEncryptionKeyId", "api_key state"}

// Every member that the API accepts is changed or never touched, and within its
// bounds.
func TestAttributesAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	contract, err := openapi3.NewLoader().LoadFromFile("../../mockapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for resource, schema := range map[string]string{
		"service": "ServicePatch", "pipe_scaling": "PipeScalingPatch", "pipe_settings": "PipeSettingsInput", "api_key": "KeyPatch",
	} {
		for name, property := range contract.Components.Schemas[schema].Value.Properties {
			if want = append(want, resource+" "+name); property.Value.Min != nil {
				checkBounds(t, resource, name, *property.Value.Min, *property.Value.Max)
			}
		}
	}
	for _, a := range attributes {
		got = append(got, a.resource+" "+a.name)
	}
	got = append(got, neverTouched...)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("attributes %q, not %q", got, want)
	}
}

// checkBounds tries both sides of both bounds.
func checkBounds(t *testing.T, resource, name string, least, most float64) {
	t.Helper()
	at := slices.IndexFunc(attributes, func(a attribute) bool { return a.resource == resource && a.name == name })
	if at < 0 {
		return // named by the caller
	}
	for value, ok := range map[float64]bool{least: true, most: true, least - 0.5: false, most + 0.5: false} {
		now := json.Number(strconv.FormatFloat(value, 'f', -1, 64))
		other, why := attributes[at].other(nil, now)
		if (why == "") != ok {
			t.Errorf("%s %s: %s", name, now, why)
		}
		if !ok {
			continue
		}
		number, _ := asNumber(other)
		if number == nil || number.Cmp(new(big.Rat).SetFloat64(least)) < 0 || number.Cmp(new(big.Rat).SetFloat64(most)) > 0 || sameValue(other, now) {
			t.Errorf("%s %s becomes %v", name, now, other)
		}
	}
}

// What could not be restored, or would open a door, is not changed.
func TestOtherValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		resource, name string
		now            string // JSON
		changed        bool
	}{
		{"service", "name", `"Orders"`, true},
		{"service", "name", `"orders-production"`, false},
		{"service", "name", `"12345678901234567890123456789012345678901234567890"`, true},
		{"service", "ipAccessList", `[{"source": "10.0.0.0/8", "description": "a"}]`, true},
		{"service", "ipAccessList", `[]`, false},
		{"service", "ipAccessList", `null`, false},
		{"service", "ipAccessList", `[{"source": "10.0.0.0/8", "description": "a"}, {"source": "10.0.0.0/8", "description": "b"}]`, false},
		{"service", "ipAccessList", `[{"source": "203.0.113.71"}]`, false},
		{"service", "releaseChannel", `"fast"`, true},
		{"service", "releaseChannel", `"default"`, true},
		{"service", "releaseChannel", `"regular"`, false},
		{"service", "privateEndpointIds", `["used"]`, true},
		{"service", "privateEndpointIds", `[{"id": "used"}]`, false},
		{"service", "privateEndpointIds", `["used", "free"]`, false},
		{"api_key", "name", `"orders-production"`, true},
		{"api_key", "roles", `["admin"]`, true},
		{"api_key", "roles", `["admin", "query_endpoints"]`, true},
		{"api_key", "roles", `["query_endpoints"]`, false},
		{"api_key", "roles", `["custom"]`, false},
		{"api_key", "expireAt", `null`, true},
		{"api_key", "expireAt", `"2999-01-01T00:00:00Z"`, true},
		{"api_key", "expireAt", `"2001-01-01T00:00:00Z"`, false},
		{"api_key", "expireAt", `1893456000`, false},
		{"api_key", "ipAccessList", `[]`, false},
		{"pipe_scaling", "replicas", `20`, false},
		{"pipe_scaling", "replicas", `"3"`, true},
		{"pipe_scaling", "replicaCpuMillicores", `"250m"`, false},
		{"pipe_settings", "db_parallel_view_processing", `"yes"`, false},
		{"pipe_settings", "db_max_threads", `0`, true},
	} {
		now := decode([]byte(test.now))
		member := map[string]any{test.name: now}
		o := &object{Kind: test.resource, Original: member, shown: map[string]any{
			test.name: now, "scaling": member, "settings": member, "availablePrivateEndpointIds": []any{"used", "free"},
		}}
		_, other, why := (&run{s: &settings{}}).usable(o, test.resource, test.name)
		if (why == "") != test.changed || test.changed && content(other) == content(now) {
			t.Errorf("%s %s becomes %v: %s", test.name, test.now, other, why)
		}
	}
}
