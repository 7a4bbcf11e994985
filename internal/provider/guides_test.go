package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// The guide's expiry that follows the clock never lets a key expire before an apply can
// extend it again, and the numbers in the guide are right. It moves on the first day of a month, as the guide to CI
// assumes: drift jobs report it until an apply.
func TestRotatingExpiriesInTheGuide(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	page := content(t, "docs/guides/api-keys.md")
	acctest.Contains(t, page, "valid for 59 to 90 more days")
	var nows []time.Time // the last second of every day of four years
	var list []string
	for now := time.Date(2027, 1, 1, 23, 59, 59, 0, time.UTC); now.Year() < 2031; now = now.Add(day) {
		nows = append(nows, now)
		list = append(list, fmt.Sprintf("%q", now.Format(time.RFC3339)))
	}
	expression := regexp.MustCompile(`(?m)^ +expire_at = (timeadd\(.*)$`).FindStringSubmatch(page)[1]
	tf := newEnv(t).CLI(t, fmt.Sprintf("output \"expiries\" {\n  value = [for now in [%s] : %s]\n}\n",
		strings.Join(list, ", "), strings.ReplaceAll(expression, "plantimestamp()", "now")))
	tf.Apply()
	var expiries []string
	if err := json.Unmarshal([]byte(tf.Must("output", "-json", "expiries")), &expiries); err != nil {
		t.Fatal(err)
	}
	for i, text := range expiries {
		expiry, err := time.Parse(time.RFC3339, text)
		if left := expiry.Sub(nows[i]); err != nil || left < 59*day || left > 90*day {
			t.Errorf("at %s, the key is valid for %s (%v)", nows[i], left, err)
		}
		if isNew := i > 0 && text != expiries[i-1]; i > 0 && isNew != (nows[i].Day() == 1) {
			t.Errorf("at %s, a new value: %t", nows[i], isNew)
		}
	}
}

// runScript runs a script of a guide in the folder of a CLI, which is its terraform, but
// without init. It skips the rest of the test on Windows, which has no shell for it.
func runScript(t *testing.T, tf *acctest.CLI, script string, variables ...string) (out string, code int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	tf.WriteFile("bin/terraform", "#!/bin/sh\n[ \"$1\" = init ] || exec '"+os.Getenv("TF_ACC_TERRAFORM_PATH")+"' \"$@\"\n")
	if err := os.Chmod(filepath.Join(tf.Dir, "bin", "terraform"), 0o700); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-ec", script)
	shell.Dir, shell.Env = tf.Dir, slices.Concat(tf.Command().Env, []string{"PATH=" + tf.Dir + "/bin:" + os.Getenv("PATH")}, variables)
	text, _ := shell.CombinedOutput()
	return string(text), shell.ProcessState.ExitCode()
}

// The first steps lead to an empty plan, and change nothing.
func TestFirstStepsInTheGuide(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/getting-started.md"
	env := newEnv(t)
	tf := env.CLI(t, "")
	tf.WriteFile("main.tf", blocksWith(t, guide, "terraform", "import {", 1)[0])
	tf.Setenv(environment(env)...)
	commands := blocksWith(t, guide, "shell", "terraform ", 2)
	out, code := runScript(t, tf, commands[0])
	if code != 0 {
		t.Fatal(out)
	}
	acctest.Contains(t, out, "1 to import, 0 to add, 0 to change, 0 to destroy")
	out, code = runScript(t, tf, strings.Replace(commands[1], "terraform apply", "terraform apply -auto-approve", 1))
	if code != 0 {
		t.Fatal(out)
	}
	acctest.Contains(t, out, "1 imported, 0 added, 0 changed, 0 destroyed", "No changes.")
	env.ExpectOnlyReads(t)
}

