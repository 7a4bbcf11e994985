package transport

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var nextLink = regexp.MustCompile(`(?i)\brel="?[^",;]*\bnext\b`)

// HasMore reports whether the result is only one page of a list: the response has a Link to the
// next one, or a member beside the result that says so.
func (resp Response) HasMore() bool {
	var envelope map[string]json.RawMessage
	_ = json.Unmarshal(resp.body, &envelope)
	for name, value := range envelope {
		name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
		if (strings.HasPrefix(name, "next") || name == "hasmore") && !saysNothing(value) {
			return true
		}
	}
	return slices.ContainsFunc(resp.header.Values("Link"), nextLink.MatchString)
}
