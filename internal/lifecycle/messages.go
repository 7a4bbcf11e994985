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
func (c Change) describeOld(name string) string {
	old, planned := c.Prior[name], c.Planned[name]
	isList := !isScalar(planned.Type(context.Background())) && !c.kind.managesKeys(name)
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
		if slices.Contains(c.kind.SharedLists, name) && !isEmpty {
			text += ", and the apply fails if one is missing"
		}
		return text
	}
	var parts []string
	if isList && isEmpty {
		parts = append(parts, "was empty")
	}
	wrong := c.compare(name)
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

// describeWrong says what the API shows instead of the planned value, and what to do. An
// entry that it shows in place of a planned one is most likely another form of it.
func (c Change) describeWrong(name string) (what, whatToDo string) {
	planned, prior, shown := c.Planned[name], c.Prior[name], c.Shown[name]
	after, old, now := Entries(planned), Entries(prior), Entries(shown)
	if after == nil || now == nil {
		return "returns " + describe(shown) + " instead of " + describe(planned), remedy(isOtherForm(planned, prior, shown))
	}
	wrong := c.compare(name)
	others := slices.Concat(wrong.unplanned, wrong.leftOver)
	isForm := len(others) > 0 && (len(wrong.missing) > 0 || len(after) == 0)
	var parts []string
	if isForm {
		parts = append(parts, "returns "+Names(others)+" instead of "+cmp.Or(Names(wrong.missing), "an empty list"))
	} else {
		parts = slices.Concat(namesAfter("does not return ", wrong.missing), namesAfter("still returns ", wrong.leftOver))
	}
	for _, entry := range wrong.different {
		key := keyOf(planned, entry)
		parts = append(parts, fmt.Sprintf("returns %s instead of %s for %s", describe(now[key]), describe(after[key]), printable(entry)))
		isForm = isForm || isOtherForm(after[key], old[key], now[key])
	}
	return api.Listed(parts, ", "), remedy(isForm)
}

// isOtherForm reports whether the API shows what is most likely another form of a planned
// text: it is not the prior one, or APIs are known to store it instead.
func isOtherForm(planned, prior, shown attr.Value) bool {
	_, isText := shown.(interface{ ValueString() string })
	isKnown := isText && strings.TrimSpace(Text(planned)) == html.UnescapeString(Text(shown))
	return isKnown || isText && hasValue(shown) && !semanticEqual(shown, prior)
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
