package lifecycle

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// maxDescription bounds how much of a value or name a message shows, in bytes.
const maxDescription = 200

// describe writes a value into a message.
func describe(value attr.Value) string {
	if !hasValue(value) {
		return "no value"
	}
	text := value.String()
	if number, ok := value.(interface{ ValueFloat64() float64 }); ok {
		text = strconv.FormatFloat(number.ValueFloat64(), 'f', -1, 64)
	}
	return cut(text)
}

func cut(text string) string {
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "") + " …"
	}
	return text
}

// describeOld says what an adoption overwrites of an attribute: "was 2", or how the entries
// of a collection change.
func (k Kind) describeOld(name string, remote, plan Attributes) string {
	old, planned := remote[name], plan[name]
	isList := !isScalar(planned.Type(context.Background())) && !k.managesKeys(name)
	switch {
	case !hasValue(old) && isList:
		return "current value unknown, other entries may be removed"
	case !hasValue(old):
		return "current value unknown"
	case Elements(old) == nil:
		return "was " + describe(old)
	}
	isEmpty := len(Elements(old)) == 0
	if isPartlyUnknown(planned) {
		text := "was " + cmp.Or(Names(entryNames(old)), "empty")
		if slices.Contains(k.SharedLists, name) && !isEmpty {
			text += ", and the apply fails if one is missing"
		}
		return text
	}
	var parts []string
	if isList && isEmpty {
		parts = append(parts, "was empty")
	}
	wrong := k.compareEntries(name, plan, remote, remote)
	parts = append(parts, namesAfter("adds ", wrong.missing)...)
	for _, entry := range wrong.different {
		parts = append(parts, fmt.Sprintf("%s was %s", printable(entry), describe(Entries(old)[keyOf(planned, entry)])))
	}
	return api.Listed(append(parts, namesAfter("removes ", wrong.leftOver)...), ", ")
}

// isPartlyUnknown reports whether an entry is known only after apply: it may be an old one.
func isPartlyUnknown(planned attr.Value) bool {
	set, _ := planned.(types.Set) // or none, which has no elements
	return planned.IsUnknown() || slices.ContainsFunc(set.Elements(), attr.Value.IsUnknown)
}

// describeWrong says what a response shows instead of the planned value, and what to do. An
// entry that it shows in place of a planned one is most likely another form of it.
func (k Kind) describeWrong(name string, planned, before, response Attributes) (what, whatToDo string) {
	got := response[name]
	old, after, now := Entries(before[name]), Entries(planned[name]), Entries(got)
	if after == nil || now == nil {
		return "returns " + describe(got) + " instead of " + describe(planned[name]), remedy(isOtherForm(planned[name], before[name], got))
	}
	wrong := k.compareEntries(name, planned, before, response)
	others := slices.Concat(wrong.unplanned, wrong.leftOver)
	isForm := len(others) > 0 && (len(wrong.missing) > 0 || len(after) == 0)
	var parts []string
	if isForm {
		parts = append(parts, "returns "+Names(others)+" instead of "+cmp.Or(Names(wrong.missing), "an empty list"))
	} else {
		parts = slices.Concat(namesAfter("does not return ", wrong.missing), namesAfter("still returns ", wrong.leftOver))
	}
	for _, entry := range wrong.different {
		key := keyOf(planned[name], entry)
		parts = append(parts, fmt.Sprintf("returns %s instead of %s for %s", describe(now[key]), describe(after[key]), printable(entry)))
		isForm = isForm || isOtherForm(after[key], old[key], now[key])
	}
	return api.Listed(parts, ", "), remedy(isForm)
}

// isOtherForm reports whether got is most likely another form of a planned text: it is not
// the old one, or APIs are known to store it instead.
func isOtherForm(planned, before, got attr.Value) bool {
	_, isText := got.(interface{ ValueString() string })
	isKnown := isText && strings.TrimSpace(Text(planned)) == html.UnescapeString(Text(got))
	return isKnown || isText && hasValue(got) && !semanticEqual(got, before)
}

// remedy says what to do about a value that is not as planned. What looks like another form
// may be the old value of a slow API.
func remedy(isForm bool) string {
	if isForm {
		return "If that means the same, write it as the API returns it. Otherwise, it may still show."
	}
	return mayStillShow + " If it never shows, write it as the API returns it, or leave it out."
}

// namesAfter is a text with names, or nothing without any.
func namesAfter(text string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{text + Names(names)}
}

// Names lists names of entries, which may hold anything.
func Names(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = printable(name)
	}
	return api.Listed(shown, ", ")
}

// printable is a name from the API, which may hold anything, in one line.
func printable(name string) string {
	quoted := strconv.Quote(name)
	return cut(quoted[1 : len(quoted)-1])
}
