package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A survey is what the responses to reads look like: names of members and
// notations, no values.
type survey struct {
	kinds                          set // of the objects
	nulls, absent, empty, emptyIDs set // documented members without a value
	unknown                        set // members that are not documented
	shown, isFalse                 set // members with a value, and with false
	numbers                        counts
	backupNumbers                  counts
	quantities                     set
	times                          counts
	addresses                      counts
	texts                          set // documented numbers that are another text
}

type (
	set    map[string]bool
	counts map[string]int
)

// names returns up to eight members of a set.
func (s set) names() string { return listed(slices.Sorted(maps.Keys(s))) }

func (c counts) names() string { return listed(slices.Sorted(maps.Keys(c))) }

func listed(names []string) string {
	const enough = 8
	if len(names) > enough {
		names = append(names[:enough:enough], fmt.Sprintf("and %d more", len(names)-enough))
	}
	return strings.Join(names, ", ")
}

// only reports whether the one thing counted is name.
func (c counts) only(name string) bool { return len(c) == 1 && c[name] > 0 }

func (c counts) all(is func(string) bool) bool {
	for name := range c {
		if !is(name) {
			return false
		}
	}
	return true
}

func newSurvey() *survey {
	return &survey{
		kinds: set{}, nulls: set{}, absent: set{}, empty: set{}, emptyIDs: set{}, unknown: set{}, shown: set{}, isFalse: set{}, quantities: set{}, texts: set{},
		numbers: counts{}, backupNumbers: counts{}, times: counts{}, addresses: counts{},
	}
}

// add looks at a whole object of a kind.
func (s *survey) add(kind string, object any) {
	s.kinds[kind] = true
	s.value(kind, shapes[kind], object)
}

func (s *survey) value(path string, of *shape, value any) {
	s.shown[path] = true
	switch value := value.(type) {
	case bool:
		s.isFalse[path] = s.isFalse[path] || !value
	case map[string]any:
		s.object(path, of, value)
	case []any:
		if len(value) == 0 {
			s.emptyIDs[path] = true
		}
		for _, element := range value {
			s.value(path, of, element)
		}
	case json.Number:
		s.number(path, string(value))
	case string:
		s.text(path, of, value)
	}
}

func (s *survey) object(path string, of *shape, object map[string]any) {
	for name, member := range of.members {
		value, there := object[name]
		switch at := path + "." + name; {
		case !there:
			s.absent[at] = true
		case value == nil:
			s.nulls[at] = true
		default:
			s.value(at, member, value)
		}
	}
	for name := range object {
		if at := path + "." + name; of.members[name] == nil && of.members != nil {
			s.unknown[at] = true
		}
	}
}

func (s *survey) text(path string, of *shape, text string) {
	switch {
	case text == "" && !strings.HasSuffix(path, "ipAccessList.description"):
		s.empty[path] = true
	case of.kind == isNumber && quantity.MatchString(text):
		s.quantities[path] = true
	case of.kind == isNumber && number.MatchString(text):
		s.numbers["quoted"]++
	case of.kind == isNumber:
		s.texts[path] = true
	case of.kind == isTime:
		s.times[timeNotation(text)]++
	case strings.HasSuffix(path, "ipAccessList.source"):
		s.addresses[addressNotation(text)]++
	}
}

var (
	number   = regexp.MustCompile(`^-?[\d.]+([eE][-+]?\d+)?$`)
	quantity = regexp.MustCompile(`^[\d.]+([munkKMG]i?)$`)
	digit    = regexp.MustCompile(`\d`)
)

// number counts the notations of whole numbers.
func (s *survey) number(path, text string) {
	isBackup := path == "backup.sizeInBytes" || path == "backup.durationInSeconds"
	whole, fraction, decimal := strings.Cut(text, ".")
	notation := "5"
	switch {
	case strings.ContainsAny(text, "eE"):
		notation = "5e0"
	case decimal && strings.Trim(fraction, "0") == "":
		notation = "5.0"
	case decimal && isBackup:
		notation = "5.5"
	case decimal || whole == "":
		return // not a whole number
	}
	if isBackup {
		s.backupNumbers[notation]++
	} else {
		s.numbers[notation]++
	}
}

// timeNotation is a time whose date and time of day are zeros.
func timeNotation(text string) string {
	const dateAndTime = len("0000-00-00T00:00:00")
	if len(text) < dateAndTime {
		return "another form"
	}
	head, zone := text[:dateAndTime], text[dateAndTime:]
	if strings.HasPrefix(zone, ".") {
		end := 1 + len(zone[1:]) - len(strings.TrimLeft(zone[1:], "0123456789"))
		head, zone = head+zone[:end], zone[end:]
	}
	return digit.ReplaceAllString(head, "0") + zone
}

func addressNotation(source string) string {
	_, bits, isRange := strings.Cut(source, "/")
	switch {
	case isRange && (bits == "32" || bits == "128"):
		return "single addresses as ranges (/32, /128)"
	case isRange:
		return "ranges"
	}
	return "plain addresses"
}
