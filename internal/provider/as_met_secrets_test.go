package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A log at TRACE masks user info and signatures in URLs.
func TestURLsInLogs(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	hidden := []string{"pa55word", "u5er", "s1gnature", "amz51g", "t0ken"}
	env.Change(mockapi.Pipe, mockapi.ObjectStoragePipeID, func(pipe mockapi.Object) {
		source := pipe["source"].(mockapi.Object)["objectStorage"].(mockapi.Object)
		source["url"] = "https://u5er:pa55word@storage.example/*.csv?sv=2024&sig=s1gnature&page=7"
		source["queueUrl"] = "https://queue.example/?X-Amz-Signature=amz51g&X-Amz-Security-Token=t0ken"
	})
	tf := env.CLI(t, scalingConfig(mockapi.ObjectStoragePipeID, "concurrency = 5"))
	tf.Setenv("TF_LOG_PROVIDER=TRACE")
	out := strings.ReplaceAll(tf.Apply(), `\u0026`, "&")
	acctest.Contains(t, out, "https://***@storage.example/*.csv?sv=2024&sig=***&page=7", "X-Amz-Signature=***")
	acctest.Lacks(t, withoutPaths(out), hidden...)
	tf.Setenv("TF_LOG_PROVIDER=")
	tf.ExpectNoChanges()
}

// Two data sources of one service's backups are one request.
func TestBackupsAreSharedByDataSources(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	block := "data \"dbplatform_backups\" %q { service_id = %q }\n"
	tf := env.CLI(t, fmt.Sprintf(block, "one", mockapi.ServiceID)+fmt.Sprintf(block, "two", mockapi.ServiceID)+
		fmt.Sprintf(block, "three", mockapi.OtherServiceID))
	tf.Must("plan")
	if n := len(env.Sent("listBackups")); n != 2 {
		t.Errorf("%d requests for the backups of two services", n)
	}
	tf.ExpectNoChanges()
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
	env := newEnv(t)
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
		}, []string{"letters, digits and white space", "one of slow, default, fast", "Invalid address", "Key 1 of the list", "White space around address"}},
		"duplicates": {"service", serviceIs, map[string]string{"ip_access_list": `{ "10.47.11.1" = "", "10.47.11.1/32" = "" }`}, []string{"Keys 1 and 2 of the list"}},
		"key": {"api_key", keyIs, map[string]string{
			"roles": `["hunter4711"]`, "state": `"hunter4711"`, "expire_at": `"hunter4711"`, "on_destroy": `"hunter4711"`,
		}, []string{"Attribute roles must be one of admin", "one of enabled, disabled", "Not a time", "one of keep, disable"}},
		"id": {"api_key", "", map[string]string{"key_id": `"hunter4711"`}, []string{"Not a UUID"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := env.CLI(t, sensitively(test.kind, test.ids, test.values)).Fails("plan")
			acctest.Contains(t, out, test.says...)
			acctest.Lacks(t, withoutPaths(out), "4711", "47.11", "47.1.1", "hunter")
		})
	}
	for setting, value := range map[string]string{
		"organization_id": `"hunter4711"`, "request_timeout": `"hunter4711"`, "max_retries": "4711", "requests_per_second": "-47.11e400",
		"unreadable_objects": `"hunter4711"`, "base_url": `"hunter4711"`, "key_id": `"hunter:4711"`, "key_secret": `"hunter4711 "`,
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			tf := env.CLI(t, "")
			tf.WriteFile("main.tf", acctest.Requirement+fmt.Sprintf("provider \"dbplatform\" {\n  %s = var.secret\n}\nvariable \"secret\" {\n  sensitive = true\n  default = %s\n}\n",
				setting, value)+anyPipe)
			out := tf.Fails("plan")
			acctest.Contains(t, out, "Invalid", setting)
			acctest.Lacks(t, withoutPaths(out), "4711", "47.11", "hunter")
		})
	}
}

// Warnings and unconfirmed changes show what the API has.
func TestSensitiveValuesInWarnings(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
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
			out := env.CLI(t, sensitively(test.kind, test.ids, test.values)).Must("plan")
			acctest.Contains(t, out, test.says...)
			acctest.Lacks(t, withoutPaths(out), test.hidden...)
		})
	}
	t.Run("unconfirmed", func(t *testing.T) {
		t.Parallel()
		env := newEnv(t, mockapi.WithVariants(mockapi.Variants{FrozenRoles: true}))
		tf := env.CLI(t, sensitively("api_key", keyIs, map[string]string{"roles": `["query_endpoints"]`}))
		out := tf.ApplyFails()
		acctest.Contains(t, out, "Change not confirmed by the API", "still returns", "developer")
		acctest.Lacks(t, withoutPaths(out), "query_endpoints")
	})
}

// A refresh that finds nothing but another used_at is no drift, nor is the first
// refresh after an adoption. Of resources with numbers Terraform 1.11 itself
// takes every refresh for drift.
func TestUsedAtIsNoDrift(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{UsedAtMoves: true}))
	tf := env.CLI(t, keyConfig(mockapi.APIKeyID, `name = "Used"`))
	tf.Apply()
	before := tf.Attributes("dbplatform_api_key")["used_at"]
	for range 2 {
		out, code := tf.Run("plan", "-refresh-only", "-detailed-exitcode")
		if code != 0 {
			t.Errorf("the refresh ended with %d", code)
		}
		acctest.Contains(t, out, "No changes")
	}
	tf.ExpectNoChanges()
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Drifted" })
	out, _ := tf.Run("plan", "-refresh-only")
	acctest.Contains(t, out, "have changed outside of", `"Used" -> "Drifted"`)
	tf.Apply()
	if after := tf.Attributes("dbplatform_api_key")["used_at"]; before == nil || after == before {
		t.Errorf("used_at stays %v with another change", after)
	}
	tf.ExpectNoChanges()
}

// withoutPaths takes the folder of the build out of a CLI's output: its name has
// random digits.
func withoutPaths(out string) string {
	return regexp.MustCompile(`\S*dbplatform-test-\d+`).ReplaceAllString(out, "")
}
