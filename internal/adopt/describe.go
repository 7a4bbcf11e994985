package adopt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// maxDescription bounds how much of a value a message shows, in bytes.
const maxDescription = 200

// describe writes a value that the API returned into a message. Configured
// values are never shown: they may be sensitive, which a provider cannot see.
func describe(value attr.Value) string {
	if !hasValue(value) {
		return "no value"
	}
	text := value.String()
	if number, ok := value.(types.Float64); ok {
		text = strconv.FormatFloat(number.ValueFloat64(), 'f', -1, 64)
	}
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "") + " …"
	}
	return text
}

// describeOld says what a plan overwrites: "was 2", or for collections how many
// entries it adds, removes and changes.
func describeOld(old, planned attr.Value) string {
	if !hasValue(old) {
		return "current value unknown"
	}
	before := Elements(keepValueNotation(planned, old))
	if before == nil {
		return "was " + describe(old)
	}
	if planned.IsUnknown() {
		return "was " + count(len(before), "entry", "entries")
	}
	return describeEntries(before, Elements(planned))
}

func describeEntries(before, after map[string]attr.Value) string {
	var added, removed, changed int
	for key, value := range after {
		if old, ok := before[key]; !ok {
			added++
		} else if !old.Equal(value) {
			changed++
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok {
			removed++
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		verb string
	}{{added, "added"}, {changed, "changed"}, {removed, "removed"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.verb))
		}
	}
	return strings.Join(parts, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
