package mockapi

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestVariantsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("VARIANTS.md")
	if err != nil {
		t.Fatal(err)
	}
	all := AllVariants()
	for _, variant := range all {
		if row := fmt.Sprintf("\n| `%s` | %s | ", variant.Name, variant.Doc); !strings.Contains(string(page), row) {
			t.Errorf("VARIANTS.md has no row that begins with %s", row)
		}
	}
	if rows := strings.Count(string(page), "\n| `"); rows != len(all) {
		t.Errorf("VARIANTS.md has %d rows for %d variants", rows, len(all))
	}
}
