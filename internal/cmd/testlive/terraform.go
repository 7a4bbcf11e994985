package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/cmd/internal/tfcli"
)

// A terraform is a CLI with the provider under test, which talks to the API
// through the proxy.
type terraform struct {
	path, version string
	folder        string // with one folder for each state
	env           []string
}

func newTerraform(ctx context.Context, s *settings, folder, baseURL, readMethod string) (*terraform, error) {
	path, err := tfcli.Find(s.terraform)
	if err != nil {
		return nil, err
	}
	provider, err := filepath.Abs(s.provider)
	if err != nil {
		return nil, err
	}
	configuration := filepath.Join(folder, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dbplatform/dbplatform\" = %q\n  }\n  direct {}\n}\n", provider)
	if err := os.WriteFile(configuration, []byte(text), 0o600); err != nil {
		return nil, err
	}
	t := &terraform{path: path, folder: folder, env: tfcli.Environment(configuration, map[string]string{
		"DBPLATFORM_BASE_URL":        baseURL,
		"DBPLATFORM_ORGANIZATION_ID": s.organizationID,
		"DBPLATFORM_KEY_ID":          s.keyID,
		"DBPLATFORM_KEY_SECRET":      s.keySecret,
		"DBPLATFORM_READ_METHOD":     readMethod,
	})}
	t.version, err = tfcli.Version(ctx, path, folder, t.env)
	return t, err
}

// write makes a configuration the only one of a state.
func (t *terraform) write(state string, blocks map[string]any) error {
	folder := filepath.Join(t.folder, state)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	all := map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{"dbplatform": map[string]any{"source": "dbplatform/dbplatform"}}},
		"provider":  map[string]any{"dbplatform": map[string]any{}},
	}
	maps.Copy(all, blocks)
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "main.tf.json"), text, 0o600)
}

// run runs a command. Another exit code than 0 is an error with the output.
func (t *terraform) run(ctx context.Context, state string, args ...string) error {
	output, code, err := tfcli.Run(ctx, filepath.Join(t.folder, state), t.env, t.path, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s %s ended with exit code %d:\n%s", filepath.Base(t.path), strings.Join(args, " "), code, strings.TrimSpace(output))
	}
	return err
}

// cannotGenerate is why this CLI does not generate configuration for an import.
func (t *terraform) cannotGenerate() string {
	var minor, patch int
	name, version, _ := strings.Cut(t.version, " v")
	if _, err := fmt.Sscanf(version, "1.%d.%d", &minor, &patch); err != nil {
		return ""
	}
	const thousand = 1000
	switch number := minor*thousand + patch; {
	case name == "OpenTofu" && number < 11*thousand+2:
		return "OpenTofu before 1.11.2 crashes when it generates its configuration"
	case name == "Terraform" && number >= 16*thousand && number <= 16*thousand+2:
		return "Terraform 1.16.0 to 1.16.2 cannot generate its configuration (hashicorp/terraform#39144)"
	}
	return ""
}

// literal keeps Terraform from reading a text as a template.
func literal(text string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(text)
}

// configured is a value as a configuration has it.
func configured(a attribute, value any) any {
	switch value := value.(type) {
	case nil:
		return "" // an expiry: never
	case string:
		if a.sources != nil || strings.HasPrefix(a.resource, "pipe_") {
			return unquoted(value)
		}
		return literal(value)
	case []string:
		quoted := make([]string, len(value))
		for i, text := range value {
			quoted[i] = literal(text)
		}
		return quoted
	case []entry:
		list := map[string]string{}
		for _, e := range value {
			list[literal(e.Source)] = literal(e.Description)
		}
		return list
	case []any:
		if list, ok := entries(value); ok && a.name == "ipAccessList" {
			return configured(a, list)
		}
		return configured(a, texts(value))
	}
	return value
}

// snake is the attribute of an API's member.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteRune('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
