package provider

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

// A snippet is a block of HCL in a page.
type snippet struct {
	page string
	line int // of its first line
	text string
}

// name is a name for a module.
func (s snippet) name() string {
	return fmt.Sprintf("%s_line_%d", regexp.MustCompile(`\W`).ReplaceAllString(s.page, "_"), s.line)
}

// file is the name of the file that the snippet is to be put in, where its
// first line says one.
func (s snippet) file() string {
	if name := regexp.MustCompile(`^# (\S+\.tf)\n`).FindStringSubmatch(s.text); name != nil {
		return name[1]
	}
	return ""
}

// pages are all texts for users, what is generated before what it is made of.
func pages(t *testing.T) []string {
	t.Helper()
	return slices.Concat([]string{"README.md"}, filesBelow(t, "docs", ".md"), filesBelow(t, "examples", ".md"), filesBelow(t, "templates", ".md.tmpl"))
}

// snippets are those of all pages, equal ones once. A snippet with actions of
// a template is none yet; what it becomes is in docs/.
func snippets(t *testing.T) []snippet {
	t.Helper()
	var all []snippet
	seen := map[string]bool{}
	for _, page := range pages(t) {
		found := snippetsOf(page, content(t, page))
		if len(found) == 0 && !strings.HasSuffix(page, ".tmpl") && filepath.Dir(page) != "docs/guides" {
			t.Errorf("%s shows no configuration", page)
		}
		for _, s := range found {
			if !seen[s.text] && !strings.Contains(s.text, "{{") && !strings.HasPrefix(s.text, "# tests/") {
				all = append(all, s)
			}
			seen[s.text] = true
		}
	}
	return all
}

func snippetsOf(page, text string) []snippet {
	var found []snippet
	var open *snippet
	var indent string
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case open == nil && slices.Contains([]string{"```terraform", "```hcl", "```tf"}, trimmed):
			open, indent = &snippet{page: page, line: i + 2}, line[:len(line)-len(trimmed)]
		case open != nil && trimmed == "```":
			found, open = append(found, *open), nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		}
	}
	return found
}

// Every configuration that a page shows is formatted and valid. Each is a
// module, so that one run of the CLI validates them all.
func TestSnippets(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	var root strings.Builder
	format := []string{"fmt", "-check", "-diff"}
	byFile := map[string]snippet{}
	all := snippets(t)
	for _, s := range all {
		folder := filepath.Join(tf.Dir, s.name())
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		file := s.name() + "/snippet.tf"
		byFile[file] = s
		format = append(format, file)
		tf.WriteFile(file, s.text)
		switch {
		case importTarget.MatchString(s.text):
			continue // a module cannot import
		case strings.Contains(s.text, "time_rotating"):
			continue // needs a provider from a registry
		case strings.Contains(s.text, "ephemeral = true") && !tf.IsAtLeast(ephemeralSince(tf)):
			continue
		}
		if !strings.Contains(s.text, "required_providers") {
			tf.WriteFile(filepath.Join(s.name(), "added.tf"), acctest.Requirement)
		}
		bringModules(t, folder, s, all)
		fmt.Fprintf(&root, "module %q {\n  source = \"./%s\"\n", s.name(), s.name())
		for _, variable := range regexp.MustCompile(`(?m)^variable "(\w+)"`).FindAllStringSubmatch(s.text, -1) {
			fmt.Fprintf(&root, "  %s = null\n", variable[1])
		}
		root.WriteString("}\n")
	}
	if out, code := tf.Run(format...); code != 0 {
		t.Errorf("not formatted:\n%s", out)
	}
	tf.WriteFile("main.tf", acctest.Requirement+root.String())
	tf.Must("get")
	for _, d := range tf.Validate() {
		if d.Summary == "Redundant empty provider block" {
			continue // it is redundant in a module only
		}
		if strings.Contains(d.Detail, "0001-") {
			continue // older versions of Terraform validate with a plantimestamp() of the year 1
		}
		s := byFile[d.Range.Filename]
		t.Errorf("%s:%d: %s: %s %s", s.page, s.line-1+d.Range.Start.Line, d.Severity, d.Summary, d.Detail)
	}
}

