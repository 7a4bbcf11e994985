package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Scripts that stand in for go and terraform. Files say what they find.
var standIns = map[string]string{
	"bin/go": `#!/bin/sh
		case "$*" in
		*gofumpt*) cat unformatted-go ;;
		*generate*) mkdir -p .tools/docs && cp pages .tools/docs/index.md ;;
		*validate*) echo the pages are valid ;;
		*list*) cat modules ;;
		esac`,
	"bin/terraform": `#!/bin/sh
		case "$*" in
		*fmt*) cat unformatted-tf && [ ! -s unformatted-tf ] ;;
		*validate*) cat invalid && [ ! -s invalid ] ;;
		esac`,
	"unformatted-go": "", "unformatted-tf": "", "invalid": "", "pages": "old\n", "docs/index.md": "old\n", "THIRD_PARTY_LICENSES.md": "",
}

// The scripts in .ci fail if they have to, with what to do, and look at everything first.
func TestChecks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	type files = map[string]string
	const workflow, uses = ".github/workflows/test.yml", "steps:\n  - uses: actions/checkout@"
	for _, test := range []struct {
		command string
		files   files
		fails   bool
		want    []string
	}{
		{"run Format", nil, false, []string{"All passed"}},
		{"run Format", files{"unformatted-go": "a.go"}, true, []string{"not formatted: a.go", "make fmt", "Failed after"}},
		{"run Format", files{"unformatted-tf": "a.tf"}, true, []string{"a.tf", "make fmt"}},
		{"run Format", files{"unformatted-go": "a.go", "unformatted-tf": "a.tf"}, true, []string{"a.go", "a.tf"}},
		{"run Documentation", nil, false, []string{"the pages are valid", "All passed"}},
		{"run Documentation", files{"pages": "new\n"}, true, []string{"+new", "make generate", "the pages are valid", ": Documentation is what the code and the examples make it\n"}},
		{"run Examples", files{"examples/a/main.tf": ""}, false, []string{"valid: examples/a", "All passed"}},
		{"run Examples", files{"examples/a/main.tf": "", "invalid": "no such attribute"}, true, []string{"NOT VALID: examples/a", "no such attribute"}},
		{"run Licenses", files{"modules": "example.com/m m\n", "m/LICENSE": "Neither the name"}, true, []string{"+| `example.com/m` | BSD-3-Clause |", "make licenses"}},
		{"licenses", files{"modules": "example.com/m m\n", "m/LICENSE": "Ask us"}, true, []string{"unknown license: m/LICENSE"}},
		{"run Actions", files{workflow: uses + "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n"}, false, []string{"All passed"}},
		{"run Actions", files{workflow: uses + "v7\n"}, true, []string{"checkout@v7", "Name the commit"}},
		{"run Fromat", nil, true, []string{"No step begins with Fromat"}},
		{"release-notes 1.0.0", files{"CHANGELOG.md": "## [1.0.0] - 2026-01-02\nFirst.\n"}, false, []string{"First."}},
		{"release-notes 1.0.0", files{"CHANGELOG.md": "## [1.0.0] - Unreleased\nFirst.\n"}, true, []string{"has no date for 1.0.0"}},
		{"release-notes 1.0.1", files{"CHANGELOG.md": "## [1.0.0] - 2026-01-02\nFirst.\n"}, true, []string{"no section for 1.0.1"}},
		{"in-temp true", nil, false, nil},
		{"in-temp false", nil, true, nil},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(filepath.Join(folder, ".ci"), os.DirFS(".ci")); err != nil {
			t.Fatal(err)
		}
		all := maps.Clone(standIns)
		maps.Copy(all, test.files)
		for name, text := range all {
			file := filepath.Join(folder, name)
			_ = os.MkdirAll(filepath.Dir(file), 0o700)
			if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		command := strings.Fields(test.command)
		script := exec.CommandContext(t.Context(), folder+"/.ci/"+command[0], command[1:]...)
		script.Dir = folder
		script.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"), "TERRAFORM=") // the one on PATH
		out, err := script.CombinedOutput()
		if (err != nil) != test.fails {
			t.Errorf("%s with %v: %v\n%s", test.command, test.files, err, out)
		}
		for _, want := range test.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s with %v: no %q in\n%s", test.command, test.files, want, out)
			}
		}
	}
}
