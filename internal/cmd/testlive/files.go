package main

import (
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