// What the guide's other person changes is drift.
func TestOtherPersonInTheGuide(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	script := blocksWith(t, "docs/guides/mock-api-and-tests.md", "shell", "change()", 1)[0]
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 4")+settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 5")+
		serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "private network", "192.0.2.7" = "office" }`)+
		keyConfig(mockapi.OtherAPIKeyID, "expire_at = \"never\"\n  roles = [\"query_endpoints\"]"))
	tf.Apply()
	if out, code := runScript(t, tf, strings.ReplaceAll(script, "http://127.0.0.1:8080", env.URL)); code != 0 {
		t.Fatal(out)
	}
	acctest.Contains(t, tf.Must("plan"), "Plan: 0 to add, 4 to change, 0 to destroy.",
		"replicas = 2 -> 4", "db_max_threads = 16 -> 5", `- "203.0.113.9" = "" -> null`, `expire_at = "2028-01-01T00:00:00Z" -> "never"`)
}

// The guide's example imports the scaling and settings of all pipes in a file. It
// also takes over single resources, which the guide's script imports, with moved
// blocks in place of the import blocks. Nothing is sent either way.
func TestManyObjectsInTheGuide(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/adopting-existing-objects.md"
	file := blocksWith(t, guide, "text", "name,pipe_id", 1)[0]
	many := blocksWith(t, guide, "terraform", `file("pipes.csv")`, 1)[0]
	script := blocksWith(t, guide, "shell", "pipes.csv", 1)[0]
	move := blocksWith(t, guide, "terraform", `pipes["events"]`, 1)[0]
	start := func(config string) (*acctest.Env, *acctest.CLI) {
		env := newEnv(t)
		tf := env.CLI(t, config)
		tf.WriteFile("pipes.csv", file)
		return env, tf
	}

	env, tf := start(many)
	acctest.Contains(t, tf.Apply(), "6 imported, 0 added, 0 changed, 0 destroyed", "Warning: Nothing to manage: pipe scaling …4444")
	env.ExpectOnlyReads(t)

	// As Excel may write the file: a byte order mark, quotes, an empty row.
	csv := file
	file = "\ufeff" + strings.NewReplacer("events", `"events"`, "\n", "\r\n").Replace(csv) + ",,,,,\r\n"
	_, tf = start(many)
	acctest.Contains(t, tf.Must("plan"), "Plan: 6 to import, 0 to add, 0 to change, 0 to destroy.")

	// A pipe that is listed twice, under two names.
	file = csv + "again,22222222-2222-4222-8222-111111111111,3,,,\n"
	env, tf = start(many)
	out, code := tf.Run("plan")
	if code != 1 || len(env.Requests()) > 0 {
		t.Errorf("%d, %d requests", code, len(env.Requests()))
	}
	acctest.Contains(t, out, "Duplicate object key", `"22222222-2222-4222-8222-111111111111"`)
	file = csv

	var moved, single strings.Builder
	for _, row := range regexp.MustCompile(`(?m)^(\w+),([0-9a-f-]{36}),`).FindAllStringSubmatch(file, -1) {
		for _, kind := range []string{"pipe_scaling", "pipe_settings"} {
			single.WriteString(strings.Replace(pipeConfig(kind, row[2], ""), `"this"`, strconv.Quote(row[1]), 1))
			moved.WriteString(strings.NewReplacer("pipe_scaling", kind, "events", row[1]).Replace(move))
		}
	}
	env, tf = start(single.String())
	if out, code := runScript(t, tf, script); code != 0 {
		t.Fatal(out)
	}
	acctest.Contains(t, tf.Apply(), "6 imported, 0 added, 0 changed, 0 destroyed")
	tf.WriteFile("imports.tf", "")
	tf.Configure(regexp.MustCompile(`(?s)import \{.*?\n\}\n`).ReplaceAllString(many, "") + moved.String())
	acctest.Contains(t, tf.Apply(), "0 added, 0 changed, 0 destroyed")
	env.ExpectOnlyReads(t)
}

// The guide's import of a service that others use: the plan shows which of their entries
// the apply would remove, also a saved one.
func TestSharedServiceInTheGuide(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/adopting-existing-objects.md"
	env := newEnv(t)
	tf := env.CLI(t, blocksWith(t, guide, "terraform", "dbplatform_service.orders", 1)[0])
	tf.Must("plan", "-out=tfplan")
	saved := tf.Must("show", "tfplan")
	for line := range strings.Lines(blocksWith(t, guide, "text", "private network", 1)[0]) {
		acctest.Contains(t, saved, acctest.Flat(line))
	}
	env.ExpectOnlyReads(t)
}

// The guide's way of replacing a key: after the adoption of both keys, the only
// update is the one that disables the old key, and the plan shows it.
func TestGuideToReplacingKeys(t *testing.T) {
	t.Parallel()
	const shown = `state = "enabled" -> "disabled"`
	both := blocksWith(t, "docs/guides/api-keys.md", "terraform", `state          = "enabled"`, 1)[0]
	blocksWith(t, "docs/guides/api-keys.md", "text", shown, 1)
	locals, keys, _ := strings.Cut(both, "resource ")
	old, latest, _ := strings.Cut(keys, "resource ")
	env := newEnv(t)
	tf := env.CLI(t, locals+"resource "+old)
	tf.Apply()
	env.ExpectWrites(t, "updateKey", `{"state":"enabled"}`)
	tf.Configure(both)
	tf.Apply()
	tf.ExpectNoChanges()
	if sent := env.Writes("updateKey"); len(sent) != 2 || strings.Contains(sent[1], "roles") {
		t.Errorf("the new key is sent %s", sent)
	}
	env.ResetRequests()
	tf.Configure(strings.Replace(both, `"enabled"`, `"disabled"`, 1))
	acctest.Contains(t, tf.Apply(), shown)
	env.ExpectWrites(t, "updateKey", `{"state":"disabled"}`)
	if state := env.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "disabled" {
		t.Errorf("the old key is %v", state)
	}
	env.ResetRequests()
	tf.Configure(locals + "resource " + latest)
	acctest.Contains(t, tf.Apply(), "0 added, 0 changed, 1 destroyed")
	env.ExpectOnlyReads(t)
	tf.ExpectNoChanges()
}

const guideToCI = "docs/guides/ci.md"

// The pipelines of the guide to CI plan, apply a saved plan, and find drift. Reviewers see
// the warnings of a plan, which a saved one does not have.
func TestGuideToCI(t *testing.T) {
	t.Parallel()
	for _, pipeline := range blocksWith(t, guideToCI, "yaml", "jobs:", 1) {
		env := newEnv(t)
		tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 4")+keyConfig(mockapi.APIKeyID, `name = "Deployment"`))
		run := func(script string) (out string, code int) {
			return runScript(t, tf, script, "GITHUB_STEP_SUMMARY=summary")
		}
		// A script of several lines ends with a line of its own indentation.
		scripts := regexp.MustCompile(`(?m)^ +(?:- )?(?:run: )?(terraform (?:.*\|\| case (?s:.*?)\besac|.*))$`).FindAllStringSubmatch(pipeline, -1)
		const warning = "Adoption of pipe scaling …1111: replicas (was 2)"
		for _, script := range scripts {
			out, code := run(script[1])
			if code != 0 {
				t.Errorf("%s\nended with %d:\n%s", script[1], code, out)
			}
			switch {
			case strings.Contains(script[1], "SUMMARY"):
				summary, _ := os.ReadFile(filepath.Join(tf.Dir, "summary"))
				acctest.Contains(t, string(summary), warning)
			case strings.Contains(script[1], "-out=tfplan"):
				acctest.Contains(t, out, warning)
				acctest.Lacks(t, tf.Must("show", "tfplan"), "Warning")
			}
		}
		if planned := scripts[1][1]; strings.Contains(planned, "SUMMARY") { // a reviewer sees errors, too
			remove := env.Fail(mockapi.Fault{Operation: "getPipe", Status: http.StatusForbidden})
			run(planned)
			remove()
			summary, _ := os.ReadFile(filepath.Join(tf.Dir, "summary"))
			acctest.Contains(t, string(summary), "Error: Unable to refresh pipe scaling")
		}
		nightly := scripts[len(scripts)-1][1]
		env.ExpectWrites(t, "scalePipe", `{"replicas":4}`)
		env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 3 })
		if out, code := run(nightly); code != 2 || !strings.Contains(out, "1 to change") || !strings.Contains(out, "::error::Drift") {
			t.Errorf("drift: %d\n%s", code, out)
		}
		env.SetVariants(mockapi.Variants{"refuse_empty_patch=405"})
		if out, code := run(nightly); code != 1 || !strings.Contains(out, "::error::The plan failed") {
			t.Errorf("an API that cannot return the key: %d\n%s", code, out)
		}
	}
}

// The guide's saved plan is applied as it was made, by another job.
func TestSavedPlanInTheGuide(t *testing.T) {
	t.Parallel()
	jobs := blocksWith(t, guideToCI, "yaml", "upload-artifact", 1)[0]
	commands := regexp.MustCompile(`run: (terraform .*)`).FindAllStringSubmatch(jobs, -1)
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	for i, command := range commands {
		if i == len(commands)-1 { // what changes after the plan is not part of it
			env.ExpectOnlyReads(t)
			tf.Configure(scalingConfig(mockapi.KafkaPipeID, "replicas = 9"))
		}
		if out, code := runScript(t, tf, command[1]); code != 0 {
			t.Fatal(out)
		}
	}
	env.ExpectWrites(t, "scalePipe", `{"replicas":4}`)
}

// Each job of the guide's two schedules waits for a schedule that there is.
func TestSchedulesInTheGuide(t *testing.T) {
	t.Parallel()
	jobs := blocksWith(t, guideToCI, "yaml", "github.event.schedule", 1)[0]
	conditions := regexp.MustCompile(`github\.event\.schedule == '(.*)'`).FindAllStringSubmatch(jobs, -1)
	if n := strings.Count(jobs, "- cron: "); n != 2 || len(conditions) != 2 {
		t.Errorf("%d schedules, %d conditions", n, len(conditions))
	}
	for _, condition := range conditions {
		acctest.Contains(t, jobs, fmt.Sprintf("- cron: %q", condition[1]))
	}
}

// The guide's command prints one line for each attempt, in whatever order Terraform writes
// the fields.
func TestLogsInTheGuide(t *testing.T) {
	t.Parallel()
	script := blocksWith(t, "docs/guides/retries-limits-and-errors.md", "shell", "awk", 1)[0]
	env := newEnv(t)
	failing := fault(503)
	failing.Times = 1
	env.Fail(failing)
	env.Latency(2 * time.Millisecond) // as no real API is faster: the log would have µs, in quotes
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	out, code := runScript(t, tf, script)
	const path = `GET /v1/\S+/pipes/` + mockapi.KafkaPipeID
	want := regexp.MustCompile(`^` + path + ` 503 \S+s \S*\n` + path + ` 200 \S+s [0-9a-f-]{36}\n$`)
	if code != 0 || !want.MatchString(out) {
		t.Errorf("%d: %s", code, out)
	}
}

// The guide's way from the whole list to the entries of two states, in one apply: nothing is sent, so
// no entry is missing at any time. Afterwards, each state has its own.
func TestEntriesInTheGuide(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/sharing-a-service.md"
	team := blocksWith(t, guide, "terraform", "import {", 1)[0]
	env := newEnv(t)
	one := env.CLI(t, serviceConfig(mockapi.ServiceID, "name = \"Orders\"\n  ip_access_list = { \"10.0.0.0/8\" = \"private network\", \"192.0.2.7\" = \"office\" }"))
	one.Apply()
	env.ResetRequests()
	one.Configure(serviceConfig(mockapi.ServiceID, `ip_access_list = { "192.0.2.7" = "office" }`) + team) // never shorten the list
	if out, code := one.Run("plan"); code == 0 || !strings.Contains(out, "List beside single entries") {
		t.Errorf("%d: %s", code, out)
	}
	withoutList := serviceConfig(mockapi.ServiceID, `name = "Orders"`)
	one.Configure(withoutList + team)
	acctest.Contains(t, one.Apply(), "1 imported, 0 added, 0 changed, 0 destroyed")
	other := env.CLI(t, strings.Replace(team, `"10.0.0.0/8" = "private network"`, `"192.0.2.7" = "office"`, 1))
	acctest.Contains(t, other.Apply(), "1 imported, 0 added, 0 changed, 0 destroyed")
	env.ExpectOnlyReads(t)

	setEntries(env, "10.0.0.0/8 private network", "192.0.2.7 office", "0.0.0.0/0 ")
	other.Must("destroy", "-auto-approve")
	expectEntries(t, env, "0.0.0.0/0 ", "10.0.0.0/8 private network")
	one.ExpectNoChanges()

	// Back to the list: without the removed block, the plan is refused.
	list := serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "private network", "0.0.0.0/0" = "" }`)
	one.Configure(list)
	if out, code := one.Run("plan"); code == 0 || !strings.Contains(out, "List beside single entries") {
		t.Errorf("%d: %s", code, out)
	}
	removed := blocksWith(t, "docs/guides/destroying-resources.md", "terraform", "removed {", 1)[0]
	one.Configure(list + strings.Replace(removed, "dbplatform_pipe_scaling.events", "dbplatform_service_ip_access_entry.team", 1))
	env.ResetRequests()
	one.Apply()
	env.ExpectOnlyReads(t)
	one.ExpectNoChanges()
}

