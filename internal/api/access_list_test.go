package api

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// TestListsConverge: under every variant, a planned change is made in at most
// four PATCHes, on the way nothing that should stay is missing for longer than
// the variant forces, and what is not planned stays as it is.
func TestListsConverge(t *testing.T) {
	t.Parallel()
	eachVariant(t, func(t *testing.T, rt *rapid.T, v variant) { //nolint:thelper // the body of the test
		s := newSimulation(rt, v)
		start := slices.Clone(s.entries)
		u := ListUpdate[AccessEntry]{After: ValueOf(distinct(someEntries.Draw(rt, "after"), addressOf))}
		if rapid.Bool().Draw(rt, "has before") {
			u.Before = ValueOf(distinct(someEntries.Draw(rt, "before"), addressOf))
		}
		c := newClient(t, s.respond)
		_, err := c.UpdateService(t.Context(), serviceID, ServiceUpdate{IPAccessList: u})
		target := merged(u, start)
		if s.patches > 4 {
			rt.Errorf("%d PATCHes", s.patches)
		}
		checkGaps(rt, s, start, target)
		if err != nil && v.mayFail() {
			checkUnchangedDescriptions(rt, s, start, target)
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		if more, less := without(s.entries, target, identityOf), without(target, s.entries, identityOf); len(more)+len(less) > 0 {
			rt.Errorf("too much %v, too little %v", more, less)
		}
	})
}

// merged is the list that an update should result in, worked out entry by entry.
func merged(u ListUpdate[AccessEntry], shown []AccessEntry) []AccessEntry {
	before, hadBefore := u.Before.Get()
	after, _ := u.After.Get()
	find := func(list []AccessEntry, e AccessEntry, whole bool) bool {
		return slices.ContainsFunc(list, func(other AccessEntry) bool { return same(e, other, whole) })
	}
	var target []AccessEntry
	for _, e := range after {
		if !hadBefore || !find(before, e, true) {
			target = append(target, e)
		}
	}
	planned := target
	for _, e := range shown {
		removed := hadBefore && find(before, e, false) && !find(after, e, false)
		if hadBefore && !removed && !find(planned, e, false) {
			target = append(target, e)
		}
	}
	return target
}

// checkUnchangedDescriptions: an update that fails because of a description has
// lost no address.
func checkUnchangedDescriptions(rt *rapid.T, s *simulation, start, target []AccessEntry) {
	if lost := without(within(start, target, addressOf), s.entries, addressOf); len(lost) > 0 {
		rt.Errorf("lost %v", lost)
	}
}

// checkGaps looks for addresses in both lists that were missing in between. One
// whose only entry stays as it is never is. One that changes is for one PATCH at
// most, and for none if adding replaces, if entries of one address stand side by
// side and are removed one by one, or if what is removed is added again at once.
func checkGaps(rt *rapid.T, s *simulation, start, target []AccessEntry) {
	v := s.variant
	for _, e := range within(start, target, addressOf) {
		gaps := 0
		for _, state := range s.states {
			if len(within([]AccessEntry{e}, state, addressOf)) == 0 {
				gaps++
			}
		}
		alone := len(within(start, []AccessEntry{e}, addressOf)) == 1
		stays := alone && len(within([]AccessEntry{e}, target, identityOf)) == 1
		allowed := 1
		if stays || v.duplicate == duplicateInvalid || v.duplicate == duplicateReplaces && !v.addsByWhole || v.addsByWhole && v.removesByWhole || v.removesFirst && !v.byLetter && !v.removesByWhole {
			allowed = 0
		}
		if gaps > allowed {
			rt.Errorf("%v was missing for %d PATCHes of %d, not %d: %v", e, gaps, s.patches, allowed, s.states)
		}
	}
}

// TestNothingIsLost: whatever ends an update, an address that should stay is
// there, or the error names it.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	eachVariant(t, func(t *testing.T, rt *rapid.T, v variant) { //nolint:thelper // the body of the test
		s := newSimulation(rt, v)
		start := slices.Clone(s.entries)
		after := distinct(someEntries.Draw(rt, "after"), addressOf)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := newClient(t, s.respond, retries(1))
		at := rapid.IntRange(2, 6).Draw(rt, "disturbed request")
		length := rapid.SampledFrom([]int{1, 3, 100}).Draw(rt, "disturbed requests")
		lost := rapid.Bool().Draw(rt, "the API acts on it")
		kind := rapid.SampledFrom([]string{"cancel", "stop", "401", "403", "500", "html"}).Draw(rt, "disturbance")
		s.disturb = func(request int) (*response, bool) {
			if request < at || request >= at+length {
				return nil, false
			}
			var instead response
			switch kind {
			case "cancel":
				cancel()
				return nil, lost && request == at
			case "stop":
				c.Stop()
				return nil, lost && request == at
			case "401":
				instead = reply(401, "")
			case "403":
				instead = reply(403, "")
			case "500":
				instead = reply(500, "")
				return &instead, lost
			case "html":
				instead = reply(200, "<html>")
				return &instead, lost
			}
			return &instead, false
		}
		_, err := c.UpdateService(ctx, serviceID, ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{After: ValueOf(after)}})
		for _, e := range without(within(start, after, addressOf), s.entries, addressOf) {
			var failed *transport.Error
			named := ""
			if errors.As(err, &failed) {
				_, named, _ = strings.Cut(failed.Message, "add again: ")
			}
			if !slices.ContainsFunc(strings.Split(named, ", "), func(s string) bool { return CanonicalAddress(s) == CanonicalAddress(e.Source) }) {
				rt.Errorf("%v is missing, and the error is %v: %v", e, err, s.states)
			}
		}
	})
}

