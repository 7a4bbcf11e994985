package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// duplicate is what adding an entry that exists does.
type duplicate int

const (
	duplicateReplaces duplicate = iota
	duplicateIgnored
	duplicateConflicts // 409
	duplicateInvalid   // 400
)

// A variant is one way in which the API may add and remove.
type variant struct {
	removesFirst   bool
	addsByWhole    bool // an entry exists if source and description are the same; else if the source is
	removesByWhole bool // an entry is removed if both are the same
	duplicate      duplicate
	long           bool // addresses are shown with their prefix
	byLetter       bool // a removal has to write an address with its prefix
}

func variants() []variant {
	var all []variant
	for bits := range 1 << 5 {
		for d := range duplicateInvalid + 1 {
			all = append(all, variant{
				removesFirst: bits&1 != 0, addsByWhole: bits&2 != 0, removesByWhole: bits&4 != 0,
				long: bits&8 != 0, byLetter: bits&16 != 0, duplicate: d,
			})
		}
	}
	return all
}

// mayFail reports whether a changed description may end in an error: a removal
// needs another notation than the one shown, or adding an entry that exists is
// invalid and the removal comes too late.
func (v variant) mayFail() bool {
	misses := v.byLetter && !v.long
	return misses && v.duplicate != duplicateReplaces || misses && v.addsByWhole || v.duplicate == duplicateInvalid && (misses || !v.removesFirst || v.addsByWhole && v.removesByWhole)
}

// A simulation is a service with an access list. Responses show the list as it
// was some time ago.
type simulation struct {
	variant variant
	entries []AccessEntry
	age     time.Duration
	history []moment // the beginning and each PATCH

	requests int
	disturb  func(request int) (instead *response, lost bool) // nil: never
}

type moment struct {
	at      time.Time
	entries []AccessEntry
}

func same(a, b AccessEntry, whole bool) bool {
	return addressOf(a) == addressOf(b) && (!whole || identityOf(a) == identityOf(b))
}

func (s *simulation) add(e AccessEntry) (refused bool) {
	at := slices.IndexFunc(s.entries, func(other AccessEntry) bool { return same(e, other, s.variant.addsByWhole) })
	switch {
	case at < 0:
		s.entries = append(s.entries, e)
	case s.variant.duplicate == duplicateReplaces:
		s.entries[at] = e
	case s.variant.duplicate != duplicateIgnored:
		return true
	}
	return false
}

func (s *simulation) remove(list []AccessEntry) {
	for _, e := range list {
		s.entries = slices.DeleteFunc(s.entries, func(other AccessEntry) bool {
			return same(e, other, s.variant.removesByWhole) && (!s.variant.byLetter || e.Source == CanonicalAddress(e.Source))
		})
	}
}

// patch acts on a PATCH as a whole or not at all.
func (s *simulation) patch(change listChange[AccessEntry]) (refused bool) {
	before := slices.Clone(s.entries)
	if s.variant.removesFirst {
		s.remove(change.Remove)
	}
	if slices.ContainsFunc(change.Add, s.add) {
		s.entries = before
		return true
	}
	if !s.variant.removesFirst {
		s.remove(change.Remove)
	}
	return false
}

func (s *simulation) respond(r *http.Request) (response, error) {
	if err := r.Context().Err(); err != nil {
		return response{}, err
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if s.requests++; s.disturb != nil {
		instead, lost := s.disturb(s.requests)
		if lost {
			_, _ = s.act(r)
		}
		if instead != nil {
			return *instead, nil
		}
		if err := r.Context().Err(); err != nil {
			return response{}, err
		}
	}
	return s.act(r)
}

func (s *simulation) act(r *http.Request) (response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return response{}, err
	}
	if string(body) == "{}" {
		return s.show()
	}
	var patch servicePatch
	if err := json.Unmarshal(body, &patch); err != nil {
		return response{}, err
	}
	refused := s.patch(patch.IPAccessList)
	s.record()
	switch {
	case refused && s.variant.duplicate == duplicateInvalid:
		return response{400, ""}, nil
	case refused:
		return response{409, ""}, nil
	}
	return s.show()
}

func (s *simulation) record() {
	s.history = append(s.history, moment{time.Now(), slices.Clone(s.entries)})
}

func (s *simulation) show() (response, error) {
	shown := s.history[0].entries
	for _, m := range s.history {
		if time.Since(m.at) >= s.age {
			shown = m.entries
		}
	}
	shown = slices.Clone(shown)
	if s.requests%2 == 0 { // the order means nothing
		slices.Reverse(shown)
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

// ages of what responses show: most within the update timeout, and two beyond it.
var ages = []time.Duration{0, 2 * time.Second, 5 * time.Second, 7 * time.Second, 12 * time.Second, updateTimeout + 5*time.Second, 3 * updateTimeout}

// newSimulation draws a list of which each address has one entry, or one of each
// description if the variant keeps those apart.
func newSimulation(rt *rapid.T, v variant) *simulation {
	s := &simulation{variant: v, age: rapid.SampledFrom(ages).Draw(rt, "age")}
	s.entries = distinct(someEntries.Draw(rt, "shown"), func(e AccessEntry) entryKey {
		identity := identityOf(e)
		if !v.addsByWhole {
			identity.description = ""
		}
		return identity
	})
	s.record()
	return s
}

// distinct returns list without its repetitions.
func distinct(list []AccessEntry, key func(AccessEntry) entryKey) []AccessEntry {
	var kept []AccessEntry
	for _, e := range list {
		kept = append(kept, without([]AccessEntry{e}, kept, key)...)
	}
	return kept
}
