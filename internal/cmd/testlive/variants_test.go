package main

import (
	"errors"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// unobserved are the variants that a run against the seed cannot observe, and why.
var unobserved = map[string]string{
	"endpoints_always_listed": "no endpoint is disabled, and a run disables none",
	"bare_429":                "there is no rate limit",
	"remove_by=source":        "plain, as long as an address is listed once",
}

// environment is the environment of a run against a mock API.
func environment(baseURL string, more map[string]string) func(string) string {
	all := map[string]string{
		"DBPLATFORM_BASE_URL":        baseURL,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,
		"DBPLATFORM_TEST_SERVICE_ID": mockapi.ServiceID,
		"DBPLATFORM_TEST_PIPE_ID":    strings.Join(pipeIDs, ","),
		"DBPLATFORM_TEST_API_KEY_ID": mockapi.APIKeyID,
	}
	maps.Copy(all, more)
	return func(name string) string { return all[name] }
}

// testDoubt is more than any variant takes to show a change.
const testDoubt = 300 * time.Millisecond

var pipeIDs = []string{mockapi.KafkaPipeID, mockapi.KinesisPipeID, mockapi.PostgresPipeID}

// objects returns everything in the store, without the times that move by
// themselves.
func objects(mock *mockapi.Server) []mockapi.Object {
	all := []mockapi.Object{
		mock.Object(mockapi.Service, mockapi.ServiceID), mock.Object(mockapi.Service, mockapi.OtherServiceID),
		mock.Object(mockapi.Key, mockapi.APIKeyID), mock.Object(mockapi.Key, mockapi.OtherAPIKeyID),
		mock.Object(mockapi.Pipe, mockapi.ObjectStoragePipeID),
	}
	for _, id := range pipeIDs {
		all = append(all, mock.Object(mockapi.Pipe, id))
	}
	for _, object := range all {
		delete(object, "updatedAt")
		delete(object, "usedAt")
		for name, value := range object {
			switch value := value.(type) {
			case []any: // in any order
				slices.SortFunc(value, func(a, b any) int { return strings.Compare(canonical(a), canonical(b)) })
			case string: // a time in any notation
				object[name] = canonical(value)
			}
		}
	}
	return all
}

// flags are those of the mock API in the last line of a run, sorted.
func flags(t *testing.T, out string) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	line := lines[len(lines)-1]
	if line == "make mock" {
		return nil
	}
	arguments, ok := strings.CutPrefix(line, "make mock ARGS='-")
	if !ok {
		t.Fatalf("the last line is %s", line)
	}
	all := strings.Split(strings.TrimSuffix(arguments, "'"), " -")
	slices.Sort(all)
	return all
}

// wanted are the flags of variants that a run can observe.
func wanted(names ...string) []string {
	var all []string
	for _, name := range names {
		if unobserved[name] == "" || len(names) > 1 {
			all = append(all, "variant "+name)
		}
	}
	slices.Sort(all)
	return all
}

// duration is one at the end of a flag: of a variant or a rate.
var duration = regexp.MustCompile(`[\d.]+m?s$`)

// sameFlags compares flags; a measured duration may be longer than the true one.
func sameFlags(got, want []string) bool {
	return slices.EqualFunc(got, want, func(got, want string) bool {
		measured, _ := time.ParseDuration(duration.FindString(got))
		actual, _ := time.ParseDuration(duration.FindString(want))
		return measured >= actual && duration.ReplaceAllString(got, "") == duration.ReplaceAllString(want, "")
	})
}

// With writes, a run names each variant that they show, and leaves all objects as they were.
func TestWritesNameVariants(t *testing.T) {
	t.Parallel()
	cases := [][]string{
		nil,
		{"missing=absent"},
		{"echo_write_only"},
		{"read_only_key"},
		{"shuffle"},
		{"sparse_patch_response"},
		{"entry_identity=whole", "remove_by=source"},
		{"stale_pipes=200ms", "settings_put=merge"},
	}
	for _, named := range mockapi.AllVariants() {
		if needsWrites.MatchString(named.Name) {
			cases = append(cases, []string{named.Name})
		}
	}
	for _, names := range cases {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			t.Parallel()
			variants, err := mockapi.ParseVariants(names...)
			if err != nil {
				t.Fatal(err)
			}
			mock := mockapi.New(mockapi.WithVariants(variants))
			server := httptest.NewServer(mock)
			defer server.Close()
			before := objects(mock)

			var out strings.Builder
			env := environment(server.URL, map[string]string{"DBPLATFORM_TEST_WRITES": "1"})
			journal := filepath.Join(t.TempDir(), "journal.json")
			if err := test(t.Context(), &out, env, &settings{journal: journal, doubt: testDoubt}); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, objects(mock)); diff != "" {
				t.Errorf("not restored:\n%s", diff)
			}
			if _, err := os.Stat(journal); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the journal is left: %v", err)
			}
			want := wanted(names...)
			if got := flags(t, out.String()); !sameFlags(got, want) {
				t.Errorf("flags %q, not %q", got, want)
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}
