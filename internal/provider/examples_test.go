package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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
func (w *env) copyOfExamples(t *testing.T, folder string) *cli {
	t.Helper()
	tf := w.cli(t, "")
	root := tf.dir
	tf.dir = filepath.Join(root, folder)
	for _, file := range slices.Concat(filesBelow(t, "examples", ".tf"), filesBelow(t, "examples", testSuffix)) {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, file), content(t, file))
	}
	return tf
}

// example is a CLI in a copy of an example, without its import block, and with
// what it leaves to its user: credentials, variables, where the API is, and the
// blocks that a page of the registry does not repeat.
func (w *env) example(t *testing.T, folder string) *cli {
	t.Helper()
	tf := w.copyOfExamples(t, folder)
	_ = os.Remove(filepath.Join(tf.dir, importBlock)) // few have one
	all := configurationIn(t, folder)
	write(t, filepath.Join(tf.dir, "zz_added.tf"), w.missing(all))
	if regexp.MustCompile(`(?m)^ +base_url +=`).MatchString(all) {
		w.override(t, tf)
	}
	if len(modulesOf(folder, all)) > 0 {
		tf.must("get")
	}
	tf.env = append(tf.env, w.environment()...)
	tf.env = append(tf.env,
		"TF_VAR_dbplatform_key_id="+mockapi.KeyID, "TF_VAR_dbplatform_key_secret="+mockapi.KeySecret,
		"TF_VAR_service_id="+mockapi.ServiceID, "TF_VAR_pipe_id="+mockapi.KafkaPipeID, "TF_VAR_api_key_id="+mockapi.APIKeyID)
	return tf
}

// override has a configuration ask the environment, whatever API its provider block
// names.
func (w *env) override(t *testing.T, tf *cli) {
	t.Helper()
	write(t, filepath.Join(tf.dir, "zz_override.tf"), fmt.Sprintf("provider \"dbplatform\" {\n  base_url = %q\n}\n", w.url))
}

// environment is what a provider block without attributes needs to reach the
// environment.
func (w *env) environment() []string {
	return []string{
		envBaseURL + "=" + w.url, envOrganizationID + "=" + mockapi.OrganizationID,
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
func (w *env) missing(config string) string {
	var blocks string
	if !strings.Contains(config, "required_providers") {
		blocks += requirement
	}
	if !declares(config, "provider", "dbplatform") {
		blocks += w.provider()
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
func (tf *cli) settles() (applied string) {
	tf.t.Helper()
	applied = tf.must("apply", "-auto-approve")
	for _, warning := range regexp.MustCompile(`Warning: (.*)`).FindAllStringSubmatch(applied, -1) {
		if !regexp.MustCompile(`^(Provider development overrides|Adopting|Expiry in the past|Check block assertion failed)`).MatchString(warning[1]) {
			tf.t.Errorf("the example is warned of: %s\n%s", warning[1], applied)
		}
	}
	if out, code := tf.run("plan", "-detailed-exitcode"); code != 0 {
		tf.t.Errorf("the plan after the apply ended with %d:\n%s", code, out)
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
			w := newEnv(t)
			tf := w.example(t, folder)
			tf.settles()
			if len(w.Requests()) == 0 {
				t.Error("nothing was asked of the API")
			}
			tf.must("destroy", "-auto-approve")
			w.neverDeleted(t)
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
			w := newEnv(t)
			tf := w.example(t, filepath.Dir(file))
			command := regexp.MustCompile(`(?m)^terraform import (\S+) (\S+)$`).FindStringSubmatch(content(t, file))
			if command == nil {
				t.Fatalf("%s has no command", file)
			}
			tf.must("import", command[1], command[2])
			for _, request := range w.Requests() {
				if body := string(request.Body); body != "" && body != "{}" {
					t.Errorf("importing sent %s %s", request.Operation, body)
				}
			}
			saysNothingOf(t, tf.settles(), command[1]+": Creating")
		})
	}
	for _, file := range filesBelow(t, "examples", importBlock) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			tf := w.example(t, filepath.Dir(file))
			write(t, filepath.Join(tf.dir, importBlock), content(t, file))
			says(t, tf.settles(), "Resources: 1 imported")
		})
	}
}

// Whatever the provider has, an example and a page show.
func TestExamplesAreComplete(t *testing.T) {
	t.Parallel()
	server, err := factories["dbplatform"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
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

// knowsIdentity tells whether the CLI can import by identity: from 1.12 on,
// Terraform as well as OpenTofu.
func (tf *cli) knowsIdentity() bool {
	tf.t.Helper()
	return tf.isAtLeast(12)
}

// isAtLeast tells whether the CLI is of version 1.minor or newer.
func (tf *cli) isAtLeast(minor int) bool {
	tf.t.Helper()
	var version struct {
		Text string `json:"terraform_version"`
	}
	out := tf.must("version", "-json")
	if err := json.NewDecoder(bytes.NewBufferString(out)).Decode(&version); err != nil {
		tf.t.Fatalf("%v in:\n%s", err, out)
	}
	var major, is int
	if _, err := fmt.Sscanf(version.Text, "%d.%d", &major, &is); err != nil {
		tf.t.Fatal(err)
	}
	return major > 1 || is >= minor
}
