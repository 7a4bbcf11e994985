package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// The first line of an error says why, unless that is a status of success.
func TestFailureSummary(t *testing.T) {
	t.Parallel()
	state := Attributes{"lamp_id": types.StringValue("2222")}
	for status, want := range map[int]string{
		http.StatusOK:                 "Unable to update lamp …2222",
		http.StatusServiceUnavailable: "Unable to update lamp …2222: service unavailable (503)",
	} {
		err := &transport.Error{Status: status, Message: "no JSON", OutcomeUnknown: true}
		failed := (&ProviderData{}).failure("update", lamp.Kind, state, err)[0]
		if failed.Summary() != want {
			t.Errorf("HTTP %d: %s", status, failed.Summary())
		}
	}
}

// One remedy for each cause. None if the API's own words say what to do.
func TestRemedies(t *testing.T) {
	t.Parallel()
	config := api.Config{Transport: transport.Config{BaseURL: &url.URL{}}}
	byPatch := api.New(config)
	config.ReadMethod = http.MethodGet
	byGet := api.New(config)
	config.Transport.KeyID = "33333333-3333-4333-8333-111111111111"
	withUUID := api.New(config)
	undocumented := lamp.Kind
	undocumented.NoDocumentedRead = true
	read := func(status int) transport.Error { return transport.Error{Status: status, RequestID: "r-1"} }
	write := func(status int) transport.Error {
		return transport.Error{Status: status, RequestID: "r-1", Writes: true}
	}
	for _, test := range []struct {
		client *api.Client
		kind   Kind
		failed transport.Error
		says   []string // nil: nothing
	}{
		{byPatch, lamp.Kind, write(401), []string{"Check key_id and key_secret"}},
		{withUUID, lamp.Kind, write(401), []string{"Check key_id and key_secret"}},
		{byPatch, lamp.Kind, write(403), []string{"Check the roles of the provider's key"}},
		{byPatch, lamp.Kind, read(404), []string{"Check organization_id, lamp_id, and that the provider's key belongs to that organization."}},
		{byPatch, lamp.Kind, write(404), []string{"If the lamp exists, the API may not offer this operation"}},
		{byPatch, lamp.Kind, write(405), []string{"If the lamp exists, the API may not offer this operation"}},
		{byPatch, lamp.Kind, write(424), []string{"The service is probably idle. Wake it"}},
		{byPatch, lamp.Kind, write(429), []string{"Set requests_per_second"}},
		{byPatch, lamp.Kind, write(400), nil},
		{byPatch, lamp.Kind, write(503), nil},
		{byPatch, lamp.Kind, transport.Error{Status: 503}, []string{"Check base_url"}}, // perhaps a proxy's
		{byPatch, lamp.Kind, transport.Error{Status: 200, RequestID: "r-1"}, []string{"Check base_url"}},
		{byPatch, lamp.Kind, transport.Error{Err: errors.New("refused")}, []string{"Check base_url"}},
		{byPatch, lamp.Kind, transport.Error{Err: context.DeadlineExceeded}, []string{"request_timeout"}},
		{byPatch, lamp.Kind, transport.Error{Err: api.ErrOverdue}, []string{"raise update_timeout"}},
		{byPatch, lamp.Kind, transport.Error{Err: context.Canceled}, nil},
		{byPatch, lamp.Kind, transport.Error{Status: 401, IsEnvelopeError: true}, nil},
		{byPatch, lamp.Kind, read(405), nil},
		{byPatch, undocumented, read(405), []string{"The provider sends an update without changes", `try read_method = "GET"`, `unreadable_objects = "warn"`}},
		{byGet, undocumented, read(405), []string{"documents no way to read", `try read_method = "PATCH"`, `unreadable_objects = "warn"`}},
		{byGet, undocumented, read(404), []string{"Check organization_id", `run once with read_method = "PATCH"`}},
		{byPatch, undocumented, read(404), []string{"Check organization_id, lamp_id, and that the provider's key belongs to that organization."}},
		{byPatch, undocumented, write(400), nil},
	} {
		got := (&ProviderData{Client: test.client}).remedy("update", test.kind, &test.failed)
		isAboutReads := strings.Contains(got, "read_method") || strings.Contains(got, "unreadable_objects")
		if (got == "") != (test.says == nil) || isAboutReads != (len(test.says) > 1) {
			t.Errorf("%+v: %q", test.failed, got)
		}
		if isHinted := strings.Contains(got, "key_id is a UUID: is it the id that was issued with the secret"); isHinted != (test.client == withUUID) {
			t.Errorf("%+v: %q", test.failed, got)
		}
		for _, want := range test.says {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: %q does not say %q", test.failed, got, want)
			}
		}
	}
}

