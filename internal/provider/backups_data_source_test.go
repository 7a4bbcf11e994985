package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// That there are more backups is a warning, without another request.
func TestMoreBackups(t *testing.T) {
	t.Parallel()
	for more, warning := range map[string]string{"": "", "more_backups=link": "Not all backups are shown: service …1111"} {
		env := newEnv(t, mockapi.WithVariants(parseVariants(t, strings.Fields(more))))
		c := env.Core(t, nil)
		if _, err := c.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID}); err != nil {
			t.Fatal(err)
		}
		if acctest.Contains(t, strings.Join(c.Warnings, "\n"), warning); (len(c.Warnings) > 0) != (warning != "") || len(env.Requests()) != 1 {
			t.Errorf("%q: %q, %d requests", more, c.Warnings, len(env.Requests()))
		}
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	status := func(status, name, finished string) api.Object {
		finished = strings.ReplaceAll(fmt.Sprintf("%q", finished), `"null"`, "null")
		return api.Object{
			"backupName": json.RawMessage(`"` + name + `"`), "finishedAt": json.RawMessage(finished), "status": json.RawMessage(status),
		}
	}
	backup := func(name, finished string) api.Object { return status(`null`, name, finished) }
	for name, test := range map[string]struct {
		backups []api.Object
		want    string
	}{
		"none":                     {nil, ""},
		"none finished":            {[]api.Object{backup("a", "null"), backup("b", "")}, ""},
		"unordered":                {[]api.Object{backup("a", "2025-01-02T00:00:00Z"), backup("b", "2025-01-03T00:00:00Z"), backup("c", "2025-01-01T00:00:00Z")}, "b"},
		"by instant, not by text":  {[]api.Object{backup("a", "2025-01-01T09:00:00Z"), backup("b", "2025-01-01T05:00:00-05:00")}, "b"},
		"the first of two at once": {[]api.Object{backup("a", "2025-01-01T00:00:00Z"), backup("b", "2025-01-01T01:00:00+01:00")}, "a"},
		"no instant":               {[]api.Object{backup("a", "yesterday"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "20250102")}, "b"},
		"one unfinished among":     {[]api.Object{backup("a", "null"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "null")}, "b"},
		"failed":                   {[]api.Object{status(`"done"`, "a", "2025-01-01T00:00:00Z"), status(`"error"`, "b", "2025-01-02T00:00:00Z")}, "a"},
		"in progress":              {[]api.Object{backup("a", "2025-01-01T00:00:00Z"), status(`"in_progress"`, "b", "2025-01-02T00:00:00Z")}, "a"},
		"done, in any case":        {[]api.Object{status(`"done"`, "a", "2025-01-01T00:00:00Z"), status(`"DONE"`, "b", "2025-01-02T00:00:00Z")}, "b"},
		"failed, in any case":      {[]api.Object{status(`"Error"`, "a", "2025-01-01T00:00:00Z"), status(`"IN_PROGRESS"`, "b", "null")}, ""},
		"no status":                {[]api.Object{status(`""`, "a", "2025-01-01T00:00:00Z")}, "a"},
		"of an unknown status":     {[]api.Object{status(`"archived"`, "a", "2025-01-01T00:00:00Z"), status(`3`, "b", "null")}, ""},
		"older and unknown":        {[]api.Object{status(`"archived"`, "a", "2025-01-01T00:00:00Z"), status(`"done"`, "b", "2025-01-01T00:00:00Z")}, "b"},
		"newer and unknown":        {[]api.Object{status(`"archived"`, "a", "2025-01-02T00:00:00Z"), status(`"done"`, "b", "2025-01-01T00:00:00Z")}, "b"},
		"done, and no end":         {[]api.Object{status(`"done"`, "a", "null"), status(`"done"`, "b", "0001-01-01T00:00:00Z")}, ""},
		"a number as the end":      {[]api.Object{{"finishedAt": json.RawMessage("1735689600")}}, ""},
		"failed, without an end":   {[]api.Object{status(`"error"`, "a", "yesterday")}, ""},
		"finished in the year 1":   {[]api.Object{backup("a", "0001-01-01T00:00:00Z"), backup("b", "0001-01-01 00:00:00-05:00")}, ""},
	} {
		if got := latest(test.backups).Text("backupName"); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
