package provider

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// repository is the root of the repository, seen from here.
const repository = "../.."

// filesBelow returns the files of a folder of the repository, however deep,
// whose names end so, as paths from the root of the repository.
func filesBelow(t *testing.T, folder, suffix string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(repository), folder, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(file, suffix) {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A block is a fenced block of a page.
type block struct {
	page, language string
	line           int // of its first line
	text           string
}

var fenced = regexp.MustCompile("(?s)( *)```(\\w*)\n(.*?\n) *```\n")

func blocksOf(t *testing.T, page string) (found []block) {
	t.Helper()
	text := content(t, page)
	for _, at := range fenced.FindAllStringSubmatchIndex(text, -1) {
		indent := text[at[2]:at[3]]
		lines := strings.ReplaceAll("\n"+text[at[6]:at[7]], "\n"+indent, "\n")[1:]
		found = append(found, block{page, text[at[4]:at[5]], strings.Count(text[:at[6]], "\n") + 1, lines})
	}
	return found
}

// blocksWith returns the texts of a page's blocks that contain these words. There have
// to be n.
func blocksWith(t *testing.T, page, language, words string, n int) (texts []string) {
	t.Helper()
	for _, b := range blocksOf(t, page) {
		if b.language == language && strings.Contains(b.text, words) {
			texts = append(texts, b.text)
		}
	}
	if len(texts) != n {
		t.Fatalf("%s shows %d blocks with %q, not %d", page, len(texts), words, n)
	}
	return texts
}
