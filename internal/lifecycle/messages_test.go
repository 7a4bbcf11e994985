package lifecycle

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// One remedy for each cause.
func TestRemedies(t *testing.T) {
	t.Parallel()
	ofConnection := func(op string) transport.Error {
		return transport.Error{Err: &net.OpError{Op: op, Err: context.DeadlineExceeded}}
	}
	for want, failed := range map[string]transport.Error{
		"Check HTTPS_PROXY":                                          ofConnection("proxyconnect"),
		"Check base_url, and which TLS versions":                     ofConnection("remote error"),
		"plan or payment does not cover":                             {Status: http.StatusPaymentRequired},
		"Check base_url, and that the API is up.":                    {Status: http.StatusBadGateway},
		"wait for it; otherwise correct the cause":                   {Status: http.StatusConflict},
		"Wake it, for example by connecting to it.":                  {Status: http.StatusFailedDependency},
		"Run Terraform again; completed changes are not repeated":    {Err: context.Canceled},
		"Check base_url (the API's address, without /v1), and any p": {Status: http.StatusNotFound, NotFromAPI: true},
	} {
		if text := generalRemedy(&failed); !strings.Contains(text, want) {
			t.Errorf("got %q, want %q", text, want)
		}
	}
	for _, cause := range []error{api.ErrOverdue, context.Canceled} { // the update may show, or be applied
		if isCommon(&transport.Error{Err: cause}) {
			t.Errorf("an update is shortened: %v", cause)
		}
	}
	// An update that may be applied in part is described in full.
	for status := range 600 {
		if isCommon(&transport.Error{Status: status, OutcomeUnknown: true, NotFromAPI: true}) {
			t.Errorf("HTTP %d of unknown outcome is shortened", status)
		}
	}
}

var lamp = Definition{
	Kind:   Kind{TypeName: "lamp", Noun: "lamp", IDs: []string{"lamp_id"}},
	Schema: schema.Schema{Attributes: map[string]schema.Attribute{"lamp_id": schema.StringAttribute{Required: true}}},
}

// The first line of an error says why, unless that is a status of success.
func TestFailureSummary(t *testing.T) {
	t.Parallel()
	state := Attributes{"lamp_id": types.StringValue("2222")}
	for status, want := range map[int]string{
		http.StatusOK:                 "Unable to update lamp …2222",
		http.StatusServiceUnavailable: "Unable to update lamp …2222: service unavailable (503)",
	} {
		err := &transport.Error{Status: status, Message: "no JSON", OutcomeUnknown: true}
		failed := (&ProviderData{}).failure(updating, false, lamp.Kind, state, err)
		if failed.Summary() != want {
			t.Errorf("HTTP %d: %s", status, failed.Summary())
		}
	}
}

// If the API does not know the organization, the first advice is about it.
func TestUnknownOrganization(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Organization 0001 not found":                                                  "Check organization_id",
		"The organisation 0001 does not exist":                                         "Check organization_id",
		"Not Found: no such organization":                                              "Check organization_id",
		"The requested organization was not found":                                     "Check organization_id",
		"Organization id=0001 not found":                                               "Check organization_id",
		"organization with ID 00000000-0000-4000-8000-00000000000b could not be found": "Check organization_id",
		"Organization: not found":                                                      "Check organization_id",
		"Organization 'acme' does not exist":                                           "Check organization_id",
		"Organization unit 7 not found":                                                "Check service_id and pipe_id",
		"pipe not found in organization 0001":                                          "Check service_id and pipe_id",
		"Organization 0001: pipe not found":                                            "Check service_id and pipe_id",
		"Organization 0001 has no pipe 22":                                             "Check service_id and pipe_id",
		"NOT_FOUND: pipe 22 of service 11 unknown":                                     "Check service_id and pipe_id",
	} {
		if got := whichID([]string{"service_id", "pipe_id"}, &transport.Error{Message: message}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", message, got)
		}
	}
}

