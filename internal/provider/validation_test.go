package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A value is one that terraform validate is given for an attribute, and what
// it has to say: nothing, or a diagnostic of this severity at the attribute
// that holds all of these words.
type validated struct {
	kind, attribute, value string
	severity, says         string
}

func accepted(kind, attribute, value string) validated {
	return validated{kind: kind, attribute: attribute, value: value}
}

func rejected(kind, attribute, value, says string) validated {
	return validated{kind, attribute, value, "error", says}
}

// within are both sides of both bounds of a whole number.
func within(kind, attribute, below, lowest, highest, above string) []validated {
	says := fmt.Sprintf("between %s and %s", lowest, highest)
	return []validated{
		rejected(kind, attribute, below, says),
		accepted(kind, attribute, lowest),
		accepted(kind, attribute, highest),
		rejected(kind, attribute, above, says),
		rejected(kind, attribute, lowest+".5", "Not a whole number"),
		accepted(kind, attribute, "null"),
	}
}

// The bounds are literals of the specification's Limits section.
func validatedValues() []validated {
	const scaling, settings, service, key = "pipe_scaling", "pipe_settings", "service", "api_key"
	var values []validated
	for _, bounds := range [][]validated{
		within(scaling, "replicas", "0", "1", "10", "11"),
		within(scaling, "concurrency", "-1", "0", "34", "35"),
		within(scaling, "replica_cpu_millicores", "124", "125", "2000", "2001"),
		within(settings, "streaming_max_insert_wait_ms", "499", "500", "60000", "60001"),
		within(settings, "object_storage_concurrency", "0", "1", "35", "36"),
		within(settings, "object_storage_polling_interval_ms", "99", "100", "3600000", "3600001"),
		within(settings, "object_storage_max_insert_bytes", "10485759", "10485760", "53687091200", "53687091201"),
		within(settings, "object_storage_max_file_count", "0", "1", "10000", "10001"),
		within(settings, "db_max_threads", "-1", "0", "64", "65"),
		within(settings, "db_max_insert_threads", "-1", "0", "16", "17"),
		within(settings, "db_min_insert_block_size_bytes", "-1", "0", "10737418240", "10737418241"),
		within(settings, "db_max_download_threads", "-1", "0", "32", "33"),
		within(settings, "db_parallel_distributed_insert_select", "-1", "0", "2", "3"),
	} {
		values = append(values, bounds...)
	}
	return append(values,
		rejected(scaling, "replica_memory_gb", "0.49", "between 0.5"),
		accepted(scaling, "replica_memory_gb", "0.5"),
		accepted(scaling, "replica_memory_gb", "8"),
		accepted(scaling, "replica_memory_gb", "1 - 0.3"),
		rejected(scaling, "replica_memory_gb", "8.01", "between 0.5"),
		rejected(scaling, "replicas", "9223372036854775808", "Not a whole number"),
		rejected(settings, "object_storage_use_cluster_function", `"maybe"`, "bool"),

		accepted(service, "name", `"a"`),
		accepted(service, "name", `"`+strings.Repeat("x", 50)+`"`),
		accepted(service, "name", `"Orders 2\tand more"`),
		rejected(service, "name", `""`, "1 to 50 ASCII letters, digits and white space"),
		rejected(service, "name", `"`+strings.Repeat("x", 51)+`"`, "1 to 50 ASCII letters, digits and white space"),
		rejected(service, "name", `"orders-2"`, "1 to 50 ASCII letters, digits and white space"),
		rejected(service, "name", `"Größe"`, "ASCII letters"),
		accepted(service, "release_channel", `"slow"`),
		accepted(service, "release_channel", `"default"`),
		accepted(service, "release_channel", `"fast"`),
		rejected(service, "release_channel", `"Fast"`, "one of"),
		rejected(service, "transparent_data_encryption_key_id", `""`, "must not be empty"),
		rejected(service, "private_endpoint_ids", `[""]`, "must not contain empty strings"),
		accepted(service, "private_endpoint_ids", `[]`),
		accepted(service, "endpoints_enabled", `{ mysql = true, other = false }`),
		rejected(service, "endpoints_enabled", `{ mysql = null }`, "null"),
		rejected(service, "endpoints_enabled", `{ "" = true }`, "at least 1"),
		accepted(service, "ip_access_list", `{}`),
		accepted(service, "ip_access_list", `{ "10.0.0.0/8" = "", "2001:db8::1" = null }`),
		accepted(service, "ip_access_list", `{ "0.0.0.0/0" = "", "cafe" = "", "fe80::1%eth0" = "", "10.0.0.5/8" = "" }`),
		accepted(service, "ip_access_list", `{ "10.0.0.5/32" = "", "::1/128" = "", "2001:DB8::/32" = "", "::ffff:192.0.2.1" = "" }`),
		rejected(service, "ip_access_list", `{ "10.0.0.256" = "" }`, "Invalid address"),
		rejected(service, "ip_access_list", `{ "10.0.0.0/33" = "" }`, "Invalid address"),
		rejected(service, "ip_access_list", `{ "10.0.0" = "" }`, "Invalid address"),
		rejected(service, "ip_access_list", `{ "010.0.0.1" = "" }`, "Invalid address"),
		rejected(service, "ip_access_list", `{ "10.0.0.1/" = "" }`, "Invalid address"),
		rejected(service, "ip_access_list", `{ "2001:db8::/129" = "" }`, "Invalid address"),
		rejected(service, "ip_access_list", `{ "2001:db8" = "" }`, "Invalid address"),
		rejected(service, "ip_access_list", `{ "10.0.0.1 " = "" }`, "White space around address"),
		rejected(service, "ip_access_list", `{ "\t10.0.0.0/8" = "" }`, "White space around address"),
		rejected(service, "ip_access_list", `{ "office\n" = "" }`, "White space around address"),
		rejected(service, "ip_access_list", `{ " " = "" }`, "Empty address"),
		rejected(service, "ip_access_list", `{ "" = "" }`, "Empty address"),
		rejected(service, "ip_access_list", `{ "10.0.0.1" = "a", "10.0.0.1/32" = "b" }`, "Duplicate address"),
		rejected(service, "ip_access_list", `{ "2001:db8::1" = "", "2001:DB8:0::1" = "" }`, "Duplicate address"),
		rejected(service, "service_id", `"11111111111141118111111111111111"`, "36 characters"),
		rejected(service, "service_id", `"{11111111-1111-4111-8111-111111111111}"`, "36 characters"),
		rejected(service, "service_id", `"urn:uuid:11111111-1111-4111-8111-111111111111"`, "36 characters"),
		rejected(service, "service_id", `""`, "36 characters"),
		rejected(service, "service_id", `"../../11111111-1111-4111-8111-111111"`, "36 characters"),

		accepted(key, "roles", `["admin", "developer", "query_endpoints"]`),
		rejected(key, "roles", `[]`, "must contain at least one of admin, developer, query_endpoints"),
		rejected(key, "roles", `["superuser"]`, "Attribute roles must contain at least one of admin, developer, query_endpoints, and nothing else."),
		rejected(key, "roles", `["admin", null]`, "null"),
		accepted(key, "state", `"enabled"`),
		accepted(key, "state", `"disabled"`),
		rejected(key, "state", `"expired"`, "one of"),
		accepted(key, "expire_at", `""`),
		accepted(key, "expire_at", `"2100-01-31t12:00:00z"`),
		accepted(key, "expire_at", `"2100-01-31T12:00:00.123+05:30"`),
		rejected(key, "expire_at", `"2100-01-31"`, "RFC 3339"),
		rejected(key, "expire_at", `"never"`, "RFC 3339"),
		rejected(key, "expire_at", `"2100-02-30T00:00:00Z"`, "RFC 3339"),
		rejected(key, "expire_at", `"2100-01-31T9:00:00Z"`, "RFC 3339"),
		rejected(key, "expire_at", `"2100-01-31T09:00:00,5Z"`, "RFC 3339"),
		rejected(key, "expire_at", `"2100-01-31T09:00:00+24:00"`, "RFC 3339"),
		accepted(key, "expire_at", `"2001-01-01T00:00:00Z"`),
		accepted(key, "on_destroy", `"disable"`),
		rejected(key, "on_destroy", `"delete"`, "one of"),
		rejected(key, "key_id", `"mine"`, "36 characters"),
	)
}

