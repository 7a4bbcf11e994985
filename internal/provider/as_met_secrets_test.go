package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A log at TRACE masks user info and signatures in URLs.
func TestURLsInLogs(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	hidden := []string{"pa55word", "u5er", "s1gnature", "amz51g", "t0ken"}
	w.Change(mockapi.Pipe, mockapi.ObjectStoragePipeID, func(pipe mockapi.Object) {
		source := pipe["source"].(mockapi.Object)["objectStorage"].(mockapi.Object)
		source["url"] = "https://u5er:pa55word@storage.example/*.csv?sv=2024&sig=s1gnature&page=7"
		source["queueUrl"] = "https://queue.example/?X-Amz-Signature=amz51g&X-Amz-Security-Token=t0ken"
	})
	tf := w.cli(t, scalingConfig(mockapi.ObjectStoragePipeID, "concurrency = 5"))
	tf.env = append(tf.env, "TF_LOG_PROVIDER=TRACE")
	out := strings.ReplaceAll(tf.must("apply", "-auto-approve"), `\u0026`, "&")
	says(t, out, "https://***@storage.example/*.csv?sv=2024&sig=***&page=7", "X-Amz-Signature=***")
	saysNothingOf(t, withoutPaths(out), hidden...)
	tf.env = append(tf.env, "TF_LOG_PROVIDER=")
	tf.empty()
}

// Two data sources of one service's backups are one request.
func TestBackupsAreSharedByDataSources(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	block := "data \"dbplatform_backups\" %q { service_id = %q }\n"
	tf := w.cli(t, fmt.Sprintf(block, "one", mockapi.ServiceID)+fmt.Sprintf(block, "two", mockapi.ServiceID)+
		fmt.Sprintf(block, "three", mockapi.OtherServiceID))
	tf.must("plan")
	if n := len(w.Sent("listBackups")); n != 2 {
		t.Errorf("%d requests for the backups of two services", n)
	}
	tf.empty()
}

// sensitively is a configuration whose values all come from sensitive variables.
// The names of the variables are those of the attributes.
func sensitively(kind, ids string, values map[string]string) string {
	var config strings.Builder
	fmt.Fprintf(&config, "resource \"dbplatform_%s\" \"this\" {\n  %s\n", kind, ids)
	for name := range values {
		fmt.Fprintf(&config, "  %s = var.%s\n", name, name)
	}
	config.WriteString("}\n")
	for name, value := range values {
		fmt.Fprintf(&config, "variable %q {\n  sensitive = true\n  default = %s\n}\n", name, value)
	}
	return config.String()
}

const (
	pipeIDs   = `service_id = "` + mockapi.ServiceID + `"` + "\n  " + `pipe_id = "` + mockapi.KafkaPipeID + `"`
	serviceIs = `service_id = "` + mockapi.ServiceID + `"`
	keyIs     = `key_id = "` + mockapi.APIKeyID + `"`
)

// No message shows a configured value, which may be sensitive: neither the error
// about one that is wrong nor a warning.
func TestSensitiveValuesThatAreWrong(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	for name, test := range map[string]struct {
		kind, ids string
		values    map[string]string
		says      []string
	}{
		"scaling": {"pipe_scaling", pipeIDs, map[string]string{
			"replicas": "4711", "concurrency": "4711.5", "replica_cpu_millicores": "47110000000000000000000", "replica_memory_gb": "47.11",
		}, []string{"Invalid Attribute Value", "Not a whole number", "between 1 and 10", "between 0.5 and 8"}},
		"huge": {"pipe_scaling", pipeIDs, map[string]string{"replica_memory_gb": "4711e400"}, []string{"must be a number that 64 bits can hold"}},
		"settings": {"pipe_settings", pipeIDs, map[string]string{
			"db_max_threads": "4711", "db_parallel_view_processing": `"4711"`,
		}, nil},
		"service": {"service", serviceIs, map[string]string{
			"name": `"hunter-4711"`, "release_channel": `"hunter4711"`, "ip_access_list": `{ "10.0.47.1111" = "", " 10.47.1.1" = "", "10.47.11.0/33" = "" }`,
		}, []string{"letters, digits and white space", "one of slow, default, fast", "Invalid address", "Address 1 (in alphabetical order)", "White space around address"}},
		"duplicates": {"service", serviceIs, map[string]string{"ip_access_list": `{ "10.47.11.1" = "", "10.47.11.1/32" = "" }`}, []string{"Addresses 1 and 2 (in alphabetical order)"}},
		"key": {"api_key", keyIs, map[string]string{
			"roles": `["hunter4711"]`, "state": `"hunter4711"`, "expire_at": `"hunter4711"`, "on_destroy": `"hunter4711"`,
		}, []string{"Attribute roles must be one of admin", "one of enabled, disabled", "Not a time", "one of keep, disable"}},
		"id": {"api_key", "", map[string]string{"key_id": `"hunter4711"`}, []string{"Not a UUID"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := w.cli(t, sensitively(test.kind, test.ids, test.values)).fails("plan")
			says(t, out, test.says...)
			saysNothingOf(t, withoutPaths(out), "4711", "47.11", "47.1.1", "hunter")
		})
	}
	for setting, value := range map[string]string{
		"organization_id": `"hunter4711"`, "request_timeout": `"hunter4711"`, "max_retries": "4711", "requests_per_second": "-47.11e400",
		"unreadable_objects": `"hunter4711"`, "base_url": `"hunter4711"`, "key_id": `"hunter:4711"`, "key_secret": `"hunter4711 "`,
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			tf := w.cli(t, "")
			tf.configure(requirement + fmt.Sprintf("provider \"dbplatform\" {\n  %s = var.secret\n}\nvariable \"secret\" {\n  sensitive = true\n  default = %s\n}\n",
				setting, value) + anyPipe)
			out := tf.fails("plan")
			says(t, out, "Invalid", setting)
			saysNothingOf(t, withoutPaths(out), "4711", "47.11", "hunter")
		})
	}
}