// An entry's id may come from the API. It must not change what a terminal shows.
func TestNameOfAnEntry(t *testing.T) {
	t.Parallel()
	bulb := Kind{Noun: "bulb", IDs: []string{"lamp_id", "bulb_id"}, Owner: &Kind{Noun: "lamp", IDs: []string{"lamp_id"}}}
	a := Attributes{"lamp_id": types.StringValue("2222"), "bulb_id": types.StringValue("b\x1b")}
	if name := bulb.name(a); name != `bulb b\x1b of lamp 2222` {
		t.Errorf("%q", name)
	}
}

// A message says what the API returns.
func TestDescribeWrong(t *testing.T) {
	t.Parallel()
	text := func(s string) attr.Value { return types.StringValue(s) }
	for want, test := range map[string]struct {
		planned, prior, shown attr.Value
	}{
		"returns 2 instead of 4":                                       {types.Int64Value(4), types.Int64Value(3), types.Int64Value(2)}, // a number that is late in coming
		`returns no value instead of "a"`:                              {text("a"), text("b"), types.StringNull()},
		`returns "b" instead of "a"`:                                   {text("a"), text("b"), text("b")},
		`returns "a" instead of "a\n"`:                                 {text("a\n"), text("b"), text("a")},
		"does not return a as planned":                                 {list("a", "&", "b", "2"), list("a", "0"), list("a", "&amp;", "b", "2")},
		"still returns b":                                              {set("a"), set("a", "b"), set("a", "b", "c")},
		"does not return a, b as planned":                              {set("a", "b"), set("a"), set()}, // although a stays: an empty list becomes the planned one
		"returns A, c instead of a":                                    {set("a", "b"), set("b", "c"), set("A", "b", "c")},
		"does not return 10.1.0.0/16, which is within 10.0.0.0/8":      {set("10.0.0.0/8", "10.1.0.0/16"), set(), set("10.0.0.0/8")},
		"returns c instead of a":                                       {set("a"), set("c"), set("c")}, // the next apply says so, too
		"returns 0 instead of 1, 2, 3, 4, 5, 6, 7, 8, 9, a and 1 more": {set(strings.Split("123456789ab", "")...), set(), set("0")},
	} {
		if got, _ := changeOf(test.planned, test.prior, nil).describeWrong("x", test.shown); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What an adoption overwrites. A name from the API must not change what a terminal shows.
func TestDescribeOld(t *testing.T) {
	t.Parallel()
	for want, old := range map[string]attr.Value{
		"was 2":                     types.Int64Value(2),
		"was 1.5":                   types.Float64Value(1.5),
		"was false":                 types.BoolValue(false),
		`was "slow"`:                types.StringValue("slow"),
		`was "a\x1b\u202e\n"`:       types.StringValue("a\x1b\u202e\n"),
		"current value unknown":     types.StringUnknown(),
		"was a, b":                  set("b", "a"),
		"was 10.0.0.0/8, 192.0.2.7": list("192.0.2.7", "office", "10.0.0.0/8", ""),
		"was empty":                 set(),
		`was a\x1b\u202e\n`:         set("a\x1b\u202e\n"),
		"was 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more": set(strings.Split("0123456789a", "")...),
	} {
		if got := changeOf(old, old, nil).describeOld("x"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An error does not list more entries than are read.
func TestRefusedRemovals(t *testing.T) {
	t.Parallel()
	c := changeOf(set(), set(strings.Split("0123456789ab", "")...), nil)
	c.Shown, c.SharedLists = c.Prior, []string{"x"}
	if text := fmt.Sprint(c.refuseRemovals()); !strings.Contains(text, "lacks: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more. ") {
		t.Error(text)
	}
}
