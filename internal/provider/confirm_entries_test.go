package provider

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An entry that was accepted, and that neither the response nor a read shows, is a warning with the API's text.
func TestEntryNotConfirmed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hidden bool // else reads show no more than id and name
		writes func(mockapi.Object)
		warns  int
		sent   []string
	}{
		"hidden":                {true, func(object mockapi.Object) { clear(object); object["message"] = "queued" }, 1, []string{addMine}},
		"not shown":             {false, func(object mockapi.Object) { clear(object); object["message"] = "queued" }, 1, []string{addMine}},
		"hidden, an empty list": {true, func(object mockapi.Object) { object["ipAccessList"] = []any{} }, 1, []string{addMine, addMine}}, // the first to show the list
		"hidden, responds":      {true, nil, 0, []string{addMine}},
		"not shown, response":   {false, nil, 0, []string{addMine}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				if api.reads = showsNothing; test.hidden {
					env.SetVariants(mockapi.Variants{"refuse_empty_patch=405"})
				}
				api.writes = test.writes
				c := env.Core(t, nil)
				began := time.Now()
				c.Must(onEntry("203.0.113.9", "mine"))
				if found := warned(c, "Not confirmed: description, source: The API accepted the update of access list entry 203.0.113.9 of service "+mockapi.ServiceID); len(found) != test.warns || time.Since(began) > 0 {
					t.Errorf("after %s: %q", time.Since(began), c.Warnings)
				}
				env.ExpectWrites(t, "updateService", test.sent...)
				c.ExpectNoChanges(onEntry("203.0.113.9", "mine"))
			})
		})
	}
}

// Nothing shows that an entry is gone after its removal was accepted: a warning with the API's text. It is an error if the
// API, which has shown the list before, fails all reads.
func TestRemovalNotConfirmed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants mockapi.Variants
		fails    int // the status of all reads after the removal
	}{
		"hidden":    {mockapi.Variants{"refuse_empty_patch=405"}, 0},
		"bare":      {mockapi.Variants{"sparse_patch_response"}, 0},
		"busy":      {nil, 409},
		"not found": {nil, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				refuses, isAccepted := false, false
				env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
					w.Header().Set("Content-Type", "application/json")
					switch {
					case refuses && c.Writes():
						isAccepted = true
						_, _ = io.WriteString(w, `{"success":false,"message":"over quota"}`)
					case isAccepted && test.fails > 0:
						w.WriteHeader(test.fails)
						_, _ = io.WriteString(w, `{"error":"try later"}`)
					default:
						return false
					}
					return true
				}, mockapi.WithVariants(test.variants))
				c := env.Core(t, map[string]any{"unreadable_objects": "warn"})
				c.Must(onEntry("203.0.113.9", "mine"))
				plans := c.MustPlan(acctest.Configs{entryKind: nil})
				refuses = true
				err := c.ApplyAll(plans)
				if (err != nil) != (test.fails > 0) {
					t.Error(err)
				}
				says := fmt.Sprint(err, warned(c, "Not confirmed: removal of access list entry of service …1111"))
				acctest.Contains(t, says, "203.0.113.9", "Its response was: over quota")
				if test.fails > 0 {
					acctest.Contains(t, says, "try later")
				}
			})
		})
	}
}
