package tfcli

import (
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	t.Setenv("TF_LOG", "TRACE")
	t.Setenv("TF_DATA_DIR", "/elsewhere")
	t.Setenv("DBPLATFORM_KEY_SECRET", "a real one")
	t.Setenv("UNRELATED", "stays")

	got := Environment("cli.tfrc", map[string]string{"TF_LOG": "WARN", "DBPLATFORM_KEY_ID": "demo"})
	got = slices.DeleteFunc(got, func(entry string) bool {
		return !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "DBPLATFORM_") && !strings.HasPrefix(entry, "UNRELATED")
	})
	want := []string{
		"UNRELATED=stays", "DBPLATFORM_KEY_ID=demo", "TF_CLI_ARGS=-no-color", "TF_CLI_CONFIG_FILE=cli.tfrc", "TF_INPUT=0", "TF_IN_AUTOMATION=1", "TF_LOG=WARN",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the CLI's environment has %q, not %q", got, want)
	}
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if path, err := Find(""); err == nil || !strings.Contains(err.Error(), "no terraform or tofu on PATH") {
		t.Errorf("found %q, %v", path, err)
	}
	if path, err := Find("nope"); err == nil || !strings.Contains(err.Error(), "no nope on PATH") {
		t.Errorf("found %q, %v", path, err)
	}
}
