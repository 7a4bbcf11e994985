package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// maxDescription bounds how much of a value or name a message shows, in bytes.
const maxDescription = 200

// describe writes a value into a message.
func describe(value attr.Value) string {
	if !hasValue(value) {
		return "no value"
	}
	text := value.String()
	if number, ok := value.(types.Float64); ok {
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

// describeOld says what a plan overwrites of an attribute: "was 2", or how the entries of a
// collection change. Those that it removes are named.
func (k Kind) describeOld(name string, remote, plan Attributes) string {
	old, planned := remote[name], plan[name]
	isList := !isScalar(planned.Type(context.Background())) && !k.managesKeys(name)
	switch {
	case !hasValue(old) && isList:
		return "current value unknown, other entries may be removed"
	case !hasValue(old):
		return "current value unknown"
	}
	before, after := Elements(keepValueNotation(planned, old)), Elements(planned)
	set, _ := planned.(types.Set) // or none, which has no elements
	switch {
	case before == nil:
		return "was " + describe(old)
	case planned.IsUnknown() || slices.ContainsFunc(set.Elements(), attr.Value.IsUnknown): // an unknown entry may be an old one
		was := "was " + count(len(before), "entry", "entries")
		if isList && len(before) > 0 {
			was += ", which may be removed"
		}
		return was
	}
	added, changed, _ := k.wrongEntries(name, plan, remote, remote)
	var parts []string
	if isList && len(before) == 0 {
		parts = append(parts, "was empty")
	}
	if news := counted([]int{len(added), len(changed)}, "added", "changed"); news != "" {
		parts = append(parts, news)
	}
	maps.DeleteFunc(before, func(key string, _ attr.Value) bool { return after[key] != nil })
	if removed := slices.Sorted(maps.Keys(before)); isList && len(removed) > 0 {
		parts = append(parts, "removes "+Names(removed))
	}
	return strings.Join(parts, ", ")
}

// describeWrong says what a response has instead of the planned value.
func (k Kind) describeWrong(name string, planned, before, response Attributes) string {
	got := response[name]
	if now, after := Entries(got), Entries(planned[name]); now != nil && after != nil {
		missing, different, leftOver := k.wrongEntries(name, planned, before, response)
		var parts []string
		if len(missing) > 0 {
			parts = append(parts, "missing: "+Names(missing))
		}
		if len(different) > 0 {
			for i, key := range different {
				different[i] = fmt.Sprintf("%s has %s instead of %s", printable(key), describe(now[key]), describe(after[key]))
			}
			parts = append(parts, "different: "+Listed(different, ", "))
		}
		if len(leftOver) > 0 {
			parts = append(parts, "left over: "+Names(leftOver))
		}
		return fmt.Sprintf("%s (%s)", count(len(now), "entry", "entries"), strings.Join(parts, "; "))
	}
	if semanticEqual(before[name], got) {
		return "the previous value"
	}
	return describe(got)
}

// counted lists the numbers that are not 0: "1 added, 2 changed".
func counted(numbers []int, names ...string) string {
	var parts []string
	for i, n := range numbers {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, names[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// Names lists names of entries, which may hold anything: "10.0.0.0/8, 10.1.0.0/16 and 7 more".
func Names(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = printable(name)
	}
	return Listed(shown, ", ")
}

// Listed joins at most ten texts.
func Listed(texts []string, separator string) string {
	const most = 10
	if n := len(texts) - most; n > 0 {
		return strings.Join(texts[:most], separator) + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(texts, separator)
}

// printable is a name from the API, which may hold anything, in one line.
func printable(name string) string {
	quoted := strconv.Quote(name)
	return cut(quoted[1 : len(quoted)-1])
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
