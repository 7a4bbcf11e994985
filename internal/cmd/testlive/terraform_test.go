package main

import (
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	t.Setenv("TF_LOG", "TRACE")
	t.Setenv("TF_DATA_DIR", "/elsewhere")
	t.Setenv("DBPLATFORM_KEY_ID", "kept")
	t.Setenv("DBPLATFORM_MAX_RETRIES", "") // counts as not set

	got := environment("cli.tfrc", "http://recorder")
	for _, want := range []string{"DBPLATFORM_KEY_ID=kept", "DBPLATFORM_BASE_URL=http://recorder", "TF_CLI_CONFIG_FILE=cli.tfrc"} {
		if !slices.Contains(got, want) {
			t.Errorf("the CLI's environment has no %s", want)
		}
	}
	for _, variable := range got {
		for _, unwanted := range []string{"TF_LOG=", "TF_DATA_DIR=", "DBPLATFORM_MAX_RETRIES="} {
			if strings.HasPrefix(variable, unwanted) {
				t.Errorf("the CLI's environment has %s", variable)
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if path, err := find(""); err == nil || !strings.Contains(err.Error(), "no terraform or tofu on PATH") {
		t.Errorf("found %q, %v", path, err)
	}
	if path, err := find("nope"); err == nil || !strings.Contains(err.Error(), "no nope on PATH") {
		t.Errorf("found %q, %v", path, err)
	}
}
