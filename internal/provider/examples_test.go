package provider

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// The files of an example that show an import. All others are its
// configuration.
const (
	importCommand = "import.sh"
	importBlock   = "import-by-string-id.tf"
	testSuffix    = ".tftest.hcl"
)

// copyOfExamples returns a CLI in a copy of a folder of examples/. The folders
// beside it are copied too, because its modules may be there.
func copyOfExamples(t *testing.T, env *acctest.Env, folder string) *acctest.CLI {
	t.Helper()
	tf := env.CLI(t, "")
	callsModules := false
	for _, file := range slices.Concat(filesBelow(t, "examples", ".tf"), filesBelow(t, "examples", testSuffix), filesBelow(t, "examples", ".tfvars")) {
		text := content(t, file)
		tf.WriteFile(file, text)
		callsModules = callsModules || strings.HasPrefix(file, folder+"/") && strings.Contains(text, "module")
	}
	tf.Dir = filepath.Join(tf.Dir, folder)
	if callsModules {
		tf.Must("get")
	}
	return tf
}

// example returns a CLI in a copy of an example without its import block, and
// with what it leaves to its user: credentials, variables, the API's address
// and the blocks that a page of the registry does not repeat.
func example(t *testing.T, env *acctest.Env, folder string) *acctest.CLI {
	t.Helper()
	tf := copyOfExamples(t, env, folder)
	_ = os.Remove(filepath.Join(tf.Dir, importBlock)) // few have one
	var config strings.Builder
	for _, file := range filesBelow(t, folder, ".tf") {
		if !strings.HasSuffix(file, "/"+importBlock) {
			config.WriteString(content(t, file))
		}
	}
	declares := func(block string) bool { return regexp.MustCompile(`(?m)^ *` + block).MatchString(config.String()) }
	missing := ""
	if !declares("required_providers") {
		missing += acctest.Requirement
	}
	if !declares(`provider "dbplatform"`) {
		missing += env.ProviderBlock()
	}
	if !declares("(resource|data|module) ") {
		missing += lookUpPipe(mockapi.KafkaPipeID) // or the provider would not even be configured
	}
	tf.WriteFile("zz_added.tf", missing)
	if declares("base_url +=") {
		tf.WriteFile("zz_override.tf", fmt.Sprintf("provider \"dbplatform\" {\n  base_url = %q\n}\n", env.URL))
	}
	tf.Setenv(environment(env)...)
	tf.Setenv("TF_VAR_dbplatform_key_id="+mockapi.KeyID, "TF_VAR_dbplatform_key_secret="+mockapi.KeySecret,
		"TF_VAR_service_id="+mockapi.ServiceID, "TF_VAR_pipe_id="+mockapi.KafkaPipeID, "TF_VAR_api_key_id="+mockapi.APIKeyID)
	return tf
}

// applyExample applies an example. Nothing is left to change then, and the only
// warnings are of the adoption and of dates that pass.
func applyExample(t *testing.T, tf *acctest.CLI) (out string) {
	t.Helper()
	out = tf.Apply()
	for _, warning := range regexp.MustCompile(`Warning: (.*)`).FindAllStringSubmatch(out, -1) {
		if !regexp.MustCompile(`^(Provider development overrides|Adoption of|Access list is empty|Not confirmed|Check block assertion failed)`).MatchString(warning[1]) {
			t.Errorf("the example has a warning: %s\n%s", warning[1], out)
		}
	}
	tf.ExpectNoChanges()
	return out
}

// Every resource and data source has an example. Every example can be applied and
// destroyed as it is, and applied after its import command or with its import block, all
// with the objects that the mock API starts with.
// A module is applied with the example that calls it.
func TestExamples(t *testing.T) {
	t.Parallel()
	var folders []string
	var all strings.Builder
	for _, file := range filesBelow(t, "examples", "") {
		folders = append(folders, path.Dir(file))
		all.WriteString(content(t, file))
	}
	for name := range underTest.Schemas(t).ResourceSchemas {
		folders = append(folders, "examples/resources/"+name)
	}
	for name := range underTest.Schemas(t).DataSourceSchemas {
		folders = append(folders, "examples/data-sources/"+name)
	}
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		isModule := strings.Contains(all.String(), fmt.Sprintf("source = \"../%s\"", path.Base(folder)))
		if isModule || len(filesBelow(t, folder, ".tf")) == 0 || folder == "examples/modules" {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := example(t, env, folder)
			applyExample(t, tf)
			if len(env.Requests()) == 0 {
				t.Error("nothing was requested")
			}
			tf.Must("destroy", "-auto-approve")
			if !strings.HasPrefix(folder, "examples/resources/") {
				return
			}
			_, command, _ := strings.Cut(content(t, folder+"/"+importCommand), "\nterraform ")
			imported := strings.Fields(command)
			withImport := content(t, folder+"/"+importBlock)
			env = newEnv(t)
			tf = example(t, env, folder)
			tf.WriteFile("zz_imported.tf", regexp.MustCompile(`(?s)import \{.*?\n\}\n`).ReplaceAllString(withImport, ""))
			tf.Must(imported...)
			env.ExpectOnlyReads(t)
			acctest.Lacks(t, applyExample(t, tf), imported[1]+": Creating")

			tf = example(t, newEnv(t), folder)
			tf.WriteFile(importBlock, withImport)
			acctest.Contains(t, applyExample(t, tf), "Resources: 1 imported")
		})
	}
}

// Every test of a module passes: those that mock the provider without an API
// and without credentials, the others against the mock API.
func TestModules(t *testing.T) {
	t.Parallel()
	for _, file := range filesBelow(t, "examples", testSuffix) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := copyOfExamples(t, env, path.Dir(path.Dir(file)))
			test := content(t, file)
			isMocked := strings.Contains(test, "\nmock_provider \"dbplatform\"")
			if !isMocked {
				tf.Setenv(environment(env)...)
			}
			out := tf.Must("test", "-filter="+filepath.Join("tests", path.Base(file)))

			acctest.Contains(t, out, fmt.Sprintf("Success! %d passed, 0 failed.", strings.Count("\n"+test, "\nrun \"")))
			if asked := len(env.Requests()) > 0; asked == isMocked {
				t.Errorf("the API was asked: %v", asked)
			}
		})
	}
}
