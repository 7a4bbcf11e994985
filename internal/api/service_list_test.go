package api

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestListsConverge: under every variant, a planned change is made in at most
// four PATCHes; on the way nothing that should stay is missing for longer than
// the variant forces, and what is not planned stays as it is. An error names what is
// missing. A list that becomes empty on the way may become the planned one.
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
		limit := 4
		if v.duplicate == duplicateIgnored || s.age > updateTimeout {
			limit++ // which adds again what counts as ignored
		}
		if patches := len(s.history) - 1; patches > limit {
			rt.Errorf("%d PATCHes", patches)
		}
		if s.age < updateTimeout {
			checkGaps(rt, s, start, target)
		}
		if err != nil {
			if !v.mayFail() && s.age < updateTimeout {
				rt.Error(err)
			}
			for _, e := range without(within(start, target, addressOf), s.entries, addressOf) {
				if !names(err, e) {
					rt.Errorf("%v is missing: %v", e, err)
				}
			}
			return
		}
		if slices.ContainsFunc(s.history, func(m moment) bool { return len(m.entries) == 0 }) {
			target = append(target, without(after, target, addressOf)...)
		}
		if more, less := without(s.entries, target, identityOf), without(target, s.entries, identityOf); len(more)+len(less) > 0 {
			rt.Errorf("too much %v, too little %v", more, less)
		}
	})
}

// names reports whether an error names an address.
func names(err error, e AccessEntry) bool {
	return slices.ContainsFunc(strings.FieldsFunc(err.Error(), func(r rune) bool { return strings.ContainsRune(" ,;()", r) }),
		func(word string) bool { return CanonicalAddress(word) == CanonicalAddress(e.Source) })
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
	if target = append(target, planned...); len(shown) == 0 || len(target) == 0 {
		return after
	}
	return target
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
			if isInterrupted := kind == "cancel" || kind == "stop"; err == nil || !names(err, e) || isInterrupted && s.age < updateTimeout {
				rt.Errorf("%v is missing, and the error is %v: %v", e, err, s.history)
			}
		}
	})
}
