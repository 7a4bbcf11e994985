package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// Errors name the entry, its service, what to do, and the API's own words.
func TestEntryIsRefused(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	refused := mockapi.Variants{AddExisting: "refuse_400"}
	c.Must(onEntry("203.0.113.9", "old"))
	env.SetVariants(refused)
	_, err := c.Run(onEntry("203.0.113.9", "new words"))
	acctest.Contains(t, fmt.Sprint(err), "Unable to update access list entry of service …1111: bad request (400)", "access list entry 203.0.113.9 of service "+mockapi.ServiceID, "203.0.113.9 is in the list already", "change its description in two applies")
	expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 old")

	const body = `{"error":"203.0.113.7 (other words) is not allowed"}`
	for status, skip := range map[int]int{422: 1, 500: 0, 404: 2} { // the update, the read, the update
		env = newEnv(t)
		env.Fail(mockapi.Fault{Operation: "updateService", Status: status, Skip: skip, Body: body})
		c = env.Core(t, map[string]any{"max_retries": 0})
		_, err = c.Run(onEntry("203.0.113.7", "other words"))
		acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …1111", "203.0.113.7 (other words) is not allowed",
			map[int]string{404: "If the service exists,"}[status])
		acctest.Lacks(t, fmt.Sprint(err, c.Warnings), "may exist now") // nothing was added
	}

	// The read of an apply fails, of an update and of a removal.
	env = newEnv(t)
	c = env.Core(t, map[string]any{"unreadable_objects": "error"})
	c.Must(onEntry("203.0.113.7", "old"))
	for _, config := range []acctest.Configs{onEntry("203.0.113.7", "new"), noEntry} {
		env.Fail(mockapi.Fault{Operation: "updateService", Status: 405, Skip: 1, Times: 1})
		_, err = c.Run(config)
		acctest.Contains(t, fmt.Sprint(err), `set read_method = "GET" in the provider block`)
	}

	c = newEnv(t, mockapi.WithVariants(mockapi.Variants{StaleServices: time.Hour})).Core(t, nil)
	_, err = c.Run(onEntry("203.0.113.9", nil))
	acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …1111", "the API's list does not have this entry")
	acctest.Contains(t, fmt.Sprint(c.Warnings), "The entry may exist now")
	acctest.Lacks(t, fmt.Sprint(err), "apply again") // that would say that it exists

	_, err = newEnv(t).Core(t, nil).Run(acctest.Configs{entryKind: {"service_id": notThere, "source": "203.0.113.9"}})
	acctest.Contains(t, fmt.Sprint(err), "Unable to add access list entry of service …9999: not found (404)", "Check organization_id, service_id, and that the key belongs")
}
