package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// adding is what adding an entry that exists does.
type adding int

const (
	replaces adding = iota
	ignored
	conflicts // 409
	invalid   // 400
)

// A variant is one way in which the API may add and remove.
type variant struct {
	removesFirst   bool
	addsByWhole    bool // an entry exists if source and description are the same; else if the source is
	removesByWhole bool // an entry is removed if both are the same
	adding         adding
	long           bool // addresses are shown with their prefix
	byLetter       bool // a removal has to write an address with its prefix
}

func variants() []variant {
	var all []variant
	for bits := range 1 << 5 {
		for adding := range invalid + 1 {
			all = append(all, variant{
				removesFirst: bits&1 != 0, addsByWhole: bits&2 != 0, removesByWhole: bits&4 != 0,
				long: bits&8 != 0, byLetter: bits&16 != 0, adding: adding,
			})
		}
	}
	return all
}

// mayFail reports whether a changed description may end in an error: a second
// entry is invalid, or a removal needs another notation than the one shown and a
// conflict does not tell that it missed.
func (v variant) mayFail() bool {
	return v.adding == invalid || v.adding == conflicts && v.byLetter && !v.long
}

// A simulation is a service with an access list. Responses show the list as it
// was some time ago.
type simulation struct {
	variant variant
	entries []AccessEntry
	patches int
	states  [][]AccessEntry // after each PATCH
	age     time.Duration
	history []moment

	requests int
	disturb  func(request int) (response *stub, lost bool) // nil: never
}

type moment struct {
	at      time.Time
	entries []AccessEntry
}

func same(a, b AccessEntry, whole bool) bool {
	return SameAddress(a.Source, b.Source) && (!whole || identityOf(a) == identityOf(b))
}

func (s *simulation) add(e AccessEntry) (refused bool) {
	at := slices.IndexFunc(s.entries, func(other AccessEntry) bool { return same(e, other, s.variant.addsByWhole) })
	switch {
	case at < 0:
		s.entries = append(s.entries, e)
	case s.variant.adding == replaces:
		s.entries[at] = e
	case s.variant.adding != ignored:
		return true
	}
	return false
}

func (s *simulation) remove(e AccessEntry) {
	if s.variant.byLetter && e.Source != CanonicalAddress(e.Source) {
		return
	}
	s.entries = slices.DeleteFunc(s.entries, func(other AccessEntry) bool { return same(e, other, s.variant.removesByWhole) })
}

// patch acts on a PATCH as a whole or not at all.
func (s *simulation) patch(change listChange[AccessEntry]) (refused bool) {
	before := slices.Clone(s.entries)
	if s.variant.removesFirst {
		for _, e := range change.Remove {
			s.remove(e)
		}
	}
	if slices.ContainsFunc(change.Add, s.add) {
		s.entries = before
		return true
	}
	if !s.variant.removesFirst {
		for _, e := range change.Remove {
			s.remove(e)
		}
	}
	return false
}

func (s *simulation) answer(r *http.Request) (stub, error) {
	if err := r.Context().Err(); err != nil {
		return stub{}, err
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if s.requests++; s.disturb != nil {
		response, lost := s.disturb(s.requests)
		if lost {
			_, _ = s.act(r)
		}
		if response != nil {
			return *response, nil
		}
		if err := r.Context().Err(); err != nil {
			return stub{}, err
		}
	}
	return s.act(r)
}

func (s *simulation) act(r *http.Request) (stub, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return stub{}, err
	}
	if string(body) == "{}" {
		return s.show()
	}
	var patch servicePatch
	if err := json.Unmarshal(body, &patch); err != nil {
		return stub{}, err
	}
	s.patches++
	refused := s.patch(patch.IPAccessList)
	s.states = append(s.states, slices.Clone(s.entries))
	s.record()
	switch {
	case refused && s.variant.adding == invalid:
		return reply(400, `{"error":"exists"}`), nil
	case refused:
		return reply(409, `{"error":"exists"}`), nil
	}
	return s.show()
}

func (s *simulation) record() {
	s.history = append(s.history, moment{time.Now(), slices.Clone(s.entries)})
}

func (s *simulation) show() (stub, error) {
	shown := slices.Clone(s.history[0].entries)
	for _, m := range s.history {
		if time.Since(m.at) >= s.age {
			shown = slices.Clone(m.entries)
		}
	}
	for i := range shown {
		shown[i].Source = CanonicalAddress(shown[i].Source)
		if !s.variant.long {
			shown[i].Source = otherNotation(shown[i].Source)
		}
	}
	list, err := json.Marshal(shown)
	return ok(`{"ipAccessList":` + string(list) + `}`), err
}

var (
	someSources      = rapid.SampledFrom([]string{"10.0.0.1", "10.0.0.1/32", "10.0.0.2", "10.0.0.0/8", "2001:DB8::1", "2001:db8::/64", "office"})
	someDescriptions = rapid.SampledFrom([]Value[string]{{}, NullOf[string](), ValueOf(""), ValueOf("a"), ValueOf("b")})
	someEntries      = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) AccessEntry {
		return AccessEntry{Source: someSources.Draw(t, "source"), Description: someDescriptions.Draw(t, "description")}
	}), 0, 6)
)

