package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// The guide to what the API leaves open has a row for each variant, with the
// test of that variant, and names no test that does not exist.
func TestGuideToVariants(t *testing.T) {
	t.Parallel()
	guide := content(t, guides+"what-the-api-leaves-open.md")
	variants := map[string]bool{}
	for _, variant := range passable() {
		variants[variant.Name] = true
		name := regexp.QuoteMeta(variant.Name)
		if !regexp.MustCompile("(?m)^\\| [^|]+ \\| `" + name + "` \\| [^|]+ \\| `TestVariants/" + name + "`").MatchString(guide) {
			t.Errorf("there is no row of the variant %s and its test", variant.Name)
		}
	}

	var tests strings.Builder
	for _, folder := range []string{"internal/api", "internal/provider"} {
		for _, file := range filesBelow(t, folder, "_test.go") {
			tests.WriteString(content(t, file))
		}
	}
	for _, named := range regexp.MustCompile("`(Test\\w*)(?:/([^`]+))?`").FindAllStringSubmatch(guide, -1) {
		if !strings.Contains(tests.String(), "\nfunc "+named[1]+"(t *testing.T) {") {
			t.Errorf("there is no test %s", named[1])
		}
		if named[2] != "" && (named[1] != "TestVariants" || !variants[named[2]]) {
			t.Errorf("there is no test %s/%s", named[1], named[2])
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

// The guide to messages quotes what the code can say, and every summary that it
// can say.
func TestGuideToMessages(t *testing.T) {
	t.Parallel()
	code := messages(t)
	own, others, found := strings.Cut(content(t, guides+"troubleshooting.md"), "\n## What Terraform and OpenTofu say\n")
	if !found {
		t.Fatal("the guide has no part for the messages of others")
	}
	for _, heading := range headings(others) {
		if _, provoked := provocations[heading]; !provoked {
			t.Errorf("the guide quotes %q, which no test provokes", heading)
		}
	}
	var quoted []string
	for _, heading := range headings(own) {
		quoted = append(quoted, heading)
		if !slices.ContainsFunc(code.all, func(m message) bool { return code.says(m, heading) }) {
			t.Errorf("the guide quotes %q, which nothing says", heading)
		}
	}
	for _, summary := range code.summaries {
		if !slices.ContainsFunc(quoted, func(quote string) bool { return code.says(summary, quote) }) {
			t.Errorf("the guide says nothing of %q", summary)
		}
	}
	for _, quote := range []string{"Unable to adopt", "Unable to fly …", "Missing", "No …"} {
		if slices.ContainsFunc(code.all, func(m message) bool { return code.says(m, quote) }) {
			t.Errorf("%q passes for a message", quote)
		}
	}
}

// headings are the messages that a part of a guide is about.
func headings(text string) []string {
	var found []string
	for _, line := range regexp.MustCompile("(?m)^### `(.+)`$").FindAllStringSubmatch(text, -1) {
		found = append(found, line[1])
	}
	return found
}

// A message is the pieces of a text that code puts together; "" stands for a
// piece that is known only when it runs.
type message []string

type spoken struct {
	all       []message // whatever text the code has
	summaries []message // of diagnostics
	words     map[string]bool
}

// messages are the texts of the provider and the client.
func messages(t *testing.T) spoken {
	t.Helper()
	found := spoken{words: map[string]bool{}}
	for _, folder := range []string{"internal/api", "internal/provider"} {
		for _, name := range filesBelow(t, folder, ".go") {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, content(t, name), parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(node ast.Node) bool {
				found.add(node)
				return true
			})
		}
	}
	return found
}

func (s *spoken) add(node ast.Node) {
	if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		text, _ := strconv.Unquote(literal.Value) // the parser has accepted it
		s.words[text] = true
	}
	expr, ok := node.(ast.Expr)
	if !ok {
		return
	}
	if m := pieces(expr); slices.ContainsFunc(m, func(piece string) bool { return strings.ContainsAny(piece, "abcdefghijklmnopqrstuvwxyz") }) {
		s.all = append(s.all, m)
	}
	call, ok := expr.(*ast.CallExpr)
	if !ok {
		return
	}
	switch name := called(call); {
	case name == "failure" && len(call.Args) > 0:
		if verb := pieces(call.Args[0]); verb[0] != "" {
			s.summaries = append(s.summaries, message{"Unable to " + verb[0] + " ", ""})
		}
	case strings.HasPrefix(name, "AddAttribute"), strings.HasPrefix(name, "NewAttribute"):
		s.summarise(call.Args[1])
	case slices.Contains([]string{"AddError", "AddWarning", "NewErrorDiagnostic", "NewWarningDiagnostic"}, name):
		s.summarise(call.Args[0])
	}
}

// summarise notes the summary of a diagnostic, unless it is a variable's.
func (s *spoken) summarise(expr ast.Expr) {
	if m := pieces(expr); !slices.Equal(m, message{""}) {
		s.summaries = append(s.summaries, m)
	}
}

// pieces takes the text of an expression apart.
func pieces(expr ast.Expr) message {
	switch e := expr.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			var m message
			for i, piece := range regexp.MustCompile(`%[.\d]*[a-z]`).Split(text, -1) {
				if i > 0 {
					m = append(m, "")
				}
				if piece != "" {
					m = append(m, piece)
				}
			}
			return m
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return append(pieces(e.X), pieces(e.Y)...)
		}
	case *ast.CallExpr:
		if name := called(e); (name == "Sprintf" || name == "Errorf") && len(e.Args) > 0 {
			return pieces(e.Args[0])
		}
	}
	return message{""}
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// says tells whether a message can be what is quoted. Where the code fills
// something in, three dots stand, or words that stand alone in the code. What a
// message ends in, such as a colon before a cause, may be left to the dots.
func (s *spoken) says(m message, quote string) bool {
	if len(m) == 0 {
		return quote == "" || quote == "…"
	}
	if m[0] != "" {
		rest, found := strings.CutPrefix(quote, m[0])
		return found && s.says(m[1:], rest)
	}
	if rest, dots := strings.CutPrefix(quote, "…"); dots && (s.says(m[1:], rest) || s.says(m, rest)) {
		return true
	}
	for word := range s.words {
		if rest, found := strings.CutPrefix(quote, word); found && word != "" && s.says(m[1:], rest) {
			return true
		}
	}
	return false
}

// Whoever has Terraform forget a resource lets go of the object without a
// request, whatever on_destroy says.
func TestForgettingSendsNothing(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]func(*world, *cli){
		"removed block": func(w *world, tf *cli) {
			tf.configure(requirement + w.provider() + "removed {\n  from = " + keyAddress + "\n\n  lifecycle {\n    destroy = false\n  }\n}\n")
			tf.must("apply", "-auto-approve")
		},
		"state rm": func(_ *world, tf *cli) { tf.must("state", "rm", keyAddress) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tf := w.cli(t, keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`))
			if !tf.isAtLeast(7) {
				t.Skip("the CLI does not know removed blocks")
			}
			tf.must("apply", "-auto-approve")
			forget(w, tf)
			if out := tf.must("state", "list"); strings.Contains(out, keyAddress) {
				t.Errorf("the state still has %s", out)
			}
			if state := w.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "enabled" {
				t.Errorf("the key is %v", state)
			}
		})
	}
}
