package provider

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// pages returns all texts for users. docs/ is made of templates/.
func pages(t *testing.T) []string {
	t.Helper()
	return slices.Concat([]string{"README.md"}, filesBelow(t, "docs", ".md"), filesBelow(t, "examples", ".md"))
}

// Every configuration that a page shows is formatted and valid. Each is a
// module, so that one run of the CLI validates them all.
func TestSnippets(t *testing.T) {
	t.Parallel()
	tf := newEnv(t).CLI(t, "")
	var root strings.Builder
	byFile := map[string]block{}
	format := []string{"fmt", "-check", "-diff"}
	for _, page := range pages(t) {
		for _, s := range blocksOf(t, page) {
			if !slices.Contains([]string{"terraform", "hcl", "tf"}, s.language) {
				continue
			}
			name := fmt.Sprintf("snippet_%d", len(byFile))
			file := name + "/snippet.tf"
			byFile[file] = s
			tf.WriteFile(file, s.text)
			format = append(format, file)
			needsMore := regexp.MustCompile(`(?m)^(import|list ".*) \{|^# tests/|source += "\./`).MatchString(s.text)
			if needsMore || strings.Contains(s.text, "ephemeral = true") && !knowsEphemeral(tf) {
				continue
			}
			if !strings.Contains(s.text, "required_providers") {
				tf.WriteFile(name+"/added.tf", acctest.Requirement)
			}
			fmt.Fprintf(&root, "module %q {\n  source = \"./%s\"\n", name, name)
			for _, variable := range regexp.MustCompile(`(?m)^variable "(\w+)"`).FindAllStringSubmatch(s.text, -1) {
				fmt.Fprintf(&root, "  %s = null\n", variable[1])
			}
			root.WriteString("}\n")
		}
	}
	if out, code := tf.Run(format...); code != 0 {
		t.Errorf("not formatted:\n%s", out)
	}
	tf.WriteFile("main.tf", acctest.Requirement+root.String())
	tf.Must("get")
	for _, d := range tf.Validate() {
		if d.Summary != "Redundant empty provider block" { // it is redundant only in a module
			s := byFile[d.Range.Filename]
			t.Errorf("%s:%d: %s: %s %s", s.page, s.line-1+d.Range.Start.Line, d.Severity, d.Summary, d.Detail)
		}
	}
}

// knowsEphemeral reports whether the CLI has ephemeral variables.
func knowsEphemeral(tf *acctest.CLI) bool {
	return tf.IsAtLeast(11) || tf.IsAtLeast(10) && !tf.IsOpenTofu()
}

