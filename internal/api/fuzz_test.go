package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// FuzzAnswer: whatever the API answers, each operation ends in a value or an
// error that can be shown, also while everything is logged.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []struct {
		status int
		header string
		body   string
	}{
		{200, "", enveloped(`{"id":"` + pipeID + `","scaling":{"replicas":3},"settings":{"x":[null]}}`)},
		{200, "", enveloped(`[{"id":null,"bucket":{}},null]`)},
		{200, "", enveloped(`{"ipAccessList":[null,{"source":null}],"endpoints":null,"roles":[1]}`)},
		{200, "", `{"status":1e9,"requestId":{},"result":[[]]}`},
		{200, "", "<html>"},
		{200, "", ""},
		{200, "", `{"result":"`},
		{429, "1e300", `{}`},
		{429, "-1", ``},
		{503, "Fri, 31 Dec 9999 23:59:59 GMT", "\xff"},
		{302, "//\x00", ``},
		{599, "", `{"errors":[[[[[["x"]]]]]]}`},
		{204, "", ""},
		{101, "", ""},
	} {
		f.Add(seed.status, seed.header, seed.body)
	}
	f.Fuzz(func(t *testing.T, status int, header, body string) {
		answer := func(*http.Request) (stub, error) {
			return reply(status, body, "Location", header, "X-Request-Id", header), nil
		}
		if status == http.StatusTooManyRequests {
			status = http.StatusInternalServerError // the wait it asks for is tested elsewhere
		}
		for operation, call := range everyOperation() {
			c := withoutNetwork(t, answer, func(config *transport.Config) {
				config.MaxRetries = 0
				config.Logger = slog.New(slog.NewJSONHandler(&bytes.Buffer{}, &slog.HandlerOptions{Level: transport.LevelTrace}))
			})
			if err := call(t.Context(), c); err != nil && len(err.Error()) > 8000 {
				t.Errorf("%s: an error of %d bytes", operation, len(err.Error()))
			}
		}
	})
}

// FuzzAccessListConverges: from any list to any other it takes one read and at
// most four PATCHes, whatever an entry's identity is and whatever adding an
// address that is there does.
func FuzzAccessListConverges(f *testing.F) {
	f.Add("10.0.0.0/8=a 10.0.0.1=b", "10.0.0.0/8=b 2001:DB8::1=c", false, false)
	f.Add("10.0.0.1=a", "10.0.0.1/32=b", true, true)
	f.Add("", "0.0.0.0/0= x=y", true, false)
	f.Add("a= b= c=", "", false, true)
	f.Fuzz(func(t *testing.T, from, to string, byAddress, replaces bool) {
		there, want := entriesOf(from), entriesOf(to)
		requests := 0
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			requests++
			var patch servicePatch
			if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
				t.Error(err)
			}
			there = patched(there, patch.IPAccessList, byAddress, replaces)
			body, err := json.Marshal(Service{IPAccessList: ValueOf(there)})
			return ok(string(body)), err
		})
		service, err := c.UpdateService(t.Context(), serviceID, ServiceUpdate{IPAccessList: wholeList(want...)})
		if err != nil {
			t.Fatal(err)
		}
		shown, _ := service.IPAccessList.Get()
		for _, got := range [][]AccessEntry{shown, there} {
			if len(without(got, want, identityOf)) > 0 || len(without(want, got, identityOf)) > 0 {
				t.Errorf("%q to %q ended at %v", from, to, got)
			}
		}
		if requests > 5 {
			t.Errorf("it took %d requests", requests)
		}
	})
}

// entriesOf reads "source=description source=…", one entry for each address.
func entriesOf(s string) []AccessEntry {
	var entries []AccessEntry
	for field := range strings.FieldsSeq(strings.ToValidUTF8(s, "")) {
		source, description, _ := strings.Cut(field, "=")
		entries = append(entries, AccessEntry{Source: source, Description: ValueOf(description)})
	}
	return distinct(entries, addressOf)
}

// patched is what an API makes of a list: it removes, by address or by whole
// entry, and then adds, in the place of an address that is there or beside it.
func patched(list []AccessEntry, change listChange[AccessEntry], byAddress, replaces bool) []AccessEntry {
	if byAddress {
		list = without(list, change.Remove, addressOf)
	} else {
		list = without(list, change.Remove, identityOf)
	}
	if replaces {
		list = without(list, change.Add, addressOf)
	}
	return append(without(list, change.Add, identityOf), change.Add...)
}
