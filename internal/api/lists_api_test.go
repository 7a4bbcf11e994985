package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"
)

// A listMode is one way in which the API may handle an access list.
type listMode struct {
	removesFirst   bool
	removesByEntry bool   // source and description have to match; else the source
	refusesUnknown bool   // a removal of what is not there is a 400
	second         second // adding an entry for an address that has one
	shown          visibility
	lag            lag
	late           bool // responses to PATCHES lag too
	partly         bool // a refused PATCH keeps what it did before
	long           bool // addresses are shown with their prefix, and removed only like that
}

type (
	second     string
	visibility string
	lag        string
)

const (
	replaced   second = "replaced"
	ignored    second = "ignored"
	twice      second = "kept twice" // the same entry again changes nothing
	twiceOnly  second = "kept twice, but 409 for the same entry"
	refused400 second = "400"
	refused409 second = "409"
	refused422 second = "422"

	always      visibility = "always"
	never       visibility = "never"
	notEmpty    visibility = "only if not empty"
	onlyReads   visibility = "only by reads"
	onlyPatches visibility = "only by PATCHes"

	noLag    lag = "none"
	twoReads lag = "two reads"
	seconds  lag = "3 s"
	beyond   lag = "beyond the timeout"
)

func listModes() []listMode {
	var all []listMode
	for _, s := range []second{replaced, ignored, twice, twiceOnly, refused400, refused409, refused422} {
		for _, v := range []visibility{always, never, notEmpty, onlyReads, onlyPatches} {
			for _, l := range []lag{noLag, twoReads, seconds, beyond} {
				for set := range 1 << 5 {
					is := func(bit int) bool { return set>>bit&1 == 1 }
					m := listMode{
						removesFirst: is(0), removesByEntry: is(1), refusesUnknown: is(2), second: s, shown: v, lag: l, late: is(3), partly: is(4),
						long: bits.OnesCount(uint(set))%2 == 1, // in half of them
					}
					cannotRefuse := !m.refusesUnknown && (s == replaced || s == ignored || s == twice)
					if m.late && l == noLag || m.partly && cannotRefuse {
						continue // as without
					}
					all = append(all, m)
				}
			}
		}
	}
	return all
}

// A listForm is how the API writes what it is sent in another way.
type listForm struct {
	name    string
	sources [2]string // of the two entries of a plan
	// source is how a list has an address, and description how it has a description. nil: as it is
	source      func(source string, list []AccessEntry) string
	description func(string) string
	opens       bool // an empty list becomes 0.0.0.0/0
}

func listForms() []listForm {
	plain, halves := [2]string{"10.0.0.1", "10.0.0.2"}, [2]string{"10.0.0.0/25", "10.0.0.128/25"}
	const whole = "10.0.0.0/24"
	merge := func(source string, list []AccessEntry) string {
		rest := without([]AccessEntry{{Source: halves[0]}, {Source: halves[1]}}, append(list, AccessEntry{Source: source}), byID)
		isHalf, hasWhole := slices.Contains(halves[:], source), len(within(list, []AccessEntry{{Source: whole}}, byID)) > 0
		if isHalf && (hasWhole || len(rest) == 0) {
			return whole
		}
		return source
	}
	return []listForm{
		{name: "as sent", sources: plain},
		{name: "unspecified", sources: [2]string{"0.0.0.0", "0.0.0.0/0"}, source: func(source string, _ []AccessEntry) string {
			return strings.TrimSuffix(source, "/0") + map[bool]string{true: "/0"}[strings.HasPrefix(source, "0.")]
		}},
		{name: "mapped", sources: [2]string{"::ffff:10.0.0.1", "10.0.0.2"}, source: func(source string, _ []AccessEntry) string {
			return strings.TrimPrefix(source, "::ffff:")
		}},
		{name: "small letters", sources: [2]string{"VPCE-A", "vpce-b"}, source: func(source string, _ []AccessEntry) string { return strings.ToLower(source) }},
		{name: "merged", sources: halves, source: merge},
		{name: "escaped", sources: plain, description: func(d string) string { return strings.ReplaceAll(d, "y", "&y;") }},
		{name: "opens", sources: plain, opens: true},
	}
}

// stored is a list as the API has it after an entry was sent.
func (f listForm) stored(e AccessEntry, list []AccessEntry) (AccessEntry, []AccessEntry) {
	if f.description != nil {
		e.Description.value = f.description(e.Description.value)
	}
	if f.source != nil {
		e.Source = f.source(e.Source, list)
		list = slices.DeleteFunc(slices.Clone(list), func(other AccessEntry) bool { // merged into the new one
			return byID(other) != byID(e) && f.source(other.Source, []AccessEntry{e}) == e.Source
		})
	}
	return e, list
}