func TestThreeWayMerge(t *testing.T) {
	t.Parallel()
	a, b, c := entry("10.0.0.1", "a"), entry("10.0.0.2", "b"), entry("10.0.0.3", "c")
	changed, moved := entry("10.0.0.1", "new"), entry("10.0.0.1", "moved")
	list := func(entries ...AccessEntry) Value[[]AccessEntry] { return ValueOf(entries) }
	for _, test := range []struct {
		name          string
		before, after Value[[]AccessEntry]
		shown         []AccessEntry
		add, remove   []AccessEntry
	}{
		{"not planned", list(a), Value[[]AccessEntry]{}, []AccessEntry{b}, nil, nil},
		{"new", Value[[]AccessEntry]{}, list(a), []AccessEntry{b}, []AccessEntry{a}, []AccessEntry{b}},
		{"new, to nothing", Value[[]AccessEntry]{}, NullOf[[]AccessEntry](), []AccessEntry{b}, nil, []AccessEntry{b}},
		{"planned", list(a, b), list(a, c), []AccessEntry{a, b}, []AccessEntry{c}, []AccessEntry{b}},
		{"before null", NullOf[[]AccessEntry](), list(a), []AccessEntry{b}, []AccessEntry{a}, nil},
		{"somebody adds", list(a), list(a, b), []AccessEntry{a, c}, []AccessEntry{b}, nil},
		{"somebody removes", list(a, b), list(a, b, c), []AccessEntry{b}, []AccessEntry{c}, nil},
		{"somebody changes", list(a), list(a, b), []AccessEntry{moved}, []AccessEntry{b}, nil},
		{"somebody has done it", list(a), list(b), []AccessEntry{b}, nil, nil},
		{"a description", list(a, b), list(changed, b), []AccessEntry{a, b}, []AccessEntry{changed}, []AccessEntry{a}},
		{"a description that somebody changes", list(a), list(changed), []AccessEntry{moved}, []AccessEntry{changed}, []AccessEntry{moved}},
		{"a description of what somebody removes", list(a), list(changed), nil, []AccessEntry{changed}, nil},
		{"another notation", list(a), list(entry("10.0.0.1/32", "a"), b), []AccessEntry{a}, []AccessEntry{b}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change := newServiceList(ValueOf(test.shown), ListUpdate[AccessEntry]{Before: test.before, After: test.after}, addressOf, identityOf).change(replaceChanged)
			if asJSON(t, change) != asJSON(t, listChange[AccessEntry]{Add: test.add, Remove: test.remove}) {
				t.Errorf("%s", asJSON(t, change))
			}
		})
	}
}
