package mockapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The bounds and enums of the API's documentation, as literals: other tests take their
// values from openapi.yaml, and would not notice a wrong one there.
func TestBounds(t *testing.T) {
	t.Parallel()
	for operation, members := range map[string]map[string]string{
		"scalePipe": {"replicas": "1 to 10", "concurrency": "0 to 34", "replicaCpuMillicores": "125 to 2000", "replicaMemoryGb": "0.5 to 8"},
		"updatePipeSettings": {
			"streaming_max_insert_wait_ms":          "500 to 60000",
			"object_storage_concurrency":            "1 to 35",
			"object_storage_polling_interval_ms":    "100 to 3600000",
			"object_storage_max_insert_bytes":       "10485760 to 53687091200",
			"object_storage_max_file_count":         "1 to 10000",
			"db_max_threads":                        "0 to 64",
			"db_max_insert_threads":                 "0 to 16",
			"db_min_insert_block_size_bytes":        "0 to 10737418240",
			"db_max_download_threads":               "0 to 32",
			"db_parallel_distributed_insert_select": "0 to 2",
		},
		"updateService": {"releaseChannel": "[slow default fast]"},
		"updateKey":     {"state": "[enabled disabled]", "roles": "[admin developer query_endpoints]"},
	} {
		body, _ := Schemas(operation)
		for member := range members {
			if Members(body)[member] == nil {
				t.Errorf("openapi.yaml lacks %s of %s", member, operation)
			}
		}
		for member, schema := range Members(body) {
			got := ""
			if enum := enumOf(schema); enum != nil {
				got = fmt.Sprint(enum)
			} else if schema.Min != nil || schema.Max != nil {
				got = decimal(schema.Min) + " to " + decimal(schema.Max)
			}
			if want := members[member]; got != want {
				t.Errorf("openapi.yaml has %q for %s of %s, not %q", got, member, operation, want)
			}
		}
	}
}

func decimal(n *float64) string {
	if n == nil {
		return "any"
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// Values of members of a request, as JSON: a number, a setting and a bool for all of theirs,
// and each member of a service and a key. A refused one is named in the error and changes
// nothing.
func TestRequestMembers(t *testing.T) {
	t.Parallel()
	const notIntegers = ` | 1.5 | "5" | true | [5] | 1e400 | -9223372036854775808 | 18446744073709551615`
	const fifty = "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKL"
	type values struct{ path, member, accepted, refused string }
	tests := []values{
		{scalingPath, "replicas", `1 | 10 | null | 5 | 5.0 | 5e0 | 0.5e1 | 500E-2`, `0 | 11` + notIntegers},
		{scalingPath, "replicaMemoryGb", `0.5 | 8 | 1.25 | null`, `0.499999 | 8.000001 | "1" | true`},
		{settingsPath, "db_min_insert_block_size_bytes", `0 | 10737418240 | null`, `-1 | 10737418241` + notIntegers},
		{settingsPath, "db_parallel_view_processing", `true | false | null`, `1 | "true"`},

		{servicePath, "name", `"" | "a" | "Z" | "09" | "a b" | "a\tb" | "a\nb" | "` + fifty + `"`, `null | 5 | "a-b" | "a_b" | "a.b" | "a/b" | "é" | "日本" | "a\u0000b" | "a\u00a0b" | "` + fifty + `x"`},
		{servicePath, "releaseChannel", `"slow" | "default" | "fast"`, `null | "" | "FAST"`},
		{servicePath, "transparentDataEncryptionKeyId", `"tde-key-2"`, `null | 2`},
		{servicePath, "ipAccessList", `{}`, `null | [] | {"replace":[]} | {"add":null} | {"add":["10.0.0.0/8"]} | {"add":[{"source":"a"},{"source":null}]} | {"add":[{"cidr":"a"}]} | {"remove":[{"source":"a","description":null}]}`},
		{servicePath, "privateEndpointIds", `{}`, `null | ["a"] | {"add":[1]} | {"set":["a"]}`},
		{servicePath, "endpoints", `[]`, `null | {"mysql":true} | [{"protocol":"mysql","enabled":"yes"}] | [{"protocol":"mysql","port":1}]`},

		{keyPath, "name", `"" | "Any name, of any length: ünïcode"`, `null | 5`},
		{keyPath, "roles", `["admin"] | ["developer"] | ["query_endpoints"] | ["query_endpoints","developer","admin"]`, `null | [] | ["admin","owner"] | ["Admin"] | "admin"`},
		{keyPath, "state", `"disabled" | "enabled"`, `null | "expired" | true`},
		{
			keyPath, "expireAt", `null | "2030-01-01T00:00:00Z" | "2030-01-01T00:00:00.123456789Z" | "2030-01-01T00:00:00-07:00" | "1999-12-31T23:59:59+14:00"`,
			`" " | "tomorrow" | "2030-01-01" | "2030-02-30T00:00:00Z" | "2030-01-01T00:00:00" | "2030-01-01 00:00:00Z" | 1893456000`,
		},
		{keyPath, "ipAccessList", `[] | [{"source":"a"}]`, `null | {"add":[]} | ["a"]`},
	}
	for path, operation := range map[string]string{servicePath: "updateService", keyPath: "updateKey"} {
		body, _ := Schemas(operation)
		for member := range Members(body) {
			if !slices.ContainsFunc(tests, func(test values) bool { return test.path == path && test.member == member }) {
				t.Errorf("no test of %s of %s", member, operation)
			}
		}
	}
	for _, test := range tests {
		t.Run(test.path[len(organizationPath):]+" "+test.member, func(t *testing.T) {
			t.Parallel()
			body := func(value string) string { return `{"` + test.member + `":` + value + `}` }
			for value := range strings.SplitSeq(test.accepted, " | ") {
				shown := object(t, New(WithVariants(Variants{"echo_write_only"})), test.path, body(value))
				if test.path == scalingPath {
					shown = shown["scaling"].(Object)
				}
				isEdit := strings.HasPrefix(value, "{") || test.member == "endpoints"
				if isDefault := value == "null" && test.member != "expireAt"; !isDefault && !isEdit {
					same(t, "shown", shown[test.member], value)
				}
			}
			s := New()
			unchanged(t, s)
			for value := range strings.SplitSeq(test.refused, " | ") {
				if message := refused(t, s, http.StatusBadRequest, test.path, body(value)); !strings.Contains(message, test.member) && !strings.Contains(message, "Inf") {
					t.Errorf("%s: the error does not name %s: %s", value, test.member, message)
				}
			}
		})
	}
}