// readsShow reports whether reads show the list within the update timeout.
func (m listMode) readsShow() bool {
	return m.lag != beyond && m.shown != never && m.shown != onlyPatches
}

// A listAPI is a service with an access list.
type listAPI struct {
	mode     listMode
	form     listForm
	entries  []AccessEntry
	history  []*moment // the beginning and each change
	patches  int       // except the same one again after a 409
	refused  string
	refusals int
	log      []string

	reads        int
	isDisturbed  bool
	disturb      disturbance
	stop         func()
	planned      []AccessEntry
	added, taken []AccessEntry // by someone else
	removedAlone []AccessEntry // although planned
}

type moment struct {
	at      time.Time
	reads   int // since then
	entries []AccessEntry
}

// newListAPI returns nil for a list that the API cannot have.
func newListAPI(m listMode, f listForm, list []AccessEntry) *listAPI {
	keepsTwo := m.second == twice || m.second == twiceOnly
	if !keepsTwo && len(distinct(list, byID)) < len(list) {
		return nil
	}
	for _, e := range list {
		if stored, rest := f.stored(e, list); stored != e || len(rest) < len(list) {
			return nil
		}
	}
	a := &listAPI{mode: m, form: f, entries: slices.Clone(list)}
	a.record()
	return a
}

func (a *listAPI) record() {
	a.history = append(a.history, &moment{time.Now(), 0, slices.Clone(a.entries)})
}

func (a *listAPI) respond(r *http.Request) (response, error) {
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return response{}, err
	}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return response{}, err
	}
	isRead, number := string(body) == "{}", a.patches+1
	if isRead {
		a.reads++
		number = a.reads
	}
	if isRead != a.disturb.isRead || number != a.disturb.at || a.isDisturbed {
		return a.act(body), nil
	}
	a.isDisturbed = true
	a.log = append(a.log, "now: "+a.disturb.kind)
	act := func() { _ = a.act(body) }
	switch a.disturb.kind {
	case "503 before":
		if !isRead {
			a.patches++
		}
		return response{503, ""}, nil
	case "503 after":
		act()
		return response{503, ""}, nil
	case "lost after":
		act()
		return response{}, errors.New("connection reset")
	case "page after":
		act()
		return response{200, "<html>"}, nil
	case "403 after":
		act()
		return response{403, ""}, nil
	case "403":
		return response{403, ""}, nil
	case "stop before":
		a.stop()
		if ctx.Err() != nil {
			return response{}, ctx.Err()
		}
	case "stop after":
		a.stop()
		if ctx.Err() != nil {
			act()
			return response{}, ctx.Err()
		}
	case "add other":
		a.edit([]AccessEntry{entry("10.0.0.3", "z")}, nil)
	case "add planned":
		a.edit(without(a.planned, a.entries, byID), nil)
	case "remove first":
		a.edit(nil, within(a.entries, a.entries[:min(1, len(a.entries))], byID))
	case "remove last":
		a.edit(nil, within(a.entries, a.entries[max(0, len(a.entries)-1):], byID))
	}
	return a.act(body), nil
}

// has reports whether the list has an address, in whatever form.
func (a *listAPI) has(e AccessEntry) bool {
	stored, _ := a.form.stored(e, a.entries)
	return len(within([]AccessEntry{stored}, a.entries, byID)) > 0
}

// edit is a change by someone else.
func (a *listAPI) edit(added, taken []AccessEntry) {
	a.added, a.taken = added, taken
	a.entries = append(without(a.entries, taken, byIDAndDescription), added...)
	a.record()
}

func (a *listAPI) act(body []byte) response {
	isRead := string(body) == "{}"
	var patch servicePatch
	if err := json.Unmarshal(body, &patch); err != nil {
		return response{http.StatusTeapot, err.Error()}
	}
	status := http.StatusOK
	if !isRead {
		if a.refused != string(body) {
			a.patches++
		}
		a.removedAlone = append(a.removedAlone, without(within(patch.IPAccessList.Remove, a.planned, byID), patch.IPAccessList.Add, byID)...)
		status = a.patch(patch.IPAccessList)
		if len(a.entries) == 0 && a.form.opens {
			a.entries = []AccessEntry{entry("0.0.0.0/0", "")}
		}
		a.record()
		a.refused = ""
		if status == http.StatusConflict {
			a.refused = string(body)
		}
	}
	resp := response{status, ""}
	if status == http.StatusOK {
		resp = a.show(isRead)
	}
	_, shown, _ := strings.Cut(resp.body, `"result":`)
	if line := fmt.Sprintf("%s → %d %s now %s", body, resp.status, shown, text(a.entries)); len(a.log) == 0 || a.log[len(a.log)-1] != line {
		a.log = append(a.log, line)
	}
	return resp
}

