package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// adding is what adding an entry that exists does.
type adding int

const (
	replaces adding = iota
	ignored
	refusedWhole
)

// A reading is one way to understand what the specification says about add and
// remove.
type reading struct {
	removesFirst   bool
	addsByWhole    bool // an entry exists where source and description are the same; else where the source is
	removesByWhole bool // an entry is removed where both are the same
	adding         adding
	long           bool // addresses are shown with their prefix
	byLetter       bool // addresses are compared by the letter of what is kept, always with their prefix
}

func readings() []reading {
	var all []reading
	for bits := range 1 << 5 {
		for _, adding := range []adding{replaces, ignored, refusedWhole} {
			all = append(all, reading{
				removesFirst: bits&1 != 0, addsByWhole: bits&2 != 0, removesByWhole: bits&4 != 0,
				long: bits&8 != 0, byLetter: bits&16 != 0, adding: adding,
			})
		}
	}
	return all
}

// deaf reports a reading that hears removals in one notation only, shows the
// other, and refuses rather than acts: a refused PATCH does not tell which of
// the two it would have been deaf to.
func (r reading) deaf() bool {
	return r.byLetter && !r.long && r.adding == refusedWhole && !r.addsByWhole
}

// A simulation is a service with an access list under one reading.
type simulation struct {
	reading reading
	entries []AccessEntry
	patches int
	states  [][]AccessEntry // after each PATCH
}

func same(a, b AccessEntry, whole bool) bool {
	return SameAddress(a.Source, b.Source) && (!whole || identityOf(a) == identityOf(b))
}

func (s *simulation) add(e AccessEntry) (refused bool) {
	at := slices.IndexFunc(s.entries, func(other AccessEntry) bool { return same(e, other, s.reading.addsByWhole) })
	switch {
	case at < 0:
		s.entries = append(s.entries, e)
	case s.reading.adding == replaces:
		s.entries[at] = e
	case s.reading.adding == refusedWhole:
		return true
	}
	return false
}

func (s *simulation) remove(e AccessEntry) {
	if s.reading.byLetter && e.Source != CanonicalAddress(e.Source) {
		return
	}
	s.entries = slices.DeleteFunc(s.entries, func(other AccessEntry) bool { return same(e, other, s.reading.removesByWhole) })
}

// patch acts on a PATCH as a whole or not at all.
func (s *simulation) patch(change listChange[AccessEntry]) (refused bool) {
	before := slices.Clone(s.entries)
	if s.reading.removesFirst {
		for _, e := range change.Remove {
			s.remove(e)
		}
	}
	if slices.ContainsFunc(change.Add, s.add) {
		s.entries = before
		return true
	}
	if !s.reading.removesFirst {
		for _, e := range change.Remove {
			s.remove(e)
		}
	}
	return false
}

func (s *simulation) answer(r *http.Request) (stub, error) {
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
	if refused {
		return reply(409, `{"error":"exists"}`), nil
	}
	return s.show()
}

func (s *simulation) show() (stub, error) {
	shown := slices.Clone(s.entries)
	for i := range shown {
		shown[i].Source = CanonicalAddress(shown[i].Source)
		if !s.reading.long {
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

// TestListsConverge: under every reading, any list becomes any other in at most
// four PATCHes, and on the way nothing that should stay is away for longer than
// the reading forces.
func TestListsConverge(t *testing.T) {
	t.Parallel()
	for _, r := range readings() {
		if r.deaf() {
			continue
		}
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				kept := uniqueUnder(r)
				before := distinct(someEntries.Draw(rt, "before"), kept)
				target := distinct(someEntries.Draw(rt, "target"), addressOf)
				s := &simulation{reading: r, entries: slices.Clone(before)}
				c := withoutNetwork(t, s.answer)
				if _, err := c.UpdateService(t.Context(), serviceID, wantList(target...)); err != nil {
					rt.Fatal(err)
				}
				if s.patches > 4 {
					rt.Errorf("%d PATCHes", s.patches)
				}
				if more, less := without(s.entries, target, identityOf), without(target, s.entries, identityOf); len(more)+len(less) > 0 {
					rt.Errorf("too much %v, too little %v", more, less)
				}
				checkGaps(rt, s, before, target)
			})
		})
	}
}

// uniqueUnder returns what is unique in a list of a service that reads so.
func uniqueUnder(r reading) func(AccessEntry) entryIdentity {
	return func(e AccessEntry) entryIdentity {
		identity := identityOf(e)
		if !r.addsByWhole {
			identity.description = ""
		}
		return identity
	}
}

// checkGaps looks for addresses in both lists that were away in between. One
// whose only entry stays as it is never is. One that changes is for one PATCH
// at most, and for none where adding replaces, or where entries of one address
// stand side by side and are removed one by one.
func checkGaps(rt *rapid.T, s *simulation, before, target []AccessEntry) {
	for _, e := range before {
		if !slices.ContainsFunc(target, func(other AccessEntry) bool { return same(e, other, false) }) {
			continue
		}
		gaps := 0
		for _, state := range s.states {
			if !slices.ContainsFunc(state, func(other AccessEntry) bool { return same(e, other, false) }) {
				gaps++
			}
		}
		alone := 0
		for _, other := range before {
			if same(e, other, false) {
				alone++
			}
		}
		stays := alone == 1 && slices.ContainsFunc(target, func(other AccessEntry) bool { return same(e, other, true) })
		r := s.reading
		allowed := 1
		if stays || (!r.addsByWhole && r.adding == replaces) || (r.addsByWhole && r.removesByWhole) {
			allowed = 0
		}
		if gaps > allowed {
			rt.Errorf("%v was away for %d PATCHes of %d, not %d: %v", e, gaps, s.patches, allowed, s.states)
		}
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
		if _, err := c.UpdateService(t.Context(), serviceID, ServiceUpdate{PrivateEndpointIDs: ValueOf(target)}); err != nil {
			rt.Fatal(err)
		}
		slices.Sort(current)
		slices.Sort(target)
		if !slices.Equal(current, target) || patches > 1 {
			rt.Errorf("%v after %d PATCHes, want %v", current, patches, target)
		}
	})
}
