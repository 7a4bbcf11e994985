package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// sensitive returns a block whose arguments all come from sensitive variables
// with these values.
func sensitive(block string, ids []string, values map[string]string) string {
	var config, variables strings.Builder
	fmt.Fprintf(&config, "%s {\n", block)
	for _, id := range ids {
		fmt.Fprintf(&config, "  %s\n", id)
	}
	prefix := regexp.MustCompile(`\W+`).ReplaceAllString(block, "_")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&config, "  %s = var.%s%s\n", name, prefix, name)
		fmt.Fprintf(&variables, "variable \"%s%s\" {\n  sensitive = true\n  default = %s\n}\n", prefix, name, values[name])
	}
	return config.String() + "}\n" + variables.String()
}

var (
	pipeIDLines   = []string{`service_id = "` + mockapi.ServiceID + `"`, `pipe_id = "` + mockapi.KafkaPipeID + `"`}
	serviceIDLine = pipeIDLines[:1]
	keyIDLine     = []string{`key_id = "` + mockapi.APIKeyID + `"`}
)

// withoutPaths removes the folder of the build from a CLI's output: its name
// has random digits.
func withoutPaths(out string) string {
	return regexp.MustCompile(`\S*dbplatform-test-\d+`).ReplaceAllString(out, "")
}

// The error about a wrong value does not show it, because it may be sensitive.
func TestSensitiveValuesThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config string
		says   []string
	}{
		"resources": {
			sensitive(`resource "dbplatform_pipe_scaling" "a"`, pipeIDLines, map[string]string{
				"replicas": "4711", "concurrency": "4711.5", "replica_cpu_millicores": "47110000000000000000000", "replica_memory_gb": "47.11",
			}) + sensitive(`resource "dbplatform_pipe_scaling" "b"`, pipeIDLines, map[string]string{
				"replica_memory_gb": "4711e400",
			}) + sensitive(`resource "dbplatform_pipe_settings" "a"`, pipeIDLines, map[string]string{
				"db_max_threads": "4711", "db_parallel_view_processing": `"4711"`,
			}) + sensitive(`resource "dbplatform_service" "a"`, serviceIDLine, map[string]string{
				"name": `"hunter-4711"`, "release_channel": `"hunter4711"`, "ip_access_list": `{ "10.0.47.1111" = "", " 10.47.1.1" = "", "10.47.11.0/33" = "" }`,
			}) + sensitive(`resource "dbplatform_service" "b"`, serviceIDLine, map[string]string{
				"ip_access_list": `{ "10.47.11.1" = "", "10.47.11.1/32" = "" }`,
			}) + sensitive(`resource "dbplatform_api_key" "a"`, keyIDLine, map[string]string{
				"roles": `["hunter4711"]`, "state": `"hunter4711"`, "expire_at": `"hunter4711"`, "on_destroy": `"hunter4711"`,
			}) + sensitive(`resource "dbplatform_api_key" "b"`, nil, map[string]string{"key_id": `"hunter4711"`}),
			[]string{
				"Invalid Attribute Value", "Not a whole number", "between 1 and 10", "between 0.5 and 8",
				"letters, digits and white space", "one of slow, default, fast", "Entry 2 of 3 (in alphabetical order) looks like an IP address", "Entry 1 of 3 (in alphabetical order) begins",
				"Entry 2 of 2 (in alphabetical order) is the same address or range as entry 1", "Attribute roles must contain at least one of admin", "one of enabled, disabled", "must be an RFC 3339 time", "one of keep, disable", "must be a UUID",
			},
		},
		"provider block": {
			sensitive(`provider "dbplatform"`, nil, map[string]string{
				"organization_id": `"hunter4711"`, "request_timeout": `"hunter4711"`, "max_retries": "4711", "requests_per_second": "-47.11e400",
				"unreadable_objects": `"hunter4711"`, "base_url": `"hunter4711"`, "key_id": `"hunter:4711"`, "key_secret": `"hunter4711 "`,
			}) + anyPipe,
			[]string{
				"Attribute organization_id must", "Attribute request_timeout must", "max_retries", "requests_per_second", "Attribute unreadable_objects must",
				"Attribute base_url must", "Attribute key_id must", "Attribute key_secret must",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, "")
			if name == "resources" {
				test.config = env.ProviderBlock() + test.config
			}
			tf.WriteFile("main.tf", acctest.Requirement+test.config)
			out := tf.Fails("plan")
			acctest.Contains(t, out, test.says...)
			acctest.Lacks(t, withoutPaths(out), "4711", "47.11", "47.1.1", "hunter")
		})
	}
}

// Warnings show what the API has, not what is configured.
func TestSensitiveValuesInWarnings(t *testing.T) {
	t.Parallel()
	tf := newEnv(t).CLI(t, sensitive(`resource "dbplatform_pipe_settings" "a"`, pipeIDLines, map[string]string{
		"db_max_threads": "47", "db_parallel_view_processing": "true",
	})+sensitive(`resource "dbplatform_service" "a"`, serviceIDLine, map[string]string{
		"name": `"hunter4711"`, "ip_access_list": `{ "10.47.11.5/16" = "hunter4711", "hunter.4711" = "" }`,
	})+sensitive(`resource "dbplatform_api_key" "a"`, keyIDLine, map[string]string{
		"expire_at": `"2004-07-11T04:07:11Z"`, "roles": `["query_endpoints"]`,
	}))
	out := tf.Must("plan")
	acctest.Contains(t, out,
		"Adopting pipe settings …1111: db_max_threads (was 8), db_parallel_view_processing (was false)",
		`name (was "Orders")`, "1 added", "Range is wider than its address: service …1111", "Not an IP address: service …1111",
		"Expiry in the past", `expire_at (was "2031-01-01T00:00:00Z")`)
	acctest.Lacks(t, withoutPaths(out), "47", "true", "10.47", "hunter", "2004", "query_endpoints")
}

// A refresh that finds nothing but another used_at is no drift, nor is the
// first refresh after an adoption. For resources with numbers, Terraform 1.11
// itself takes every refresh for drift.
func TestUsedAtIsNoDrift(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{UsedAtMoves: true}))
	tf := env.CLI(t, keyConfig(mockapi.APIKeyID, `name = "Used"`))
	tf.Apply()
	before := tf.Attributes("dbplatform_api_key")["used_at"]
	for range 2 {
		out, code := tf.Run("plan", "-refresh-only", "-detailed-exitcode")
		if code != 0 {
			t.Errorf("the refresh ended with %d:\n%s", code, out)
		}
	}
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Drifted" })
	acctest.Contains(t, tf.Must("plan", "-refresh-only"), "have changed outside of", `"Used" -> "Drifted"`)
	tf.Apply()
	if after := tf.Attributes("dbplatform_api_key")["used_at"]; before == nil || after == before {
		t.Errorf("used_at stays %v with another change", after)
	}
	tf.ExpectNoChanges()
}