// The guide's way to stop managing one key of a for_each in the configuration alone.
func TestOneInstanceIsKeptInTheGuide(t *testing.T) {
	t.Parallel()
	removed := blocksWith(t, "docs/guides/destroying-resources.md", "terraform", "removed {", 1)[0]
	entries := func(keys string) string {
		return fmt.Sprintf("resource \"dbplatform_service_ip_access_entry\" \"team\" {\n  for_each = toset([%s])\n  service_id = %q\n  source = each.key\n}\n", keys, mockapi.ServiceID)
	}
	env := newEnv(t)
	tf := env.CLI(t, entries(`"203.0.113.7", "203.0.113.8"`))
	tf.Apply()
	env.ResetRequests()
	tf.Configure(entries(`"203.0.113.8"`) + `
moved {
  from = dbplatform_service_ip_access_entry.team["203.0.113.7"]
  to   = dbplatform_service_ip_access_entry.kept
}
` + strings.Replace(removed, "dbplatform_pipe_scaling.events", "dbplatform_service_ip_access_entry.kept", 1))
	tf.Apply()
	tf.Configure(entries(`"203.0.113.8"`))
	tf.ExpectNoChanges()
	env.ExpectOnlyReads(t)
}

// The guide's query, and the same of private endpoints: the generated file imports what
// exists and changes nothing.
func TestQueryInTheGuide(t *testing.T) {
	t.Parallel()
	query := blocksWith(t, "docs/guides/sharing-a-service.md", "terraform", `list "`, 1)[0]
	env := newEnv(t)
	setEntries(env, "10.0.0.0/8 private network", "192.0.2.7 office", "203.0.113.9/32 ", "2001:DB8::1 v6 \"quoted\" ${not} %{a} template")
	tf := queryCLI(t, env, query+strings.Replace(query, entryKind, endpointKind, 1))
	acctest.Contains(t, tf.Must("query"),
		"service_id="+mockapi.ServiceID+",source=10.0.0.0/8 10.0.0.0/8 private network",
		"private_endpoint_id=vpce-0a1b2c3d,service_id="+mockapi.ServiceID+" vpce-0a1b2c3d")
	tf.Must("query", "-generate-config-out=entries.tf")
	acctest.Contains(t, tf.Must("plan"), "Plan: 6 to import, 0 to add, 0 to change, 0 to destroy.")
	acctest.Contains(t, tf.Apply(), "6 imported, 0 added, 0 changed, 0 destroyed")
	tf.ExpectNoChanges()
	env.ExpectOnlyReads(t)
}
