package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// writeConfiguration writes a configuration with a provider block.
func writeConfiguration(folder string, blocks map[string]any) error {
	all := map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{"dbplatform": map[string]any{"source": "dbplatform/dbplatform"}}},
		"provider":  map[string]any{"dbplatform": map[string]any{}},
	}
	maps.Copy(all, blocks)
	return errors.Join(os.MkdirAll(folder, 0o700), writeBlocks(filepath.Join(folder, "main.tf.json"), all))
}

// writeBlocks writes a file of a configuration whose texts are no templates.
func writeBlocks(path string, blocks map[string]any) error {
	text, err := json.MarshalIndent(blocks, "", "  ")
	escaped := strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(text))
	return errors.Join(err, os.WriteFile(path, []byte(escaped), 0o600))
}

// decode reads JSON and keeps numbers as they are written.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// attributesOf reads the attributes of the one resource in a folder's state.
func attributesOf(folder string) (map[string]any, error) {
	path := filepath.Join(folder, "terraform.tfstate")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var state struct {
		Resources []struct {
			Instances []struct{ Attributes map[string]any }
		}
	}
	if err := decode(text, &state); err != nil {
		return nil, err
	}
	if len(state.Resources) != 1 || len(state.Resources[0].Instances) != 1 {
		return nil, fmt.Errorf("%s does not have one resource", path)
	}
	attributes := state.Resources[0].Instances[0].Attributes
	delete(attributes, "used_at") // changes by itself, as does the next
	delete(attributes, "updated_at")
	return attributes, nil
}

var argument = regexp.MustCompile(`(?m)^ {2}(\w+) += (.*)$`)

// generated returns the attributes that a generated configuration sets.
func generated(folder string) map[string]bool {
	text, _ := os.ReadFile(filepath.Join(folder, "generated.tf"))
	names := map[string]bool{}
	for _, line := range argument.FindAllStringSubmatch(string(text), -1) {
		names[line[1]] = line[2] != "null"
	}
	return names
}