// Every link within the repository leads to a file, and to a heading in it if
// it names one. The registry shows only docs/, so links there stay within it.
func TestLinks(t *testing.T) {
	t.Parallel()
	anchors := func(text string) map[string]bool {
		found := map[string]bool{}
		for _, id := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(text, -1) {
			found[id[1]] = true
		}
		for _, title := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			id := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(title[1]), "")
			found[strings.ReplaceAll(id, " ", "-")] = true
		}
		return found
	}
	texts := slices.Concat(pages(t), filesBelow(t, "decisions", ".md"), filesBelow(t, "internal", ".md"),
		[]string{"CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md", "SECURITY.md"})
	checked := 0
	for _, file := range texts {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(fenced.ReplaceAllString(content(t, file), ""), -1) {
			if strings.Contains(link[1], ":") {
				continue // to another site
			}
			checked++
			target, anchor, _ := strings.Cut(link[1], "#")
			if target = path.Join(path.Dir(file), target); strings.HasPrefix(link[1], "#") {
				target = file
			}
			switch _, err := os.Stat(path.Join(repository, target)); {
			case err != nil:
				t.Errorf("%s has a link to %s, which does not exist", file, link[1])
			case strings.HasPrefix(file, "docs/") && !strings.HasPrefix(target, "docs/"):
				t.Errorf("%s has a link to %s, which the registry does not show", file, link[1])
			case anchor != "" && !anchors(content(t, target))[anchor]:
				t.Errorf("%s has a link to %s, which has no such heading", file, link[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

// Each alternative in a pattern of tests to run matches a test, or the one that the contributor's page shows.
func TestPatternsOfTests(t *testing.T) {
	t.Parallel()
	var tests []string
	files := []string{"CONTRIBUTING.md"}
	for _, folder := range []string{"provider", "api", "transport"} {
		files = append(files, filesBelow(t, "internal/"+folder, "_test.go")...)
	}
	for _, file := range files {
		for _, test := range regexp.MustCompile(`(?m)^ *func (Test\w+)`).FindAllStringSubmatch(content(t, file), -1) {
			tests = append(tests, test[1])
		}
	}
	checked := 0
	for _, file := range []string{"GNUmakefile", "CONTRIBUTING.md", ".ci/opentofu"} {
		for _, found := range regexp.MustCompile(`(?:RUN='?|-run '?)(\^?\w[^\s'`+"`"+`]*)`).FindAllStringSubmatch(content(t, file), -1) {
			pattern := strings.ReplaceAll(strings.ReplaceAll(found[1], "$$", "$"), `\|`, "|")
			prefix, suffix := "", ""
			if strings.HasPrefix(pattern, "^Test(") {
				prefix, pattern = "^Test", pattern[len("^Test("):]
				pattern, suffix, _ = strings.Cut(pattern, ")")
			}
			for name := range strings.SplitSeq(pattern, "|") {
				checked++
				if name != "PATTERN" && !slices.ContainsFunc(tests, regexp.MustCompile(prefix+name+suffix).MatchString) {
					t.Errorf("%s: no test matches %s", file, name)
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d patterns were found", checked)
	}
}

// The messages in the guide to troubleshooting are texts of the provider, so that a search
// for a message finds it.
func TestGuideToMessages(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, folder := range []string{"lifecycle", "provider", "api", "transport"} {
		for _, file := range filesBelow(t, "internal/"+folder, ".go") {
			if !strings.HasSuffix(file, "_test.go") {
				code.WriteString(content(t, file))
			}
		}
	}
	ours, _, _ := strings.Cut(content(t, "docs/guides/troubleshooting.md"), "\n## Messages of Terraform and OpenTofu\n")
	checked := 0
	for _, row := range regexp.MustCompile("(?m)^\\| ([^|]*`[^|]*) \\|").FindAllStringSubmatch(ours, -1) {
		for _, message := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if slices.Contains([]string{"Invalid provider configuration", "failed to verify certificate"}, message[1]) {
				continue // from Terraform and Go
			}
			checked++
			for part := range strings.SplitSeq(strings.ReplaceAll(message[1], "Unable to ", `"`), "…") {
				if part = strings.Trim(part, ": "); !strings.Contains(code.String(), part) {
					t.Errorf("no message has %q, which the guide lists", message[1])
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d messages were found", checked)
	}
}

// The tests in the guide to testing pass for the module that it shows.
func TestGuideToTesting(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/mock-api-and-tests.md"
	env := newEnv(t)
	tf := env.CLI(t, "")
	for _, text := range slices.Concat(blocksWith(t, guide, "terraform", "", 1), blocksWith(t, guide, "hcl", "", 2)) {
		name, _, _ := strings.Cut(text, "\n") // the name of the file
		tf.WriteFile(strings.TrimPrefix(name, "# "), text)
	}
	acctest.Contains(t, tf.Must("test", "-filter="+filepath.Join("tests", "mocked.tftest.hcl")), "Success! 1 passed, 0 failed.")
	if len(env.Requests()) > 0 {
		t.Error("the mocked provider sent requests")
	}
	tf.Setenv(environment(env)...)
	acctest.Contains(t, tf.Must("test"), "Success! 2 passed, 0 failed.")
}

// The output that README shows is what the complete example prints, and what the
// API receives.
func TestReadmeShowsRealOutput(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := example(t, env, "examples/complete")
	out := ""
	for line := range strings.Lines(blocksWith(t, "README.md", "text", "$ terraform plan\n", 1)[0]) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "$ terraform apply"):
			env.ResetRequests()
			out = tf.Apply()
		case strings.HasPrefix(line, "$ "):
			out = tf.Must(strings.Fields(line)[2:]...)
		case strings.HasPrefix(line, "# Someone scales the pipe to 1 replica."):
			env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 1 })
		case strings.HasPrefix(line, "→"):
			var sent strings.Builder
			for _, request := range env.Requests() {
				fmt.Fprintf(&sent, "→ %s %s %s\n", request.Method, request.ShortPath(), request.Body)
			}
			acctest.Contains(t, sent.String(), acctest.Flat(line))
		default:
			acctest.Contains(t, out, acctest.Flat(line))
		}
	}
}
