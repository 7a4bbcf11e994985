package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	// noise is not about the provider: progress, positions in the
	// configuration, what a plan is.
	noise = regexp.MustCompile(`^[\w.]+: (Refreshing|Reading|Read complete|Preparing|Importing|Import complete|` +
		`Creating|Creation|Modifying|Modifications|Destroying|Destruction)` +
		`|^  (with|on) |^ +\d+: ` +
		`|used the selected providers to generate|^plan\. Resource actions|^  [+~-] (create|update in-place|destroy)$`)

	// Blocks that repeat the configuration.
	blocks = []struct{ begin, end *regexp.Regexp }{
		{regexp.MustCompile(`^ {2}[+-] resource `), regexp.MustCompile(`^ {4}}`)},
		{regexp.MustCompile(`^Changes to Outputs:$`), regexp.MustCompile(`^$`)},
	}

	// A result is shown each time.
	result = regexp.MustCompile(`^(No changes|Plan|Apply|Destroy)`)
)

// A shortener cuts what the CLI repeats from one command to the next.
type shortener struct {
	shown map[string]bool // paragraphs of earlier commands
}

// shorten returns the output of a command and a note of how much it has cut.
func (s *shortener) shorten(command, output string) string {
	lines := strings.Split(output, "\n")
	kept := s.keep(lines)
	if command == "init" {
		kept = kept[len(kept)-1:]
	}
	if all, rest := textLines(lines), textLines(kept); rest < all {
		kept = append(kept, fmt.Sprintf("[%d of %d lines cut]", all-rest, all))
	}
	return strings.Join(kept, "\n")
}

func (s *shortener) keep(lines []string) (kept []string) {
	text := strings.Join(slices.DeleteFunc(withoutBlocks(lines), noise.MatchString), "\n")
	paragraphs, warned := map[string]bool{}, false
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		paragraphs[paragraph] = true
		isResult := result.MatchString(paragraph)
		if paragraph == "" || s.shown[paragraph] && !isResult {
			continue
		}
		isWarning := strings.HasPrefix(paragraph, "Warning: ")
		if isWarning || isResult && warned {
			kept = append(kept, "")
		}
		warned = warned || isWarning
		kept = append(kept, strings.Split(paragraph, "\n")...)
	}
	maps.Copy(s.shown, paragraphs)
	return kept
}

func withoutBlocks(lines []string) (kept []string) {
	var end *regexp.Regexp
	for _, line := range lines {
		for _, block := range blocks {
			if block.begin.MatchString(line) {
				end = block.end
			}
		}
		if end == nil {
			kept = append(kept, line)
		} else if end.MatchString(line) {
			end = nil
		}
	}
	return kept
}

func textLines(lines []string) (n int) {
	for _, line := range lines {
		if line != "" {
			n++
		}
	}
	return n
}