// eachVariant runs a property under each variant, in a bubble of its own.
func eachVariant(t *testing.T, property func(t *testing.T, rt *rapid.T, v variant)) {
	t.Helper()
	for _, v := range variants() {
		t.Run(fmt.Sprintf("%+v", v), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rapid.Check(struct{ rapid.TB }{t}, func(rt *rapid.T) { property(t, rt, v) }) // a *testing.T has a deadline in real time
			})
		})
	}
}

// newSimulation draws a list of which each address has one entry, or one of each
// description if the variant keeps those apart.
func newSimulation(rt *rapid.T, v variant) *simulation {
	s := &simulation{variant: v, age: rapid.SampledFrom([]time.Duration{0, 2 * time.Second}).Draw(rt, "age")}
	s.entries = distinct(someEntries.Draw(rt, "shown"), func(e AccessEntry) entryIdentity {
		identity := identityOf(e)
		if !v.addsByWhole {
			identity.description = ""
		}
		return identity
	})
	s.record()
	return s
}

// TestListsConverge: under every variant, a planned change is made in at most
// four PATCHes, on the way nothing that should stay is missing for longer than
// the variant forces, and what is not planned stays as it is.
//
//nolint:tparallel // eachVariant runs them in parallel
func TestListsConverge(t *testing.T) {
	t.Parallel()
	eachVariant(t, func(t *testing.T, rt *rapid.T, v variant) {
		s := newSimulation(rt, v)
		start := slices.Clone(s.entries)
		u := ListUpdate[AccessEntry]{After: ValueOf(distinct(someEntries.Draw(rt, "after"), addressOf))}
		if rapid.Bool().Draw(rt, "has before") {
			u.Before = ValueOf(distinct(someEntries.Draw(rt, "before"), addressOf))
		}
		c := withoutNetwork(t, s.answer)
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
		if stays || v.adding == invalid || v.adding == replaces && !v.addsByWhole || v.addsByWhole && v.removesByWhole || v.removesFirst && !v.byLetter && !v.removesByWhole {
			allowed = 0
		}
		if gaps > allowed {
			rt.Errorf("%v was missing for %d PATCHes of %d, not %d: %v", e, gaps, s.patches, allowed, s.states)
		}
	}
}

// TestNothingIsLost: whatever ends an update, an address that should stay is
// there, or the error names it.
//
//nolint:tparallel // eachVariant runs them in parallel
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	eachVariant(t, func(t *testing.T, rt *rapid.T, v variant) {
		s := newSimulation(rt, v)
		start := slices.Clone(s.entries)
		after := distinct(someEntries.Draw(rt, "after"), addressOf)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := withoutNetwork(t, s.answer, func(config *transport.Config) { config.MaxRetries = 1 })
		at := rapid.IntRange(2, 6).Draw(rt, "disturbed request")
		length := rapid.SampledFrom([]int{1, 3, 100}).Draw(rt, "disturbed requests")
		lost := rapid.Bool().Draw(rt, "the API acts on it")
		kind := rapid.SampledFrom([]string{"cancel", "stop", "401", "403", "500", "html"}).Draw(rt, "disturbance")
		s.disturb = func(request int) (*stub, bool) {
			if request < at || request >= at+length {
				return nil, false
			}
			var response stub
			switch kind {
			case "cancel":
				cancel()
				return nil, lost && request == at
			case "stop":
				c.Stop()
				return nil, lost && request == at
			case "401":
				response = reply(401, "")
			case "403":
				response = reply(403, "")
			case "500":
				response = reply(500, "")
				return &response, lost
			case "html":
				response = reply(200, "<html>")
				return &response, lost
			}
			return &response, false
		}
		_, err := c.UpdateService(ctx, serviceID, ServiceUpdate{IPAccessList: wholeList(after...)})
		for _, e := range without(within(start, after, addressOf), s.entries, addressOf) {
			_, short, _ := strings.Cut(fmt.Sprint(err), "ip_access_list: ")
			if !strings.Contains(short, e.Source) && !strings.Contains(short, otherNotation(e.Source)) {
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
			change := differenceOf(ListUpdate[AccessEntry]{Before: test.before, After: test.after}, test.shown, addressOf, identityOf).change(replaceChanged)
			if asJSON(t, change) != asJSON(t, listChange[AccessEntry]{Add: test.add, Remove: test.remove}) {
				t.Errorf("%s", asJSON(t, change))
			}
		})
	}
}

func TestPrivateEndpointsConverge(t *testing.T) {
	t.Parallel()
	ids := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), itself)
	rapid.Check(t, func(rt *rapid.T) {
		current, target := ids.Draw(rt, "current"), ids.Draw(rt, "target")
		patches := 0
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			var patch servicePatch
			if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
				return stub{}, err
			}
			if patch.changesLists() {
				patches++
			}
			current = slices.Concat(without(current, patch.PrivateEndpointIDs.Remove, itself), patch.PrivateEndpointIDs.Add)
			list, err := json.Marshal(current)
			return ok(`{"privateEndpointIds":` + string(list) + `}`), err
		})
		if _, err := c.UpdateService(t.Context(), serviceID, ServiceUpdate{PrivateEndpointIDs: wholeList(target...)}); err != nil {
			rt.Fatal(err)
		}
		slices.Sort(current)
		slices.Sort(target)
		if !slices.Equal(current, target) || patches > 1 {
			rt.Errorf("%v after %d PATCHes, want %v", current, patches, target)
		}
	})
}
