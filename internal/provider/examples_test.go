package provider

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// repository is the root of the repository, seen from here.
const repository = "../.."

// The files of an example that show an import. All others are its configuration.
const (
	importCommand = "import.sh"
	importBlock   = "import-by-string-id.tf"
)

// exampleFolders are all folders below examples/ that hold a configuration.
func exampleFolders(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, file := range filesBelow(t, "examples", ".tf") {
		folders = append(folders, filepath.Dir(file))
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// filesBelow are the files of a folder of the repository, however deep, whose
// names end so, as paths from the root of the repository.
func filesBelow(t *testing.T, folder, suffix string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(repository), folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, suffix) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// copyOfExamples is a CLI in a copy of a folder of examples/, with the folders
// beside it, which its modules may be in. It has no credentials.
func copyOfExamples(t *testing.T, env *acctest.Env, folder string) *acctest.CLI {
	t.Helper()
	tf := env.CLI(t, "")
	root := tf.Dir
	tf.Dir = filepath.Join(root, folder)
	for _, file := range slices.Concat(filesBelow(t, "examples", ".tf"), filesBelow(t, "examples", testSuffix)) {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte(content(t, file)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tf
}

// example is a CLI in a copy of an example, without its import block, and with
// what it leaves to its user: credentials, variables, where the API is, and the
// blocks that a page of the registry does not repeat.
func example(t *testing.T, env *acctest.Env, folder string) *acctest.CLI {
	t.Helper()
	tf := copyOfExamples(t, env, folder)
	_ = os.Remove(filepath.Join(tf.Dir, importBlock)) // few have one
	all := configurationIn(t, folder)
	tf.WriteFile("zz_added.tf", missing(env, all))
	if regexp.MustCompile(`(?m)^ +base_url +=`).MatchString(all) {
		override(t, env, tf)
	}
	if len(modulesOf(folder, all)) > 0 {
		tf.Must("get")
	}
	tf.Setenv(environment(env)...)
	tf.Setenv(
		"TF_VAR_dbplatform_key_id="+mockapi.KeyID, "TF_VAR_dbplatform_key_secret="+mockapi.KeySecret,
		"TF_VAR_service_id="+mockapi.ServiceID, "TF_VAR_pipe_id="+mockapi.KafkaPipeID, "TF_VAR_api_key_id="+mockapi.APIKeyID)
	return tf
}

// override has a configuration ask the environment, whatever API its provider block
// names.
func override(t *testing.T, env *acctest.Env, tf *acctest.CLI) {
	t.Helper()
	tf.WriteFile("zz_override.tf", fmt.Sprintf("provider \"dbplatform\" {\n  base_url = %q\n}\n", env.URL))
}

// environment is what a provider block without attributes needs to reach the
// environment.
func environment(env *acctest.Env) []string {
	return []string{
		envBaseURL + "=" + env.URL, envOrganizationID + "=" + mockapi.OrganizationID,
		envKeyID + "=" + mockapi.KeyID, envKeySecret + "=" + mockapi.KeySecret,
	}
}

// configurationIn is the text of an example, without its import block.
func configurationIn(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range filesBelow(t, folder, ".tf") {
		if filepath.Dir(file) == folder && filepath.Base(file) != importBlock {
			all.WriteString(content(t, file))
		}
	}
	return all.String()
}

// modulesOf are the folders whose modules a configuration in a folder calls.
func modulesOf(folder, config string) []string {
	var modules []string
	for _, source := range regexp.MustCompile(`(?m)^\s+source += "(\.[^"]*)"$`).FindAllStringSubmatch(config, -1) {
		modules = append(modules, filepath.Join(folder, source[1]))
	}
	return modules
}

// missing are the blocks that a configuration needs and does not have.
func missing(env *acctest.Env, config string) string {
	var blocks string
	if !strings.Contains(config, "required_providers") {
		blocks += acctest.Requirement
	}
	if !declares(config, "provider", "dbplatform") {
		blocks += env.ProviderBlock()
	}
	if !regexp.MustCompile(`(?m)^(resource|data|module) `).MatchString(config) {
		blocks += anyPipe // or the provider would not even be configured
	}
	return blocks
}

// declares tells whether a configuration has a block of these labels.
func declares(config, block string, labels ...string) bool {
	return strings.Contains("\n"+config, "\n"+block+` "`+strings.Join(labels, `" "`)+`" {`)
}

// settles applies an example, which has to leave nothing to do and to be free
// of warnings, except those that an adoption and the passing of time bring.
func settles(t *testing.T, tf *acctest.CLI) (applied string) {
	t.Helper()
	applied = tf.Apply()
	for _, warning := range regexp.MustCompile(`Warning: (.*)`).FindAllStringSubmatch(applied, -1) {
		if !regexp.MustCompile(`^(Provider development overrides|Adopting|Expiry in the past|Check block assertion failed)`).MatchString(warning[1]) {
			t.Errorf("the example is warned of: %s\n%s", warning[1], applied)
		}
	}
	if out, code := tf.Run("plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the plan after the apply ended with %d:\n%s", code, out)
	}
	return applied
}

// Every example can be applied and destroyed as it is. A module that another
// example calls is applied with that one.
func TestExamples(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, folder := range exampleFolders(t) {
		for _, module := range modulesOf(folder, configurationIn(t, folder)) {
			called[module] = true
		}
	}
	for _, folder := range exampleFolders(t) {
		if called[folder] {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := example(t, env, folder)
			settles(t, tf)
			if len(env.Requests()) == 0 {
				t.Error("nothing was asked of the API")
			}
			tf.Must("destroy", "-auto-approve")
			env.ExpectNoDeletes(t)
		})
	}
}

// Every import that an example shows works with the example's resource, and
// sends nothing.
func TestExampleImports(t *testing.T) {
	t.Parallel()
	for _, file := range filesBelow(t, "examples", importCommand) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := example(t, env, filepath.Dir(file))
			command := regexp.MustCompile(`(?m)^terraform import (\S+) (\S+)$`).FindStringSubmatch(content(t, file))
			if command == nil {
				t.Fatalf("%s has no command", file)
			}
			tf.Must("import", command[1], command[2])
			for _, request := range env.Requests() {
				if body := string(request.Body); body != "" && body != "{}" {
					t.Errorf("importing sent %s %s", request.Operation, body)
				}
			}
			acctest.Lacks(t, settles(t, tf), command[1]+": Creating")
		})
	}
	for _, file := range filesBelow(t, "examples", importBlock) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := example(t, env, filepath.Dir(file))
			tf.WriteFile(importBlock, content(t, file))
			acctest.Contains(t, settles(t, tf), "Resources: 1 imported")
		})
	}
}

// Whatever the provider has, an example and a page show.
func TestExamplesAreComplete(t *testing.T) {
	t.Parallel()
	schemas := underTest.Schemas(t)
	files := []string{"examples/provider/provider.tf", "docs/index.md"}
	for name := range schemas.ResourceSchemas {
		files = append(files, "docs/resources/"+strings.TrimPrefix(name, "dbplatform_")+".md")
		for _, file := range []string{"resource.tf", importCommand, importBlock} {
			files = append(files, "examples/resources/"+name+"/"+file)
		}
	}
	for name := range schemas.DataSourceSchemas {
		files = append(files, "docs/data-sources/"+strings.TrimPrefix(name, "dbplatform_")+".md", "examples/data-sources/"+name+"/data-source.tf")
	}
	for _, file := range files {
		if _, err := os.Stat(filepath.Join(repository, file)); err != nil {
			t.Errorf("there is no %s", file)
		}
	}
}
