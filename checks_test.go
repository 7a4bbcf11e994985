package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The checks of .ci/run that are more than a command: each fails if it has to, with what to
// do, and looks at everything first. Scripts stand in for go and terraform.
func TestChecks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	const (
		action = "jobs: {a: {steps: [\n  uses: actions/checkout@"
		pinned = action + "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n"
	)
	for _, test := range []struct {
		check                               string
		unformattedGo, unformattedTF, pages string
		workflow                            string
		want                                []string
		fails                               bool
	}{
		{check: "Format", want: []string{"All passed"}},
		{check: "Format", unformattedGo: "a.go", want: []string{"not formatted: a.go", "make fmt", "Failed after"}, fails: true},
		{check: "Format", unformattedTF: "a.tf", want: []string{"a.tf", "make fmt"}, fails: true},
		{check: "Format", unformattedGo: "a.go", unformattedTF: "b.tf", want: []string{"a.go", "b.tf"}, fails: true},
		{check: "Documentation", pages: "old", want: []string{"pages are valid", "All passed"}},
		{check: "Documentation", pages: "new", want: []string{"+new", "make generate", "pages are valid", "Failed after"}, fails: true},
		{check: "Fromat", want: []string{"No step begins with Fromat"}, fails: true},
		{check: "Actions", workflow: pinned, want: []string{"All passed"}},
		{check: "Actions", workflow: action + "v7\n", want: []string{"checkout@v7", "Name the commit"}, fails: true},
	} {
		folder := t.TempDir()
		for name, text := range map[string]string{
			".ci/run": "", ".ci/pins": "", ".ci/in-temp": "",
			"docs/index.md": "old\n", ".github/workflows/test.yml": test.workflow,
			"bin/go": `#!/bin/sh
				case "$*" in
				*gofumpt*) echo "` + test.unformattedGo + `" ;;
				*generate*) mkdir -p .tools/docs && echo ` + test.pages + ` >.tools/docs/index.md ;;
				*validate*) echo pages are valid ;;
				esac`,
			"bin/terraform": "#!/bin/sh\necho '" + test.unformattedTF + "'; [ -z '" + test.unformattedTF + "' ]",
		} {
			if strings.HasPrefix(name, ".ci/") {
				script, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				text = string(script)
			}
			file := filepath.Join(folder, name)
			_ = os.MkdirAll(filepath.Dir(file), 0o700)
			if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		run := exec.CommandContext(t.Context(), folder+"/.ci/run", test.check)
		run.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"), "TERRAFORM=") // the one on PATH
		out, err := run.CombinedOutput()
		if (err != nil) != test.fails {
			t.Errorf("%+v: %v\n%s", test, err, out)
		}
		for _, want := range test.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%+v: the output lacks %q:\n%s", test, want, out)
			}
		}
	}
}