// ephemeralSince is the minor version of the CLI that introduced ephemeral
// variables.
func ephemeralSince(tf *acctest.CLI) int {
	if tf.IsOpenTofu() {
		return 11
	}
	return 10
}

// bringModules puts the modules that a snippet calls beside it: those that its
// page shows as files, and those of the examples.
func bringModules(t *testing.T, folder string, s snippet, all []snippet) {
	t.Helper()
	if len(modulesOf("", s.text)) == 0 {
		return
	}
	files := map[string]string{}
	for _, other := range all {
		if other.page == s.page && other.file() != "" {
			files[other.file()] = other.text
		}
	}
	for _, file := range filesBelow(t, "examples/modules", ".tf") {
		files[strings.TrimPrefix(file, "examples/")] = content(t, file)
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Every snippet that calls a module finds the newest backup with it.
func TestSnippetsThatCallModules(t *testing.T) {
	t.Parallel()
	newest := map[string]string{
		"examples/modules/README.md":       `newest_backup = "backup-3"`,
		"docs/guides/looking-things-up.md": `restore_from = "s3://backups.example/orders/3"`,
	}
	all := snippets(t)
	for page, want := range newest {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(all, func(s snippet) bool { return s.page == page && len(modulesOf("", s.text)) > 0 })
			if at < 0 {
				t.Fatal("the page calls no module")
			}
			env := newEnv(t)
			tf := env.CLI(t, "")
			tf.WriteFile("main.tf", all[at].text)
			bringModules(t, tf.Dir, all[at], all)
			override(t, env, tf)
			tf.Setenv(environment(env)...)
			tf.Must("get")
			acctest.Contains(t, tf.Apply(), want)
		})
	}
}

var importTarget = regexp.MustCompile(`(?s)^(?:.*\n)?import \{.*\bto += (\w+)\.(\w+)(?:\[each\.key\])?\n`)

// Every import block that a page shows imports into the resource that the same
// page shows, if it does not show one itself.
func TestSnippetsThatImport(t *testing.T) {
	t.Parallel()
	all := snippets(t)
	for _, s := range all {
		to := importTarget.FindStringSubmatch(s.text)
		if to == nil {
			continue
		}
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			resource := s.text
			if !declares(s.text, "resource", to[1], to[2]) {
				at := slices.IndexFunc(all, func(other snippet) bool {
					return other.page == s.page && declares(other.text, "resource", to[1], to[2]) && !importTarget.MatchString(other.text)
				})
				if at < 0 {
					t.Fatalf("%s shows no %s.%s", s.page, to[1], to[2])
				}
				resource = all[at].text
			}
			env := newEnv(t)
			env.AddPipes(10)
			tf := env.CLI(t, resource)
			if resource != s.text {
				tf.WriteFile("import.tf", s.text)
			}
			if _, identity, given := strings.Cut(s.text, "identity = {"); given && !tf.IsAtLeast(12) {
				for _, id := range regexp.MustCompile(`\w+ += ".*"`).FindAllString(identity, -1) {
					acctest.Contains(t, resource, acctest.Flat(id))
				}
				t.Skip("the CLI does not import by identity; the identity was compared with the resource")
			}
			if out := tf.Must("plan"); !regexp.MustCompile(`Plan: [1-9]\d* to import`).MatchString(out) {
				t.Errorf("nothing is imported:\n%s", out)
			}
		})
	}
}

// A page names no environment variable that the provider does not know.
func TestPagesNameEnvironmentVariables(t *testing.T) {
	t.Parallel()
	known := map[string]bool{
		envBaseURL: true, envOrganizationID: true, envKeyID: true, envKeySecret: true,
		envRequestTimeout: true, envMaxRetries: true, envRequestsPerSecond: true, envUnreadableObjects: true,
	}
	named := map[string]bool{}
	for _, page := range pages(t) {
		for _, name := range regexp.MustCompile(`DBPLATFORM_[A-Z_]+`).FindAllString(content(t, page), -1) {
			named[name] = true
			if !known[name] {
				t.Errorf("%s names %s, which means nothing", page, name)
			}
		}
	}
	if !maps.Equal(named, known) {
		t.Errorf("the pages name %v, not %v", slices.Sorted(maps.Keys(named)), slices.Sorted(maps.Keys(known)))
	}
}
