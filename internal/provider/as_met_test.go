package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// These tests are about behavior of APIs that openapi.yaml neither promises nor
// rules out, and that public clients of similar APIs report.

const unreadableSummary = "Unreadable value in an API response"

// countWarnings counts the warnings with a summary and returns their details.
func countWarnings(warnings []acctest.Diagnostic, summary string) (n int, details string) {
	var found []string
	for _, d := range warnings {
		if d.Summary == summary {
			found = append(found, d.Detail)
		}
	}
	return len(found), strings.Join(found, "\n")
}

// A scaling in Kubernetes quantities costs CPU and memory, not the pipe: there
// is a warning only if the configuration sets them, and an error only if it
// changes them.
func TestScalingInQuantities(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{ScalingQuantities: true}))
	others := settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 16") + anyPipe
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 4")+others)
	if n, details := countWarnings(tf.Warnings("plan"), unreadableSummary); n != 0 {
		t.Errorf("%d warnings about members that nobody manages:\n%s", n, details)
	}
	tf.Apply()
	env.ExpectWrites(t, "scalePipe", `{"replicas":4}`)
	tf.ExpectNoChanges()

	both := scalingConfig(mockapi.KafkaPipeID, "replica_cpu_millicores = 500\n  replica_memory_gb = 2") + others
	tf.Configure(both)
	if n, details := countWarnings(tf.Warnings("plan"), unreadableSummary); n != 1 || !strings.Contains(details, "replica_cpu_millicores, replica_memory_gb") {
		t.Errorf("%d warnings about one object:\n%s", n, details)
	}
	out := tf.ApplyFails()
	acctest.Contains(t, out, "Change not confirmed by the API", "replica_cpu_millicores", "in a form that is not documented")

	env.SetVariants(mockapi.Variants{})
	tf.Apply()
	env.SetVariants(mockapi.Variants{ScalingQuantities: true})
	tf.ExpectNoChanges()
	if n, _ := countWarnings(tf.Warnings("plan"), unreadableSummary); n != 1 {
		t.Errorf("%d warnings about what can no longer be read", n)
	}
}

// settingsOf is a hook under which a pipe has these settings, whatever their
// types, and a PUT replaces them. Its id is a number.
func settingsOf(settings *string) acctest.Hook {
	var mu sync.Mutex
	return func(w http.ResponseWriter, c acctest.Call) bool {
		mu.Lock()
		defer mu.Unlock()
		switch c.Operation {
		case "updatePipeSettings":
			c.Pass(discard{}) // for the record
			*settings = c.Body
			_, _ = fmt.Fprintf(w, `{"status":200,"result":%s}`, c.Body)
		case "getPipe":
			recorded := c.Record()
			var envelope map[string]any
			_ = json.Unmarshal(recorded.Body.Bytes(), &envelope)
			result := envelope["result"].(map[string]any)
			result["id"], result["settings"] = 7, json.RawMessage(*settings)
			body, _ := json.Marshal(envelope)
			acctest.Respond(w, recorded, body)
		default:
			return false
		}
		return true
	}
}

// discard is a response that nobody gets.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// A settings PUT sends back as it came what cannot be read. A number in quotes
// and a whole fraction are that number.
func TestSettingsOfOtherTypes(t *testing.T) {
	t.Parallel()
	settings := `{"db_max_threads":"8","db_max_insert_threads":2.0,"db_max_download_threads":"4 threads","streaming_max_insert_wait_ms":5000.5}`
	env := newHookedEnv(t, settingsOf(&settings))
	tf := env.CLI(t, settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 8\n  db_max_insert_threads = 3")+
		scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	if n, details := countWarnings(tf.Warnings("plan"), unreadableSummary); n != 0 {
		t.Errorf("%d warnings about members that nobody manages:\n%s", n, details)
	}
	tf.Apply()
	env.ExpectWrites(t, "updatePipeSettings",
		`{"db_max_threads":8,"db_max_insert_threads":3,"db_max_download_threads":"4 threads","streaming_max_insert_wait_ms":5000.5}`)
	tf.ExpectNoChanges()
}

// A bad member of one backup costs neither the list nor the latest one. What
// has failed is not the latest.
func TestBackupsAsMet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants mockapi.Variants
		size     string
	}{
		"fractions":       {mockapi.Variants{BackupNumbers: mockapi.BackupHalf}, "null"},
		"whole fractions": {mockapi.Variants{BackupNumbers: mockapi.BackupDecimal}, "751619276"},
		"quoted":          {mockapi.Variants{Numbers: mockapi.Quoted}, "751619276"},
		"status":          {mockapi.Variants{BackupStatus: true}, "751619276"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, mockapi.WithVariants(test.variants))
			tf := env.CLI(t, fmt.Sprintf(`
data "dbplatform_backups" "this" { service_id = %q }
output "it" {
  value = [
    data.dbplatform_backups.this.latest.backup_name, data.dbplatform_backups.this.latest.finished_at,
    data.dbplatform_backups.this.latest.size_in_bytes, length(data.dbplatform_backups.this.backups) >= 4,
  ]
}
`, mockapi.ServiceID))
			expectOutput(t, tf, `["backup-3","2025-07-03T01:25:30Z",`+test.size+`,true]`)
		})
	}
}

