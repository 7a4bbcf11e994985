package provider

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const guides = "templates/guides/"

// Every guide has what the registry shows of it in a list, and the first page
// leads to it, of the repository as of the documentation.
func TestGuides(t *testing.T) {
	t.Parallel()
	for _, file := range filesBelow(t, guides[:len(guides)-1], ".md") {
		text := content(t, file)
		head := regexp.MustCompile(`^---\npage_title: "(.+)"\nsubcategory: "Guides"\ndescription: \|-\n  \S.+\n---\n\n# (.+)\n`).FindStringSubmatch(text)
		switch {
		case len(head) == 0:
			t.Errorf("%s does not begin with page_title, subcategory, description and heading", file)
		case head[1] != head[2]:
			t.Errorf("the heading of %s is %q, its title %q", file, head[2], head[1])
		}
		for page, link := range map[string]string{"README.md": "](docs/guides/", "docs/index.md": "](guides/"} {
			if !strings.Contains(content(t, page), link+path.Base(file)+")") {
				t.Errorf("%s does not lead to %s", page, file)
			}
		}
	}
}

// The guide to the mock API names its options, and no others.
func TestGuideToOptions(t *testing.T) {
	t.Parallel()
	var known []string
	for _, flag := range regexp.MustCompile(`flags\.\w+\((?:&o\.\w+, )?"([\w-]+)", `).FindAllStringSubmatch(content(t, "internal/cmd/mockapi/options.go"), -1) {
		known = append(known, flag[1])
	}
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `-([\\w-]+)` \\|").FindAllStringSubmatch(content(t, guides+"trying-without-an-account.md"), -1) {
		named = append(named, row[1])
	}
	slices.Sort(known)
	slices.Sort(named)
	if !slices.Equal(named, known) {
		t.Errorf("the guide names %v, not %v", named, known)
	}
}

// summaries finds the summaries of diagnostics in code.
var summaries = []*regexp.Regexp{
	regexp.MustCompile(`(?:AddError|AddWarning|NewErrorDiagnostic|NewWarningDiagnostic|notice)\(\s*(?:fmt\.Sprintf\()?"([^"]+)"`),
	regexp.MustCompile(`(?:AddAttributeError|AddAttributeWarning|NewAttributeErrorDiagnostic|NewAttributeWarningDiagnostic)\([^"]*(?:\("[^"]*"\))?,\s*(?:fmt\.Sprintf\()?"([^"]+)"`),
	regexp.MustCompile(`(?:Summary|summary):?\s*:?=?\s*(?:fmt\.Sprintf\()?"([^"]+)"`),
}

// The troubleshooting guide explains every diagnostic, by its summary.
func TestGuideToMessages(t *testing.T) {
	t.Parallel()
	guide := content(t, guides+"troubleshooting.md")
	checked := 0
	for _, file := range append(filesBelow(t, "internal/adopt", ".go"), filesBelow(t, "internal/provider", ".go")...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, pattern := range summaries {
			for _, found := range pattern.FindAllStringSubmatch(content(t, file), -1) {
				checked++
				fixed, _, _ := strings.Cut(found[1], "%")
				if !strings.Contains(guide, strings.TrimSpace(fixed)) {
					t.Errorf("the guide does not explain %q of %s", found[1], file)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d summaries were found", checked)
	}
}

// Removing a resource from the state alone leaves the object without a
// request, whatever on_destroy says.
func TestForgettingSendsNothing(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]func(*acctest.Env, *acctest.CLI){
		"removed block": func(env *acctest.Env, tf *acctest.CLI) {
			tf.Configure("removed {\n  from = " + keyAddress + "\n\n  lifecycle {\n    destroy = false\n  }\n}\n")
			tf.Apply()
		},
		"state rm": func(_ *acctest.Env, tf *acctest.CLI) { tf.Must("state", "rm", keyAddress) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`))
			if !tf.IsAtLeast(7) {
				t.Skip("the CLI does not know removed blocks")
			}
			tf.Apply()
			forget(env, tf)
			if out := tf.Must("state", "list"); strings.Contains(out, keyAddress) {
				t.Errorf("the state still has %s", out)
			}
			if state := env.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "enabled" {
				t.Errorf("the key is %v", state)
			}
		})
	}
}
