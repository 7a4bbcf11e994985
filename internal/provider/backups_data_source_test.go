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

// What may be missing is a warning, without another request.
func TestBackupWarnings(t *testing.T) {
	t.Parallel()
	const leftOut, page = "Backups that latest leaves out: service …1111", "Not all backups are shown: service …1111"
	for _, test := range []struct {
		variants mockapi.Variants
		latest   any
		warnings []string
	}{
		{mockapi.Variants{}, "backup-3", nil},
		{mockapi.Variants{BackupStatus: true}, "backup-3", []string{leftOut, "backup-7 (status failed, finished at 2025-07-07T01:00:20Z), backup-8 (status deleted,", "backup-10 (status cancelled,"}},
		{mockapi.Variants{BackupStatus: true, CapitalEnums: true}, "backup-3", []string{leftOut, "backup-9 (status RUNNING,"}},
		{mockapi.Variants{UnreadableBackupTimes: true}, nil, []string{leftOut, "backup-2 (status none, finished at 2 July 2025, 01:20)"}},
		{mockapi.Variants{MoreBackups: mockapi.NextLink}, "backup-3", []string{page}},
		{mockapi.Variants{MoreBackups: mockapi.HasMore}, "backup-3", []string{page}},
	} {
		env := newEnv(t, mockapi.WithVariants(test.variants))
		c := env.Core(t, nil)
		found, err := c.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID})
		if err != nil {
			t.Fatal(err)
		}
		latest, _ := acctest.Plain(found).(map[string]any)["latest"].(map[string]any)
		if latest["backup_name"] != test.latest || (len(c.Warnings) > 0) != (test.warnings != nil) {
			t.Errorf("%+v: the latest is %v, with the warnings %q", test.variants, latest["backup_name"], c.Warnings)
		}
		acctest.Contains(t, strings.Join(c.Warnings, "\n"), test.warnings...)
		acctest.Lacks(t, strings.Join(c.Warnings, "\n"), "backup-5", "backup-6", "backup-11")
		if n := len(env.Requests()); n != 1 {
			t.Errorf("%+v: %d requests", test.variants, n)
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
	backup := func(name, finished string) api.Object { return status(`"null"`, name, finished) }
	for name, test := range map[string]struct {
		backups []api.Object
		want    string
		unsure  int
	}{
		"none":                     {nil, "", 0},
		"none finished":            {[]api.Object{backup("a", "null"), backup("b", "")}, "", 0},
		"unordered":                {[]api.Object{backup("a", "2025-01-02T00:00:00Z"), backup("b", "2025-01-03T00:00:00Z"), backup("c", "2025-01-01T00:00:00Z")}, "b", 0},
		"by instant, not by text":  {[]api.Object{backup("a", "2025-01-01T09:00:00Z"), backup("b", "2025-01-01T05:00:00-05:00")}, "b", 0},
		"the first of two at once": {[]api.Object{backup("a", "2025-01-01T00:00:00Z"), backup("b", "2025-01-01T01:00:00+01:00")}, "a", 0},
		"no instant":               {[]api.Object{backup("a", "yesterday"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "20250102")}, "b", 2},
		"one unfinished among":     {[]api.Object{backup("a", "null"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "null")}, "b", 0},
		"failed":                   {[]api.Object{status(`"done"`, "a", "2025-01-01T00:00:00Z"), status(`"error"`, "b", "2025-01-02T00:00:00Z")}, "a", 0},
		"in progress":              {[]api.Object{backup("a", "2025-01-01T00:00:00Z"), status(`"in_progress"`, "b", "2025-01-02T00:00:00Z")}, "a", 0},
		"done, in any case":        {[]api.Object{status(`"done"`, "a", "2025-01-01T00:00:00Z"), status(`"DONE"`, "b", "2025-01-02T00:00:00Z")}, "b", 0},
		"failed, in any case":      {[]api.Object{status(`"Error"`, "a", "2025-01-01T00:00:00Z"), status(`"IN_PROGRESS"`, "b", "null")}, "", 0},
		"no status":                {[]api.Object{status(`""`, "a", "2025-01-01T00:00:00Z")}, "a", 0},
		"of an unknown status":     {[]api.Object{status(`"archived"`, "a", "2025-01-01T00:00:00Z"), status(`3`, "b", "null")}, "", 2},
		"older and unknown":        {[]api.Object{status(`"archived"`, "a", "2025-01-01T00:00:00Z"), status(`"done"`, "b", "2025-01-01T00:00:00Z")}, "b", 0},
		"newer and unknown":        {[]api.Object{status(`"archived"`, "a", "2025-01-02T00:00:00Z"), status(`"done"`, "b", "2025-01-01T00:00:00Z")}, "b", 1},
		"done, and no end":         {[]api.Object{status(`"done"`, "a", "null"), status(`"done"`, "b", "0001-01-01T00:00:00Z")}, "", 2},
		"a number as the end":      {[]api.Object{{"finishedAt": json.RawMessage("1735689600")}}, "", 1},
		"failed, without an end":   {[]api.Object{status(`"error"`, "a", "yesterday")}, "", 0},
		"finished in the year 1":   {[]api.Object{backup("a", "0001-01-01T00:00:00Z"), backup("b", "0001-01-01 00:00:00-05:00")}, "", 0},
	} {
		last, unsure := latest(test.backups)
		if got := last.Text("backupName"); got != test.want || len(unsure) != test.unsure {
			t.Errorf("%s: got %q, want %q, unsure of %v", name, got, test.want, unsure)
		}
	}
}