// A settings PUT that the API refuses because of what it shows itself is sent
// once more without that.
func TestSettingsThatAPutRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants mockapi.Variants
		without  func(setting string) bool
	}{
		"another kind": {mockapi.Variants{RefuseForeignSettings: true}, func(s string) bool { return strings.HasPrefix(s, "object_storage_") }},
		"unknown":      {mockapi.Variants{RefuseExtraSetting: true}, func(s string) bool { return s == "db_future_setting" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, mockapi.WithVariants(test.variants))
			before := env.Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(mockapi.Object)
			tf := env.CLI(t, settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 16"))
			tf.Apply()
			sent := env.Sent("updatePipeSettings")
			if len(sent) != 2 {
				t.Fatalf("%d PUTs: %s", len(sent), sent)
			}
			var first, second map[string]any
			if json.Unmarshal([]byte(sent[0]), &first) != nil || json.Unmarshal([]byte(sent[1]), &second) != nil {
				t.Fatalf("no JSON: %s", sent)
			}
			for setting := range first {
				// What belongs to other kinds may be left out along with what is named.
				foreign := strings.HasPrefix(setting, "object_storage_")
				if _, again := second[setting]; again == (test.without(setting) || foreign) {
					t.Errorf("%s is sent again: %v", setting, again)
				}
			}
			after := env.Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(mockapi.Object)
			for setting, value := range before {
				if setting != "db_max_threads" && !test.without(setting) && !strings.HasPrefix(setting, "object_storage_") && after[setting] != value {
					t.Errorf("%s went from %v to %v", setting, value, after[setting])
				}
			}
			tf.ExpectNoChanges()
		})
	}
}

// A pipe may have no settings operation: the ids are right then.
func TestSettingsThatAPipeDoesNotHave(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, mockapi.WithVariants(mockapi.Variants{PostgresSettings: status}))
			tf := env.CLI(t, settingsConfig(mockapi.PostgresPipeID, "db_max_threads = 16\n  object_storage_max_file_count = 50"))
			acctest.Contains(t, tf.Must("plan"), "Attribute does not apply to the source of the pipe",
				"reads from Postgres; object_storage_max_file_count applies only to object storage sources")
			out := tf.ApplyFails()
			acctest.Contains(t, out, fmt.Sprintf("HTTP %d", status), "The object exists", "does not offer this operation for objects of its kind")
			acctest.Lacks(t, out, "Check the id", "base_url")
			tf.Configure("")
			tf.ExpectNoChanges()
		})
	}
}

// The error about roles that do not change says why that may be.
func TestFrozenRoles(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{FrozenRoles: true}))
	env.Run(t,
		resource.TestStep{
			Config:      keyConfig(mockapi.APIKeyID, `roles = ["query_endpoints"]`),
			ExpectError: regexp.MustCompile(`(?s)Change not confirmed by the API.*still\s+returns.*"admin".*custom\s+roles\s+may\s+freeze\s+the\s+roles`),
			Check:       env.Sends("updateKey", `{"roles":["query_endpoints"]}`),
		},
		resource.TestStep{Config: keyConfig(mockapi.APIKeyID, `name = "Named"`)},
		acctest.EmptyPlan(keyConfig(mockapi.APIKeyID, `name = "Named"`)),
	)
}

// Where an existing address is refused, the error says how to change its
// description, and the address is never removed for that alone.
func TestDescriptionThatIsRefused(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{AddExisting: mockapi.RefuseBadRequest}))
	list := func(entries string) string { return serviceConfig(mockapi.ServiceID, "ip_access_list = {"+entries+"}") }
	tf := env.CLI(t, list(`"10.0.0.0/8" = "private network", "192.0.2.7" = "new office"`))
	out := tf.ApplyFails()
	acctest.Contains(t, out, "HTTP 400", "change a description in two applies")
	if got := env.AccessList(mockapi.Service, mockapi.ServiceID)["192.0.2.7"]; got != "office" {
		t.Errorf("the description is %q", got)
	}
	env.ExpectWrites(t, "updateService", `{"ipAccessList":{"add":[{"source":"192.0.2.7","description":"new office"}]}}`)
	for _, entries := range []string{`"10.0.0.0/8" = "private network"`, `"10.0.0.0/8" = "private network", "192.0.2.7" = "new office"`} {
		tf.Configure(list(entries))
		tf.Apply()
	}
	tf.ExpectNoChanges()
}
