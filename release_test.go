package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// programForMac builds a program for macOS that does nothing.
func programForMac(t *testing.T, ldflags string) []byte {
	t.Helper()
	folder := t.TempDir()
	source, program := filepath.Join(folder, "main.go"), filepath.Join(folder, "program")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", ldflags, "-o", program, source)
	build.Env = append(os.Environ(), "GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A release is checked before it is published: each fault is noticed.
func TestReleaseCheck(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("releases are made on Linux")
	}
	const (
		name     = "terraform-provider-dbplatform_1.0.0_"
		archive  = name + "darwin_arm64.zip"
		mock     = "mockapi_1.0.0_linux_amd64.tar.gz"
		sums     = name + "SHA256SUMS"
		mockSums = "mockapi_1.0.0_SHA256SUMS"
	)
	zipped := func(program []byte) string {
		var out bytes.Buffer
		writer := zip.NewWriter(&out)
		for file, content := range map[string][]byte{"LICENSE": nil, "terraform-provider-dbplatform_v1.0.0": program} {
			entry, _ := writer.Create(file)
			_, _ = entry.Write(content)
		}
		_ = writer.Close()
		return out.String()
	}
	sumOf := func(content, file string) string {
		return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(content)), file)
	}
	good, noUUID := zipped(programForMac(t, "-s -w")), zipped(programForMac(t, "-s -w -buildid="))
	for fault, test := range map[string]struct {
		changed map[string]string
		want    string // "": no error
	}{
		"none":                       {nil, ""},
		"another signature":          {map[string]string{"bin/gpg": "#!/bin/sh\nexit 1\n"}, ""},
		"another archive":            {map[string]string{archive: good + " "}, archive + ": FAILED"},
		"another archive of no user": {map[string]string{mock: "other"}, mock + ": FAILED"},
		"a missing archive":          {map[string]string{mock: ""}, mock + ": FAILED"},
		"a file without a sum":       {map[string]string{name + "linux_arm.zip": "new"}, "linux_arm.zip: no sum"},
		"more for the lock files":    {map[string]string{sums: sumOf(good, archive) + sumOf("mock", mock)}, "only the provider's archives"},
		"no UUID":                    {map[string]string{archive: noUUID, sums: sumOf(noUUID, archive)}, "has no LC_UUID"},
		"no program for macOS": {
			map[string]string{archive: "", name + "linux_arm.zip": "zip", sums: sumOf("zip", name+"linux_arm.zip")},
			"There is no archive for macOS.",
		},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			files := map[string]string{
				archive: good, mock: "mock", sums: sumOf(good, archive), mockSums: sumOf("mock", mock),
				"bin/gpg": "#!/bin/sh\n[ \"$*\" = '--verify " + sums + ".sig " + sums + "' ]\n",
			}
			maps.Copy(files, test.changed)
			for file, content := range files {
				if content == "" {
					continue
				}
				_ = os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o700)
				if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			check := exec.CommandContext(t.Context(), ".ci/release-check", folder)
			check.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
			out, err := check.CombinedOutput()
			if (err != nil) != (len(test.changed) > 0) || !strings.Contains(string(out), test.want) {
				t.Errorf("%v, without %q:\n%s", err, test.want, out)
			}
		})
	}
}
