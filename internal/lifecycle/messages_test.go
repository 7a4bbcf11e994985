package lifecycle

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

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
		failed := (&ProviderData{}).failure("update", lamp.Kind, state, err)[0]
		if failed.Summary() != want {
			t.Errorf("HTTP %d: %s", status, failed.Summary())
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

// An error does not list more entries than are read.
func TestRefusedRemovals(t *testing.T) {
	t.Parallel()
	c := changeOf(set(), set(strings.Split("0123456789ab", "")...), nil)
	c.Shown, c.SharedLists = c.Prior, []string{"x"}
	if text := fmt.Sprint(c.refuseRemovals()); !strings.Contains(text, "lacks: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more. ") {
		t.Error(text)
	}
}
