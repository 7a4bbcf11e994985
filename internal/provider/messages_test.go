package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Where one cause fails many objects, each error names the setting to check in one
// line of a terminal.
func TestErrorsOfOneCauseAreShort(t *testing.T) {
	t.Parallel()
	long := `{"error":"` + strings.Repeat("The database is not available. ", 10) + `"}`
	for setting, faults := range map[string][]mockapi.Fault{
		"key_secret":          {fault(401)},
		"requests_per_second": {fault(429, "Retry-After", "3600")},
		"base_url": {
			{Status: 504, Kind: mockapi.FaultEmpty},
			{Kind: mockapi.FaultReset},
			{Status: 502, Body: long},
			{Status: 502, Kind: mockapi.FaultHTML},
			{Status: 404, Kind: mockapi.FaultHTML},
			{Kind: mockapi.FaultHTML},
			{Kind: mockapi.FaultEmpty},
			{Kind: mockapi.FaultRedirect},
			{Kind: mockapi.FaultOtherID},
			{Kind: mockapi.FaultCut},
		},
		"unreadable_objects": {fault(500)},
	} {
		for _, fault := range faults {
			env := newEnv(t)
			c := env.Core(t, map[string]any{"max_retries": 0})
			env.Fail(fault)
			for kind, config := range firstConfigs() {
				_, err := c.Plan(kind, c.Config(kind, config))
				if isPipe := strings.HasPrefix(kind, "pipe"); isPipe && setting == "unreadable_objects" {
					continue
				}
				summary, detail, isOneLine := strings.Cut(fmt.Sprint(err), ":  ") // the space keeps it on one line
				acctest.Contains(t, summary, "Unable to ad", " …")
				acctest.Contains(t, detail, setting)
				if !isOneLine || strings.Contains(detail, "\n") || len(summary) > 220 || strings.Contains(summary, "request ") {
					t.Errorf("%+v: %v", fault, err)
				}
			}
		}
	}
}