// patch changes the list and returns a status.
func (a *listAPI) patch(change listChange[AccessEntry]) int {
	before := slices.Clone(a.entries)
	steps := []func([]AccessEntry) int{a.add, a.remove}
	lists := [][]AccessEntry{change.Add, change.Remove}
	if a.mode.removesFirst {
		slices.Reverse(steps)
		slices.Reverse(lists)
	}
	for i, step := range steps {
		if status := step(lists[i]); status != http.StatusOK {
			a.refusals++
			if !a.mode.partly {
				a.entries = before
			}
			return status
		}
	}
	return http.StatusOK
}

func (a *listAPI) add(list []AccessEntry) int {
	for _, e := range list {
		e, a.entries = a.form.stored(e, a.entries)
		at := slices.IndexFunc(a.entries, func(other AccessEntry) bool { return byID(e) == byID(other) })
		isThere := len(within([]AccessEntry{e}, a.entries, byIDAndDescription)) > 0
		switch {
		case at < 0:
			a.entries = append(a.entries, e)
		case a.mode.second == replaced:
			a.entries[at] = e
		case a.mode.second == ignored, a.mode.second == twice && isThere:
		case a.mode.second == twice, a.mode.second == twiceOnly && !isThere:
			a.entries = append(a.entries, e)
		case a.mode.second == refused400:
			return http.StatusBadRequest
		case a.mode.second == refused422:
			return http.StatusUnprocessableEntity
		default:
			return http.StatusConflict
		}
	}
	return http.StatusOK
}

func (a *listAPI) remove(list []AccessEntry) int {
	for _, e := range list {
		rest := slices.DeleteFunc(slices.Clone(a.entries), func(other AccessEntry) bool {
			matches := byID(e) == byID(other)
			if a.mode.removesByEntry {
				matches = byIDAndDescription(e) == byIDAndDescription(other)
			}
			return matches && (!a.mode.long || e.Source == CanonicalAddress(e.Source))
		})
		if len(rest) == len(a.entries) && a.mode.refusesUnknown {
			return http.StatusBadRequest
		}
		a.entries = rest
	}
	return http.StatusOK
}

// show is the response with the list, as it was some time ago.
func (a *listAPI) show(isRead bool) response {
	shown := a.history[0].entries
	for _, m := range a.history {
		isVisible := !isRead && !a.mode.late
		switch a.mode.lag {
		case noLag:
			isVisible = true
		case twoReads:
			isVisible = isVisible || m.reads >= 2
		case seconds:
			isVisible = isVisible || time.Since(m.at) >= 3*time.Second
		case beyond:
			isVisible = isVisible || time.Since(m.at) >= updateTimeout+5*time.Second
		}
		if isVisible {
			shown = m.entries
		}
		if isRead {
			m.reads++
		}
	}
	switch {
	case a.mode.shown == never, a.mode.shown == notEmpty && len(shown) == 0,
		a.mode.shown == onlyReads && !isRead, a.mode.shown == onlyPatches && isRead:
		return ok(`{}`)
	}
	shown = append([]AccessEntry{}, shown...)
	for i := range shown {
		if a.mode.long {
			shown[i].Source = CanonicalAddress(shown[i].Source)
		}
	}
	list, _ := json.Marshal(shown)
	return ok(`{"ipAccessList":` + string(list) + `}`)
}

// distinct returns list without its repetitions.
func distinct(list []AccessEntry, key func(AccessEntry) string) []AccessEntry {
	var kept []AccessEntry
	for _, e := range list {
		kept = append(kept, without([]AccessEntry{e}, kept, key)...)
	}
	return kept
}

// mergedList is the list that an update should result in, worked out entry by entry.
func mergedList(u ListUpdate[AccessEntry], shown []AccessEntry) []AccessEntry {
	has := func(list []AccessEntry, e AccessEntry, key func(AccessEntry) string) bool {
		return slices.ContainsFunc(list, func(other AccessEntry) bool { return key(e) == key(other) })
	}
	var planned, target []AccessEntry
	for _, e := range u.After.value {
		if !has(u.Before.value, e, byIDAndDescription) {
			planned = append(planned, e)
		}
	}
	for _, e := range shown {
		removed := (!u.Before.IsKnown() || has(u.Before.value, e, byID)) && !has(u.After.value, e, byID)
		if !removed && !has(planned, e, byID) {
			target = append(target, e)
		}
	}
	if target = append(target, planned...); !u.Before.IsKnown() || len(shown) == 0 || len(target) == 0 {
		return u.After.value
	}
	return target
}