// Warnings and unconfirmed changes show what the API has.
func TestSensitiveValuesInWarnings(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	for name, test := range map[string]struct {
		kind, ids    string
		values       map[string]string
		says, hidden []string
	}{
		"numbers": {
			"pipe_settings", pipeIDs,
			map[string]string{"db_max_threads": "47", "db_parallel_view_processing": "true"},
			[]string{"Adopting pipe settings …1111: db_max_threads (was 8), db_parallel_view_processing (was false)"},
			[]string{"47", "true"},
		},
		"addresses": {
			"service", serviceIs,
			map[string]string{"name": `"hunter4711"`, "ip_access_list": `{ "10.47.11.5/8" = "hunter4711", "hunter.4711" = "" }`},
			[]string{`name (was "Orders")`, "1 added", "Range is wider than its address", "Not an IP address"},
			[]string{"10.47", "hunter"},
		},
		"expiry": {
			"api_key", keyIs,
			map[string]string{"expire_at": `"2004-07-11T04:07:11Z"`, "roles": `["query_endpoints"]`},
			[]string{"Expiry in the past", `expire_at (was "2031-01-01T00:00:00Z")`},
			[]string{"2004", "query_endpoints"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := w.cli(t, sensitively(test.kind, test.ids, test.values)).must("plan")
			says(t, out, test.says...)
			saysNothingOf(t, withoutPaths(out), test.hidden...)
		})
	}
	t.Run("unconfirmed", func(t *testing.T) {
		t.Parallel()
		w := newEnv(t, mockapi.WithVariants(mockapi.Variants{FrozenRoles: true}))
		tf := w.cli(t, sensitively("api_key", keyIs, map[string]string{"roles": `["query_endpoints"]`}))
		out := tf.fails("apply", "-auto-approve")
		says(t, out, "Change not confirmed by the API", "still returns", "developer")
		saysNothingOf(t, withoutPaths(out), "query_endpoints")
	})
}

// A refresh that finds nothing but another used_at is no drift, nor is the first
// refresh after an adoption. Of resources with numbers Terraform 1.11 itself
// takes every refresh for drift.
func TestUsedAtIsNoDrift(t *testing.T) {
	t.Parallel()
	w := newEnv(t, mockapi.WithVariants(mockapi.Variants{UsedAtMoves: true}))
	tf := w.cli(t, keyConfig(mockapi.APIKeyID, `name = "Used"`))
	tf.must("apply", "-auto-approve")
	before := tf.attributes("dbplatform_api_key")["used_at"]
	for range 2 {
		out, code := tf.run("plan", "-refresh-only", "-detailed-exitcode")
		if code != 0 {
			t.Errorf("the refresh ended with %d", code)
		}
		says(t, out, "No changes")
	}
	tf.empty()
	w.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Drifted" })
	out, _ := tf.run("plan", "-refresh-only")
	says(t, out, "have changed outside of", `"Used" -> "Drifted"`)
	tf.must("apply", "-auto-approve")
	if after := tf.attributes("dbplatform_api_key")["used_at"]; before == nil || after == before {
		t.Errorf("used_at stays %v with another change", after)
	}
	tf.empty()
}

// withoutPaths takes the folder of the build out of a CLI's output: its name has
// random digits.
func withoutPaths(out string) string {
	return regexp.MustCompile(`\S*dbplatform-test-\d+`).ReplaceAllString(out, "")
}
