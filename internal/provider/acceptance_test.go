package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// TestMain gives the tests surroundings of their own: no CLI configuration,
// no log and no provider setting from outside gets in.
func TestMain(m *testing.M) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "DBPLATFORM_") || strings.HasPrefix(name, "TF_LOG") ||
			name == "TF_DATA_DIR" || name == "TF_WORKSPACE" || strings.HasPrefix(name, "TF_CLI_ARGS") || strings.HasPrefix(name, "TF_VAR_") {
			_ = os.Unsetenv(name)
		}
	}
	_ = os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull)
	_ = os.Setenv("CHECKPOINT_DISABLE", "1")
	_ = os.Setenv("TF_LOG_SDK", "off")
	_ = os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "dbplatform")
	if os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		for _, name := range []string{"tofu", "terraform"} { // the last one found counts
			if found, err := exec.LookPath(name); err == nil {
				_ = os.Setenv("TF_ACC_TERRAFORM_PATH", found)
			}
		}
	}
	if version, _ := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), "version").Output(); strings.Contains(string(version), "OpenTofu") {
		_ = os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
	scratch, err := os.MkdirTemp("", "dbplatform-test-")
	if err != nil {
		panic(err)
	}
	built = sync.OnceValues(func() (string, error) { return scratch, build(scratch) })
	code := m.Run()
	EndRun()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// built answers the folder that holds the provider as users run it, built
// when the first test asks for it.
var built func() (string, error)

func build(folder string) error {
	out, err := exec.Command("go", "build", "-o", folder+string(filepath.Separator), "github.com/dbplatform/terraform-provider-dbplatform").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// env is what one acceptance test runs against: a mock API of
// its own.
type env struct {
	*mockapi.Server
	url string
}

func newEnv(t *testing.T, options ...mockapi.Option) *env {
	t.Helper()
	server := mockapi.New(options...)
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return &env{Server: server, url: listening.URL}
}

// factories serve the provider with a short consistency timeout.
var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"dbplatform": func() (tfprotov6.ProviderServer, error) {
		return newServer(&dbplatform{version: "test", consistencyTimeout: 3 * time.Second}), nil
	},
}

// run runs the steps of an acceptance test in an environment.
func (w *env) run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	for i := range steps {
		if steps[i].Config != "" {
			steps[i].Config = w.provider() + steps[i].Config
		}
	}
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: steps})
}

// provider is the provider block that reaches the environment.
func (w *env) provider() string {
	return fmt.Sprintf(`
provider "dbplatform" {
  base_url        = %q
  organization_id = %q
  key_id          = %q
  key_secret      = %q
}
`, w.url, mockapi.OrganizationID, mockapi.KeyID, mockapi.KeySecret)
}

// sends checks, after a step, what bodies an operation was sent since the
// requests were last reset. Reads are left out.
func (w *env) sends(operation string, want ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		got := slices.DeleteFunc(w.Sent(operation), func(body string) bool { return body == "{}" })
		if !slices.EqualFunc(got, want, sameJSON) {
			return fmt.Errorf("%s was sent %s, not %s", operation, got, want)
		}
		return nil
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// neverDeleted checks that no DELETE was ever sent.
func (w *env) neverDeleted(t *testing.T) {
	t.Helper()
	for _, request := range w.Requests() {
		if request.Method == http.MethodDelete {
			t.Errorf("DELETE %s was sent", request.Path)
		}
	}
}

// onlyChanges checks that a plan changes these top-level attributes of a
// resource and leaves nothing else to be known after apply.
func onlyChanges(address string, names ...string) plancheck.PlanCheck {
	slices.Sort(names)
	return onlyChangesCheck{address, names}
}

type onlyChangesCheck struct {
	address string
	names   []string
}

func (c onlyChangesCheck) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		if change.Address != c.address {
			continue
		}
		before, _ := change.Change.Before.(map[string]any)
		after, _ := change.Change.After.(map[string]any)
		unknown, _ := change.Change.AfterUnknown.(map[string]any)
		changed := map[string]bool{}
		for name := range before {
			changed[name] = changed[name] || !reflect.DeepEqual(before[name], after[name])
		}
		for name, value := range after {
			changed[name] = changed[name] || !reflect.DeepEqual(before[name], value)
		}
		for name, value := range unknown {
			changed[name] = changed[name] || value == true
		}
		var got []string
		for name, is := range changed {
			if is {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.names) {
			resp.Error = fmt.Errorf("the plan of %s changes %v, not %v", c.address, got, c.names)
		}
		return
	}
	resp.Error = fmt.Errorf("the plan has no %s", c.address)
}

// planning are plan checks before apply.
func planning(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

// settled are plan checks that nothing is left to do after an apply.
func settledPlan(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             checks,
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// emptyPlan is a step that applies a configuration and expects nothing of it.
func emptyPlan(config string) resource.TestStep {
	return resource.TestStep{Config: config, ConfigPlanChecks: planning(plancheck.ExpectEmptyPlan())}
}

// cli is a CLI in a folder of its own, for what the test framework
// does not show: warnings, and the text of a plan.
type cli struct {
	t      *testing.T
	dir    string
	binary string
	env    []string
}

// cli makes a folder for a
// configuration.
func (w *env) cli(t *testing.T, config string) *cli {
	t.Helper()
	folder, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rc := filepath.Join(dir, "cli.tfrc")
	write(t, rc, fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dbplatform/dbplatform\" = %q\n  }\n  direct {}\n}\n", folder))
	tf := &cli{
		t: t, dir: dir, binary: os.Getenv("TF_ACC_TERRAFORM_PATH"),
		env: append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "TF_IN_AUTOMATION=1"),
	}
	tf.configure(`terraform {
  required_providers {
    dbplatform = { source = "dbplatform/dbplatform" }
  }
}
` + w.provider() + config)
	return tf
}

func (tf *cli) configure(config string) {
	tf.t.Helper()
	write(tf.t, filepath.Join(tf.dir, "main.tf"), config)
}

// run runs the CLI and answers all that it printed, and its exit code.
func (tf *cli) run(args ...string) (string, int) {
	tf.t.Helper()
	command := exec.CommandContext(tf.t.Context(), tf.binary, append(args, "-no-color")...)
	command.Dir, command.Env = tf.dir, tf.env
	out, err := command.CombinedOutput()
	if command.ProcessState == nil {
		tf.t.Fatalf("%s: %v", tf.binary, err)
	}
	text := string(out)
	for _, blame := range []string{"inconsistent result", "inconsistent final plan", "bug in the provider", "panic:"} {
		if strings.Contains(text, blame) {
			tf.t.Errorf("terraform %v printed %q:\n%s", args, blame, text)
		}
	}
	return text, command.ProcessState.ExitCode()
}

// must is run for what has to succeed.
func (tf *cli) must(args ...string) string {
	tf.t.Helper()
	out, code := tf.run(args...)
	if code != 0 {
		tf.t.Fatalf("terraform %v ended with %d:\n%s", args, code, out)
	}
	return out
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (tf *cli) isOpenTofu() bool {
	tf.t.Helper()
	return strings.Contains(tf.must("version"), "OpenTofu")
}

// fails is run for what has to fail.
func (tf *cli) fails(args ...string) string {
	tf.t.Helper()
	out, code := tf.run(args...)
	if code == 0 {
		tf.t.Errorf("terraform %v succeeded:\n%s", args, out)
	}
	return out
}
