package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// sameValue compares what two responses show: numbers and times in any notation,
// and lists without their order.
func sameValue(a, b any) bool { return canonical(a) == canonical(b) }

// canonical is a text that is equal for equal values.
func canonical(value any) string {
	switch value := value.(type) {
	case nil:
		return `""` // an expiry that is empty is none
	case json.Number:
		if rational, ok := new(big.Rat).SetString(string(value)); ok {
			return rational.RatString()
		}
	case string:
		if moment, err := time.Parse(time.RFC3339, value); err == nil {
			return moment.UTC().String()
		}
	case map[string]any: // what the documentation has of an access entry
		if source, ok := value["source"].(string); ok {
			description, _ := value["description"].(string)
			text, _ := json.Marshal(entry{source, description})
			return string(text)
		}
	case []any:
		elements := make([]string, len(value))
		for i, element := range value {
			elements[i] = canonical(element)
		}
		slices.Sort(elements)
		return "[" + strings.Join(elements, ",") + "]"
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// asNumber returns a value as a number, also one in quotes.
func asNumber(value any) (*big.Rat, bool) {
	text := fmt.Sprint(value)
	if _, isFlag := value.(bool); isFlag || !number.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// unquoted is a value as it is sent: a number without quotes.
func unquoted(value any) any {
	_, isText := value.(string)
	if rational, ok := asNumber(value); ok && isText {
		return decimal(rational)
	}
	return value
}

// decimal writes a number with no more digits than it needs.
func decimal(rational *big.Rat) json.Number {
	if rational.IsInt() {
		return json.Number(rational.Num().String())
	}
	const digits = 6
	return json.Number(strings.TrimRight(rational.FloatString(digits), "0"))
}

// entries reads an access list; false if it is none, or has an entry in another
// form.
func entries(value any) ([]entry, bool) {
	list, isList := value.([]any)
	read := make([]entry, 0, len(list))
	for _, element := range list {
		object, _ := element.(map[string]any)
		source, ok := object["source"].(string)
		if !ok {
			return nil, false
		}
		description, _ := object["description"].(string)
		read = append(read, entry{source, description})
	}
	return read, isList
}

// texts reads a list of texts.
func texts(value any) []string {
	list, _ := value.([]any)
	read := []string{} // not null in JSON
	for _, element := range list {
		if text, ok := element.(string); ok {
			read = append(read, text)
		}
	}
	return read
}

// without returns the elements of a that b does not have.
func without[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(element T) bool { return slices.Contains(b, element) })
}

// sameContent compares what was set with what the API shows: an access list
// without its notation.
func sameContent(a, b any) bool { return content(a) == content(b) }

func content(value any) string {
	text, _ := json.Marshal(value)
	decoded := decode(text)
	list, isList := entries(decoded)
	if !isList || len(list) == 0 {
		return canonical(unquoted(decoded))
	}
	var lines []any
	for _, e := range list {
		address, _, _ := strings.Cut(e.Source, "/32")
		address, _, _ = strings.Cut(address, "/128")
		lines = append(lines, address+" "+e.Description)
	}
	return canonical(lines)
}
