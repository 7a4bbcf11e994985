package provider

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

// testSuffix is how the names of files end that `terraform test` runs.
const testSuffix = ".tftest.hcl"

// isMocked tells whether a test of a module is one without an API.
func isMocked(test string) bool {
	return strings.Contains(test, "\nmock_provider \"dbplatform\"")
}

// Every test of a module passes: those that mock the provider without an API
// and without credentials, the others against the mock API. And every run block
// of them is run.
func TestModules(t *testing.T) {
	t.Parallel()
	for _, file := range filesBelow(t, "examples", testSuffix) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := copyOfExamples(t, env, filepath.Dir(filepath.Dir(file)))
			if !tf.IsAtLeast(8) {
				t.Skip("the CLI does not know mock_provider: Terraform does from 1.7 on, OpenTofu from 1.8 on")
			}
			test := content(t, file)
			if !isMocked(test) {
				tf.Setenv(environment(env)...)
			}
			tf.Must("get")
			out := tf.Must("test", "-filter="+filepath.Join("tests", filepath.Base(file)))

			acctest.Contains(t, out, fmt.Sprintf("Success! %d passed, 0 failed.", strings.Count("\n"+test, "\nrun \"")))
			if asked := len(env.Requests()) > 0; asked == isMocked(test) {
				t.Errorf("the API was asked: %v", asked)
			}
			env.ExpectNoDeletes(t)
		})
	}
}

// Every module has a test of either kind.
func TestModulesHaveTests(t *testing.T) {
	t.Parallel()
	tests := filesBelow(t, "examples", testSuffix)
	for _, file := range filesBelow(t, "examples/modules", "main.tf") {
		module := filepath.Dir(file)
		for mocked, kind := range map[bool]string{true: "without an API", false: "against the API"} {
			if !slices.ContainsFunc(tests, func(test string) bool {
				return filepath.Dir(filepath.Dir(test)) == module && isMocked(content(t, test)) == mocked
			}) {
				t.Errorf("%s has no test %s", module, kind)
			}
		}
	}
}
