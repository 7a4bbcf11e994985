package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A change sets one attribute of one object to another value. The file change.json
// holds it until it is confirmed that the object is as before.
type change struct {
	Resource  string // without dbplatform_
	Object    string // in the output
	Path      string // of the object, below the organization
	Attribute string
	Member    string // the API's name for it
	Before    any    // as the state has it
	Value     any
}

func (c *change) kind() kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.resource == c.Resource })]
}

// check returns why a request is more than this change or its way back, by what
// was sent before.
func (c *change) check(e *exchange, before []*exchange) error {
	k := c.kind()
	if e.method != k.method || e.path != strings.TrimSuffix(c.Path+"/"+k.part, "/") || len(e.sent) == 0 {
		return fmt.Errorf("%s %s is not the change of %s", e.method, e.path, c.Attribute)
	}
	var shown map[string]any
	isRefused := false // so something may be left out
	for _, b := range before {
		if b.object() == c.Path && b.isWhole() {
			shown = b.shown(k.part)
		}
		isRefused = isRefused || b.path == e.path && b.isInvalid()
	}
	for name, value := range e.sent {
		switch isOther := name != c.Member; {
		case isOther && k.method == http.MethodPut && equal(value, shown[name]):
		case isOther:
			return fmt.Errorf("%s is not the attribute under test", name)
		case isList(value) && name != "roles":
			if err := c.checkList(value, shown[name]); err != nil {
				return err
			}
		case !equal(value, c.Before) && !equal(value, c.Value):
			return fmt.Errorf("%s has a value that is not of this test", name)
		}
	}
	if k.method == http.MethodPut && !isRefused {
		for name, value := range shown {
			if _, isSent := e.sent[name]; !isSent && value != nil {
				return fmt.Errorf("%s would be left out", name)
			}
		}
	}
	return nil
}

// checkList refuses to take an entry from a list, except the one that the test adds.
func (c *change) checkList(sent, shown any) error {
	known := append(sources(c.Before), sources(shown)...)
	own := without(sources(c.Value), sources(c.Before))
	if difference, ok := sent.(map[string]any); ok {
		if len(without(sources(difference["remove"]), own)) > 0 {
			return errors.New("an entry of a list is never removed")
		}
		sent = difference["add"]
	} else if len(without(without(known, own), sources(sent))) > 0 {
		return errors.New("an entry of a list is never removed")
	}
	if len(without(sources(sent), append(known, own...))) > 0 {
		return errors.New("only the entry of this test is added")
	}
	return nil
}

func isList(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// sources returns the entries of a list without their descriptions: of one in the
// state, or in a request or a response.
func sources(list any) (all []string) {
	switch list := list.(type) {
	case map[string]any:
		for source := range list {
			all = append(all, address(source))
		}
	case []any:
		for _, element := range list {
			if entry, ok := element.(map[string]any); ok {
				element = entry["source"]
			}
			all = append(all, address(fmt.Sprint(element)))
		}
	}
	return all
}

// address is one notation for an address or range. Other texts stay.
func address(text string) string {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked().String()
	}
	if ip, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(ip, ip.BitLen()).String()
	}
	return text
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(element string) bool { return slices.Contains(b, element) })
}

// equal compares values: numbers and times in any notation, lists without their order.
func equal(a, b any) bool { return canonical(a) == canonical(b) }

var number = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][-+]?\d{1,2})?$`)

func canonical(value any) string {
	switch value := value.(type) {
	case nil:
		return `""` // an empty expiry is none
	case json.Number:
		return canonical(string(value))
	case string:
		if number.MatchString(value) {
			rational, _ := new(big.Rat).SetString(value)
			return rational.RatString()
		}
		if moment, err := time.Parse(time.RFC3339, value); err == nil {
			return moment.UTC().String()
		}
	case []any:
		elements := make([]string, len(value))
		for i, element := range value {
			elements[i] = canonical(element)
		}
		slices.Sort(elements)
		return "[" + strings.Join(elements, ",") + "]"
	case map[string]any:
		var members []any
		for _, name := range slices.Sorted(maps.Keys(value)) {
			members = append(members, name+"="+canonical(value[name]))
		}
		return canonical(members)
	}
	text, _ := json.Marshal(value)
	return string(text)
}
