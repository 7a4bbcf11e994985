package adopt

import (
	"strings"
	"testing"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestControlCharacters: a name from the API must not change what a terminal shows.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	const name = "orders\x1b[2J\x07\u202e\u0085\nApply complete!\r"
	names := types.SetValueMust(types.StringType, []attr.Value{types.StringValue(name)})
	for _, text := range []string{
		describe(types.StringValue(name)),
		describe(names),
		describeOld(names, types.SetValueMust(types.StringType, []attr.Value{})),
	} {
		changesTerminal := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
		if !strings.Contains(text, "orders") || strings.ContainsFunc(text, changesTerminal) {
			t.Errorf("%q", text)
		}
	}
}
