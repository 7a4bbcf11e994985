package provider

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// texts are the texts of the repository, except what docs/ is made of.
func texts(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(repository), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if path.Ext(name) == ".md" {
				files = append(files, name)
			}
		case name == ".", name == ".github":
		case strings.HasPrefix(name, "."), name == "bin", name == "dist", name == "templates":
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only these texts were found: %s", files)
	}
	return files
}

var (
	fenced  = regexp.MustCompile("(?s)```.*?\n *```\n")
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	named   = regexp.MustCompile(`<a id="([^"]+)">`)
)

// Every link within the repository leads to a file, and to a heading in it if it
// names one. The registry shows docs/ alone, so that nothing there may lead out of
// it.
func TestLinks(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, file := range texts(t) {
		for _, link := range linked.FindAllStringSubmatch(fenced.ReplaceAllString(content(t, file), ""), -1) {
			if strings.Contains(link[1], ":") {
				continue // to elsewhere
			}
			checked++
			target, anchor, _ := strings.Cut(link[1], "#")
			if target = path.Join(path.Dir(file), target); strings.HasPrefix(link[1], "#") {
				target = file
			}
			switch _, err := os.Stat(path.Join(repository, target)); {
			case err != nil:
				t.Errorf("%s has a link to %s, which is not there", file, link[1])
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

// anchors are the names by which links can lead into a text.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, name := range named.FindAllStringSubmatch(text, -1) {
		found[name[1]] = true
	}
	for _, title := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		found[anchor(title[1])] = true
	}
	return found
}

// anchor is what GitHub and the registry make of a heading.
func anchor(title string) string {
	kept := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(title), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// What the texts for maintainers call a file is there, wherever that is.
func TestTextsNameFiles(t *testing.T) {
	t.Parallel()
	var files []string
	for _, folder := range []string{"internal", "templates", "examples", "decisions"} {
		files = append(files, filesBelow(t, folder, "")...)
	}
	entries, err := os.ReadDir(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	checked := 0
	for _, text := range append(filesBelow(t, "decisions", ".md"), "CONTRIBUTING.md", "DESIGN.md", "README.md", "SECURITY.md") {
		for _, name := range regexp.MustCompile("`([\\w./-]+\\.(?:go|json|md|mod|tmpl|yaml))`").FindAllStringSubmatch(content(t, text), -1) {
			if strings.HasPrefix(path.Base(name[1]), "X_") {
				continue // stands for any
			}
			checked++
			if !slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix("/"+file, "/"+name[1]) }) {
				t.Errorf("%s names %s, which is not there", text, name[1])
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d names of files were found", checked)
	}
}

func TestAnchors(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Many objects at once":           "many-objects-at-once",
		"`Unable to adopt …`":            "unable-to-adopt-",
		"Destroying and on_destroy":      "destroying-and-on_destroy",
		"What it is, and what it is not": "what-it-is-and-what-it-is-not",
	} {
		if got := anchor(title); got != want {
			t.Errorf("%s: %s, not %s", title, got, want)
		}
	}
}
