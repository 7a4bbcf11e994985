package api

import (
	"fmt"
	"strings"
	"testing"
)

// A message has ten names at most.
func TestListed(t *testing.T) {
	t.Parallel()
	for n, end := range map[int]string{0: "", 10: "10.0.0.8, 10.0.0.9", 11: "10.0.0.9 and 1 more", 1009: "10.0.0.9 and 999 more", 3000: "10.0.0.9 and 2,990 more", 11003: "10.0.0.9 and 10,993 more"} {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("10.0.0.", i)
		}
		if got := Listed(names, ", "); !strings.HasSuffix(got, end) || strings.Count(got, "10.0.0.") != min(n, 10) {
			t.Errorf("%d: %s", n, got)
		}
	}
}
