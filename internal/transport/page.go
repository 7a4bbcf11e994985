package transport

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var nextLink = regexp.MustCompile(`(?i)\brel="?[^",;]*\bnext\b`)

// moreMembers are what an envelope calls the next page, in small letters without underscores.
var moreMembers = []string{"next", "nextcursor", "nextpage", "nextpagetoken", "nexttoken", "nextlink", "nexturl", "hasmore", "hasnext", "hasnextpage"}

// HasMore reports whether the result is only one page of a list: the response has a Link to the
// next one, or a member that says so, beside the result or in an object there.
func (resp Response) HasMore() bool {
	return slices.ContainsFunc(resp.header.Values("Link"), nextLink.MatchString) || namesMore(resp.body, 2)
}

// namesMore reports whether an object has such a member with a value, or an object in it does, down to
// a depth.
func namesMore(data []byte, depth int) bool {
	var object map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(data, &object) != nil {
		return false
	}
	for name, value := range object {
		isMore := slices.Contains(moreMembers, strings.ToLower(strings.ReplaceAll(name, "_", "")))
		isNone := slices.Contains([]string{"null", `""`, "0", "false", "{}", "[]"}, string(value))
		if isMore && !isNone || namesMore(value, depth-1) {
			return true
		}
	}
	return false
}