// TestValidation gives terraform validate all of these values at once and
// holds what it says against each. Nothing may be sent.
func TestValidation(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	values := validatedValues()
	var config strings.Builder
	lines := map[int]int{} // the line of each value
	tf := env.CLI(t, "")
	for i, v := range values {
		ids := map[string][]string{
			"pipe_scaling":  {"service_id", "pipe_id"},
			"pipe_settings": {"service_id", "pipe_id"},
			"service":       {"service_id"},
			"api_key":       {"key_id"},
		}[v.kind]
		fmt.Fprintf(&config, "resource \"dbplatform_%s\" \"v%d\" {\n", v.kind, i)
		for _, id := range ids {
			if id != v.attribute {
				fmt.Fprintf(&config, "  %s = %q\n", id, map[string]string{
					"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "key_id": mockapi.APIKeyID,
				}[id])
			}
		}
		switch { // something has to be set
		case v.kind == "pipe_scaling" && v.value == "null":
			fmt.Fprintf(&config, "  %s = 1\n", map[bool]string{true: "concurrency", false: "replicas"}[v.attribute == "replicas"])
		case v.kind == "pipe_settings" && v.value == "null":
			config.WriteString("  db_parallel_view_processing = true\n")
		}
		fmt.Fprintf(&config, "  %s = %s\n", v.attribute, v.value)
		lines[strings.Count(config.String(), "\n")] = i
		config.WriteString("}\n")
	}
	tf.WriteFile("values.tf", config.String())

	said := make([][]acctest.Diagnostic, len(values))
	for _, d := range tf.Validate() {
		i, ok := lines[d.Range.Start.Line]
		if d.Range.Filename != "values.tf" || !ok {
			t.Errorf("a diagnostic that is not at a value: %+v", d)
			continue
		}
		said[i] = append(said[i], d)
	}
	for i, v := range values {
		name := fmt.Sprintf("%s: %s = %s", v.kind, v.attribute, v.value)
		switch {
		case v.severity == "" && len(said[i]) > 0:
			t.Errorf("%s is refused: %+v", name, said[i])
		case v.severity != "" && len(said[i]) == 0:
			t.Errorf("%s is accepted without a word", name)
		case v.severity != "":
			d := said[i][0]
			if text := strings.Join(strings.Fields(d.Summary+" "+d.Detail), " "); d.Severity != v.severity || !strings.Contains(text, v.says) {
				t.Errorf("%s: the %s says %q, not %q", name, d.Severity, text, v.says)
			}
		}
	}
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("validate sent %d requests", len(sent))
	}
}

