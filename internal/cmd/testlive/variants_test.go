package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// unobserved are the variants that a run against the seed cannot observe, and why.
var unobserved = map[string]string{
	"variant endpoints_always_listed": "no endpoint is disabled, and a run disables none",
	"variant bare_429":                "there is no rate limit",
	"variant remove_by=source":        "plain, as long as an address is listed once",
}

// needsWrites matches the variants that only changes show.
var needsWrites = regexp.MustCompile(`^variant (remove_|entry_identity|add_existing|settings_put|ignore_nulls|refuse_foreign|refuse_extra|postgres_|` +
	`sparse_settings|normalise_|frozen_roles|late|stale_)`)

// duration is one at the end of a flag: of a variant or a rate.
var duration = regexp.MustCompile(`[\d.]+m?s$`)

// expectFlags compares the flags of the last line with those of the mock API; a
// measured duration may be longer than the true one.
func expectFlags(t *testing.T, out string, want []string) {
	t.Helper()
	want = slices.Clone(want)
	if len(want) == 1 && unobserved[want[0]] != "" {
		want = nil
	}
	slices.Sort(want)
	got := flags(t, out)
	if !slices.EqualFunc(got, want, func(got, want string) bool {
		measured, _ := time.ParseDuration(duration.FindString(got))
		actual, _ := time.ParseDuration(duration.FindString(want))
		return measured >= actual && duration.ReplaceAllString(got, "") == duration.ReplaceAllString(want, "")
	}) {
		t.Errorf("flags %q, not %q\n%s", got, want, out)
	}
}

// Without writes, a run names each variant that reads show, and the rate limit.
func TestReadsNameVariants(t *testing.T) {
	t.Parallel()
	cases := [][]string{nil, {"variant shuffle", "variant numbers=decimal"}, {"rate 12/1s", "rate-headers retry-after", "variant bare_429"}}
	for _, named := range mockapi.AllVariants() {
		if flag := variantFlag(named.Name); !needsWrites.MatchString(flag) {
			cases = append(cases, []string{flag})
		}
	}
	for _, style := range mockapi.RateLimitStyles() {
		cases = append(cases, []string{fmt.Sprintf("rate-headers %s", style), "rate 12/1s"})
	}
	announces := regexp.MustCompile(`rate-headers (x-)?ratelimit(-remaining|-policy)?( |$)`)
	for _, want := range cases {
		t.Run(strings.Join(want, ","), func(t *testing.T) {
			t.Parallel()
			var args []string
			for _, flag := range want {
				args = append(args, strings.Fields("-"+flag)...)
			}
			out, err := runTest(t.Context(), t, startMock(t, args...), env{"DBPLATFORM_TEST_API_KEY_ID": mockapi.OtherAPIKeyID})
			if err != nil {
				t.Error(err)
			}
			expectFlags(t, out, want)
			// Headers that say how much is left keep a run from a refusal, and a
			// refusal from another.
			found := regexp.MustCompile(`\d+ of \d+ requests refused`).FindString(out)
			isRefused := slices.Contains(want, "rate 12/1s") && !announces.MatchString(strings.Join(want, " "))
			if isRefused && !strings.HasPrefix(found, "1 of ") || !isRefused && found != "" {
				t.Errorf("%q", found)
			}
		})
	}
}

func variantFlag(name string) string { return "variant " + name }

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
		{"refuse_empty_patch=400", "read_by_get", "sparse_patch_response"},
	}
	for _, named := range mockapi.AllVariants() {
		if needsWrites.MatchString(variantFlag(named.Name)) {
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
			before := objects(mock)
			out, err := runTest(t.Context(), t, serve(t, mock), writes(nil))
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			expectRestored(t, mock, before, out)
			var want []string
			for _, name := range names {
				want = append(want, variantFlag(name))
			}
			expectFlags(t, out, want)
		})
	}
}
