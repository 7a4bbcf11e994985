package lifecycle

import (
	"regexp"
	"slices"
	"strings"
)

// The source and the description of an entry may be configured as sensitive, which a
// provider cannot see. So the words of the API are shown without them.

// secretsOf are an entry's own id, as the API may write it, and its descriptions. Of any
// other object, nothing is secret.
func secretsOf(object Kind, states ...Attributes) (words []string) {
	if !object.isEntry() {
		return nil
	}
	for _, a := range states {
		id, description := Text(a[object.lastID()]), ""
		if value, ok := a["description"]; ok {
			description = Text(value)
		}
		for _, notation := range []string{id, object.EntryOf.Canonical(id)} {
			address, _, _ := strings.Cut(notation, "/")
			words = append(words, notation, address)
		}
		words = append(words, description, strings.Join(strings.Fields(description), " "))
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

var entryLike = regexp.MustCompile(`[\w/:.%-]*[\w:]`)

// conceal masks an entry in the words of the API, in any notation.
func conceal(text string, object Kind, states ...Attributes) string {
	words := secretsOf(object, states...)
	if len(words) == 0 {
		return text
	}
	text = entryLike.ReplaceAllStringFunc(text, func(part string) string {
		for _, id := range []string{part, strings.TrimSuffix(part, ":")} { // 2001:db8:: ends in colons
			if slices.Contains(words, object.EntryOf.Canonical(id)) {
				return "***" + part[len(id):]
			}
		}
		return part
	})
	for _, word := range words {
		alone := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(word) + `(\W|$)`)
		for range 2 { // neighbors share their separator
			text = alone.ReplaceAllString(text, "${1}***${2}")
		}
	}
	return text
}