// Two mistakes are about a whole block: the id of the service in place of the
// pipe's, and a resource that sets nothing and so manages nothing.
func TestValidationOfBlocks(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	for config, want := range map[string]string{
		scalingConfig(mockapi.ServiceID, "replicas = 1"):        "pipe_id is the same as service_id",
		settingsConfig(mockapi.ServiceID, "db_max_threads = 1"): "pipe_id is the same as service_id",
		lookUpPipe(mockapi.ServiceID):                           "pipe_id is the same as service_id",
		scalingConfig(mockapi.KafkaPipeID, ""):                  "Set at least one of concurrency, replica_cpu_millicores",
		settingsConfig(mockapi.KafkaPipeID, ""):                 "Set at least one of db_max_download_threads",
	} {
		tf.Configure(config)
		found := tf.Validate()
		if len(found) != 1 || found[0].Severity != "error" || !strings.Contains(found[0].Detail, want) {
			t.Errorf("%s: %+v", config, found)
		}
	}
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("validate sent %d requests", len(sent))
	}
}

// A number that no attribute can hold does not crash a data source.
func TestWrongNumberInADataSource(t *testing.T) {
	t.Parallel()
	tf := newEnv(t).CLI(t, strings.Replace(lookUpPipe(mockapi.KafkaPipeID), "}", "  source = { postgres = { port = 1.5 } }\n}", 1))
	out := tf.Fails("validate")
	acctest.Contains(t, out, "port")
	acctest.Lacks(t, out, "did not respond", "panic")
}
