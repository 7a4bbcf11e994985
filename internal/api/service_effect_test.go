package api

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// TestListsOfUnknownOutcome: a PATCH that adds or removes is not sent again
// before the service was looked at.
func TestListsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	const (
		old  = `{"ipAccessList":[{"source":"10.0.0.1"}]}`
		half = `{"ipAccessList":[{"source":"10.0.0.2"}]}`
		done = `{"ipAccessList":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}]}`
		both = `{"ipAccessList":{"add":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}],"remove":[{"source":"10.0.0.1"}]}}`
		rest = `{"ipAccessList":{"add":[{"source":"10.0.0.3"}]}}`
	)
	want := wantList(AccessEntry{Source: "10.0.0.2"}, AccessEntry{Source: "10.0.0.3"})
	planned := want
	planned.IPAccessList.Before = ValueOf([]AccessEntry{{Source: "10.0.0.1"}})
	named := want
	named.Name = ValueOf("n")
	down := func() stub { return reply(503, `{"error":"down"}`) }
	bodies := func(first string, reads int, second string) []string {
		return slices.Concat([]string{`{}`, first}, slices.Repeat([]string{`{}`}, reads), []string{second})
	}
	for _, test := range []struct {
		name    string
		want    ServiceUpdate
		retries int
		answers []stub
		bodies  []string
		fails   bool
	}{
		{"it was acted on", want, 3, []stub{ok(old), down(), ok(done)}, []string{`{}`, both, `{}`}, false},
		{
			"it was not", want, 3,
			slices.Concat([]stub{ok(old), down()}, slices.Repeat([]stub{ok(old)}, 6), []stub{ok(done)}),
			bodies(both, 6, both),
			false,
		},
		{"it was, later", want, 3, []stub{ok(old), down(), ok(old), ok(old), ok(done)}, []string{`{}`, both, `{}`, `{}`, `{}`}, false},
		{"it was in part", want, 3, []stub{ok(old), cut(), ok(half), ok(done)}, []string{`{}`, both, `{}`, rest}, false},
		{
			"it was, but perhaps not the details", named, 3,
			[]stub{ok(old), down(), ok(done), ok(done)},
			[]string{`{}`, `{"name":"n","ipAccessList":` + both[len(`{"ipAccessList":`):], `{}`, `{"name":"n"}`},
			false,
		},
		{
			"the budget is one for all", want, 3,
			slices.Concat([]stub{ok(old), down(), down()}, slices.Repeat([]stub{ok(old)}, 6), []stub{down(), down()}),
			append(bodies(both, 7, both), `{}`),
			true,
		},
		{"no budget", want, 0, []stub{ok(old), down()}, []string{`{}`, both}, true},
		{"reading is refused", want, 3, []stub{ok(old), down(), reply(405, "")}, []string{`{}`, both, `{}`}, true},
		{"the list is not shown", planned, 3, []stub{ok(`{}`), down(), ok(`{}`)}, []string{`{}`, both, `{}`}, true},
		{"an empty list is left out", want, 3, []stub{ok(old), down(), ok(`{}`), ok(done)}, []string{`{}`, both, `{}`, `{"ipAccessList":{"add":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}]}}`}, false},
		{"malformed answers are final", want, 3, []stub{ok(old), reply(200, "<html>")}, []string{`{}`, both}, true},
		{"a 429 was not acted on", want, 0, []stub{ok(old), reply(429, ""), ok(done)}, []string{`{}`, both, both}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var answers []network
				var requests []sent
				for _, resp := range test.answers {
					answers = append(answers, says(resp))
				}
				for _, body := range test.bodies {
					requests = append(requests, patchService(body))
				}
				talk := converse(t, answers...)
				c := withoutNetwork(t, talk.answer, func(config *transport.Config) { config.MaxRetries = test.retries })
				got, err := c.UpdateService(t.Context(), serviceID, test.want)
				talk.expect(requests...)
				if !test.fails {
					if err != nil {
						t.Fatal(err)
					}
					if list, _ := got.IPAccessList.Get(); len(list) != 2 {
						t.Errorf("list %v", list)
					}
					return
				}
				if e := asError(t, err); !e.OutcomeUnknown || e.Operation != "update service" {
					t.Errorf("%+v", e)
				}
				if c.services.at(serviceID).newest() != nil {
					t.Error("what may have changed is still remembered")
				}
			})
		})
	}
}

// TestLookingAgainJoinsNoReadFromBefore: one that began before the PATCH may
// still show the list as it was.
func TestLookingAgainJoinsNoReadFromBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, patches := 0, 0
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if body, err := io.ReadAll(r.Body); err != nil || string(body) != "{}" {
				patches++
				return reply(500, ""), err
			}
			switch reads++; reads {
			case 1:
				return ok(`{"ipAccessList":[]}`), nil
			case 2:
				time.Sleep(20 * time.Second)
				return ok(`{"ipAccessList":[]}`), nil
			default:
				return ok(`{"ipAccessList":[{"source":"10.0.0.1"}]}`), nil
			}
		})
		if _, err := c.Service(t.Context(), serviceID); err != nil {
			t.Fatal(err)
		}
		var early sync.WaitGroup
		early.Go(func() {
			if _, err := c.Fresh().Service(t.Context(), serviceID); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		update(t, c, wantList(entry("10.0.0.1", "")))
		if patches != 1 {
			t.Errorf("%d PATCHes", patches)
		}
		early.Wait()
	})
}

// TestEmptyListsThatAreLeftOut: an API that leaves out empty lists shows that
// it has removed an entry, along with the one that was added over it.
func TestEmptyListsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	const (
		old     = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"}]}`
		done    = `{"ipAccessList":[{"source":"10.0.0.1","description":"new"}]}`
		add     = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`
		remove  = `{"ipAccessList":{"remove":[{"source":"10.0.0.1","description":"old"}]}}`
		replace = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`
	)
	conflict := func() stub { return reply(409, "") }
	for _, test := range []struct {
		name    string
		answers []stub
		bodies  []string
	}{
		{"the addition went with the removal", []stub{conflict(), ok(`{}`), ok(`{}`), ok(done)}, []string{add, replace, `{}`, add}},
		{"the removal shows late", []stub{conflict(), conflict(), ok(old), ok(`{}`), ok(done)}, []string{add, replace, remove, `{}`, add}},
		{"the response is only sparse", []stub{conflict(), ok(`{}`), ok(done)}, []string{add, replace, `{}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				talk, requests := serviceTalk(t, append([]stub{ok(old)}, test.answers...), append([]string{`{}`}, test.bodies...))
				sameJSON(t, update(t, withoutNetwork(t, talk.answer), wantList(entry("10.0.0.1", "new"))), done)
				talk.expect(requests...)
			})
		})
	}
}
