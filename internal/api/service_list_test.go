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
	eachVariant(t, func(t *testing.T, rt *rapid.T, v variant) {
		s := newSimulation(rt, v)
		start := slices.Clone(s.entries)
		after := distinct(someEntries.Draw(rt, "after"), addressOf)
		u := ListUpdate[AccessEntry]{After: ValueOf(after)}
		if rapid.Bool().Draw(rt, "has before") {
			same := slices.DeleteFunc(slices.Clone(after), func(AccessEntry) bool { return rapid.Bool().Draw(rt, "is new") })
			u.Before = ValueOf(distinct(append(same, someEntries.Draw(rt, "before")...), addressOf))
		}
		c := newClient(t, s.respond)
		_, err := c.UpdateService(t.Context(), serviceID, ServiceUpdate{IPAccessList: u})
		target := merged(u, start)
		if patches := len(s.history) - 1; patches > 4 {
			rt.Errorf("%d PATCHes", patches)
		}
		checkGaps(rt, s, start, target)
		if err != nil && v.mayFail() {
			if lost := without(within(start, target, addressOf), s.entries, addressOf); len(lost) > 0 {
				rt.Errorf("lost %v", lost)
			}
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
	before, _ := u.Before.Get()
	after, _ := u.After.Get()
	find := func(list []AccessEntry, e AccessEntry, whole bool) bool {
		return slices.ContainsFunc(list, func(other AccessEntry) bool { return same(e, other, whole) })
	}
	var planned, target []AccessEntry
	for _, e := range after {
		if !find(before, e, true) {
			planned = append(planned, e)
		}
	}
	for _, e := range shown {
		removed := (u.Before.IsAbsent() || find(before, e, false)) && !find(after, e, false)
		if !removed && !find(planned, e, false) {
			target = append(target, e)
		}
	}
	return append(target, planned...)
}

// checkGaps looks for addresses in both lists that were missing in between. One
// whose only entry stays as it is never is. One that changes is for one PATCH at
// most, and for none if adding replaces, if an address can have two entries that
// are removed one by one, or if what is removed is added again at once.
func checkGaps(rt *rapid.T, s *simulation, start, target []AccessEntry) {
	v := s.variant
	for _, e := range within(start, target, addressOf) {
		gaps := 0
		for _, m := range s.history {
			if len(within([]AccessEntry{e}, m.entries, addressOf)) == 0 {
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
			rt.Errorf("%v was missing after %d PATCHes, not %d: %v", e, gaps, allowed, s.history)
		}
	}
}

// TestNothingIsLost: whatever ends an update, an address that should stay is
// there, or the API does not respond and the error names it.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	eachVariant(t, func(t *testing.T, rt *rapid.T, v variant) {
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
			switch kind {
			case "cancel":
				cancel()
				return nil, lost && request == at
			case "stop":
				c.Stop()
				return nil, lost && request == at
			}
			instead := map[string]response{"401": {401, ""}, "403": {403, ""}, "500": {500, ""}, "html": {200, "<html>"}}[kind]
			return &instead, lost && (kind == "500" || kind == "html")
		}
		_, err := c.UpdateService(ctx, serviceID, ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(start...), After: entries(after...)}})
		for _, e := range without(within(start, after, addressOf), s.entries, addressOf) {
			named := ""
			if failed, ok := errors.AsType[*transport.Error](err); ok {
				_, named, _ = strings.Cut(failed.Message, "add again: ")
			}
			isNamed := slices.ContainsFunc(strings.Split(named, ", "), func(s string) bool { return CanonicalAddress(s) == CanonicalAddress(e.Source) })
			if !isNamed || kind == "cancel" || kind == "stop" {
				rt.Errorf("%v is missing, and the error is %v: %v", e, err, s.history)
			}
		}
	})
}