// A refusal is at the one attribute that it names, in the API's spelling or ours.
func TestAtNamed(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"ipAccessList: too many entries": "ip_access_list",
		"invalid ip_access_list":         "ip_access_list",
		"name and ipAccessList":          "",
		"roles are frozen":               "", // not sent
	} {
		err := &transport.Error{Status: http.StatusBadRequest, Message: message}
		got := atNamed([]string{"ip_access_list", "name"}, diag.Diagnostics{diag.NewErrorDiagnostic("Unable to update", message)}, err)
		at, isAt := got[0].(diag.DiagnosticWithPath)
		if isAt != (want != "") || isAt && !at.Path().Equal(path.Root(want)) {
			t.Errorf("%s: %v", message, got)
		}
	}
}

// An entry's id may come from the API. It must not change what a terminal shows.
func TestNameOfAnEntry(t *testing.T) {
	t.Parallel()
	bulb := Kind{Noun: "bulb", IDs: []string{"lamp_id", "bulb_id"}, EntryOf: &EntryOf{Owner: "lamp"}}
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
		`returns "0" instead of "1" for a`:                             {list("a", "1", "b", "2"), list("a", "0"), list("a", "0", "b", "2")},
		`returns "&amp;" instead of "&" for a`:                         {list("a", "&", "b", "2"), list("a", "0"), list("a", "&amp;", "b", "2")},
		"does not return a":                                            {list("a", "1"), list("b", "2"), list("b", "2")}, // b is not managed any more
		"still returns b":                                              {set("a"), set("a", "b"), set("a", "b", "c")},
		"does not return a, b":                                         {set("a", "b"), set("a"), set()}, // although a stays: an empty list becomes the planned one
		"returns A, c instead of a":                                    {set("a", "b"), set("b", "c"), set("A", "b", "c")},
		"returns c instead of a":                                       {set("a"), set("c"), set("c")}, // the next apply says so, too
		"returns 0 instead of 1, 2, 3, 4, 5, 6, 7, 8, 9, a and 1 more": {set(strings.Split("123456789ab", "")...), set(), set("0")},
	} {
		if got := changeOf(test.planned, test.prior, nil).describeWrong("x", test.shown); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A name from the API must not change what a terminal shows.
func TestDescribeOld(t *testing.T) {
	t.Parallel()
	partlyUnknown := types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})
	for want, values := range map[string][2]attr.Value{
		"was 2":                 {types.Int64Value(2), types.Int64Value(4)},
		"was 1.5":               {types.Float64Value(1.5), types.Float64Value(0.5)},
		`was "slow"`:            {types.StringValue("slow"), types.StringValue("fast")},
		"current value unknown": {types.StringNull(), types.StringValue("fast")},
		`adds d, a was "1"`:     {list("a", "1", "b", "2"), list("a", "2", "d", "")},
		"current value unknown, other entries may be removed": {types.SetNull(types.StringType), set("a")},
		"was empty, adds a":                    {set(), set("a")},
		"was admin":                            {set("admin"), types.SetUnknown(types.StringType)},
		"was empty":                            {set(), partlyUnknown},
		"adds developer, removes admin":        {set("admin"), set("developer")},
		"removes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9": {set(strings.Split("0123456789", "")...), set()},
		"removes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more": {set(strings.Split("0123456789a", "")...), set()},
		`was "a\x1b\u202e\n"`:                             {types.StringValue("a\x1b\u202e\n"), types.StringValue("fast")},
		`removes a\x1b\u202e\n`:                           {set("a\x1b\u202e\n"), set()},
		`removes a \"b\"`:                                 {set(`a "b"`), set()},
		"was a, b":                                        {set("a", "b"), partlyUnknown},
	} {
		if got := changeOf(values[1], values[0], values[0]).describeOld("x"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	shared := changeOf(partlyUnknown, set("a", "b"), set("a", "b"))
	shared.SharedLists = []string{"x"}
	if got := shared.describeOld("x"); got != "was a, b, and the apply fails if one is missing" {
		t.Error(got)
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
