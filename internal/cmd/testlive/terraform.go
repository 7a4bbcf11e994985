package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/cmd/internal/tfcli"
)

// A terraform is a CLI with the provider under test, which talks to the API
// through the recorder.
type terraform struct {
	path, version string
	env           []string
}

func newTerraform(ctx context.Context, s *settings, r *recorder) (*terraform, error) {
	path, notFound := tfcli.Find(s.terraform)
	provider, isOdd := filepath.Abs(s.provider)
	configuration, err := filepath.Abs(filepath.Join(s.folder, "cli.tfrc"))
	if err := errors.Join(notFound, isOdd, err); err != nil {
		return nil, err
	}
	if built, _ := filepath.Glob(filepath.Join(provider, "terraform-provider-dbplatform*")); len(built) == 0 {
		return nil, fmt.Errorf("there is no provider in %s: run make build", provider)
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dbplatform/dbplatform\" = %q\n  }\n  direct {}\n}\n", provider)
	if err := os.WriteFile(configuration, []byte(text), 0o600); err != nil {
		return nil, err
	}
	variables := map[string]string{}
	for _, variable := range os.Environ() { // settings of the provider
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "DBPLATFORM_") && value != "" {
			variables[name] = value
		}
	}
	variables["DBPLATFORM_BASE_URL"] = r.url
	variables["DBPLATFORM_READ_METHOD"] = "PATCH"
	variables["DBPLATFORM_UNREADABLE_OBJECTS"] = "error"
	t := &terraform{path: path, env: tfcli.Environment(configuration, variables)}
	t.version, err = tfcli.Version(ctx, path, s.folder, t.env)
	return t, err
}

// run runs a command. Another exit code than 0 is an error with the output.
func (t *terraform) run(ctx context.Context, folder string, args ...string) error {
	output, code, err := tfcli.Run(ctx, folder, t.env, t.path, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s %s ended with exit code %d:\n%s", filepath.Base(t.path), args[0], code, strings.TrimSpace(output))
	}
	return err
}

// apply and planIsEmpty wait for the lock of a command whose program was killed.
func (t *terraform) apply(ctx context.Context, folder string) error {
	return t.run(ctx, folder, "apply", "-auto-approve", "-lock-timeout=5m")
}

func (t *terraform) planIsEmpty(ctx context.Context, folder string) error {
	return t.run(ctx, folder, "plan", "-detailed-exitcode", "-lock-timeout=5m")
}

// writeConfiguration writes a configuration with a provider block.
func writeConfiguration(folder string, blocks map[string]any) error {
	all := map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{"dbplatform": map[string]any{"source": "dbplatform/dbplatform"}}},
		"provider":  map[string]any{"dbplatform": map[string]any{}},
	}
	maps.Copy(all, blocks)
	return errors.Join(os.MkdirAll(folder, 0o700), writeJSON(filepath.Join(folder, "main.tf.json"), all))
}

// writeJSON replaces a file as a whole.
func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if strings.HasSuffix(path, ".tf.json") { // no text is a template
		text = []byte(strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(text)))
	}
	return errors.Join(err, os.WriteFile(path+".new", text, 0o600), os.Rename(path+".new", path))
}

// readJSON reads a file with numbers as they are written.
func readJSON(path string, into any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.UseNumber()
	return decoder.Decode(into)
}

// attributesOf reads the attributes of the one resource in a state.
func attributesOf(path string) (map[string]any, error) {
	var state struct {
		Resources []struct {
			Instances []struct{ Attributes map[string]any }
		}
	}
	if err := readJSON(path, &state); err != nil {
		return nil, err
	}
	if len(state.Resources) != 1 || len(state.Resources[0].Instances) != 1 {
		return nil, fmt.Errorf("%s does not have one resource", path)
	}
	attributes := state.Resources[0].Instances[0].Attributes
	delete(attributes, "used_at") // moves by itself, as does the next
	delete(attributes, "updated_at")
	return attributes, nil
}

var argument = regexp.MustCompile(`(?m)^ {2}(\w+) += (.*)$`)

// generated names the attributes that a generated configuration sets.
func generated(folder string) map[string]bool {
	text, _ := os.ReadFile(filepath.Join(folder, "generated.tf"))
	names := map[string]bool{}
	for _, line := range argument.FindAllStringSubmatch(string(text), -1) {
		names[line[1]] = line[2] != "null"
	}
	return names
}
