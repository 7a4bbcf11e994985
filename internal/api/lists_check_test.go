package api

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	allLists  = flag.Bool("lists.all", false, "run each combination of TestLists; some minutes")
	listsSeed = flag.Uint64("lists.seed", 1, "which combinations of TestLists to run")
)

const (
	sampledLists = 8_000
	listsBubbles = 4
)

// A listPlan is a planned update of a list that the API has.
type listPlan struct {
	form         listForm
	shown, after []AccessEntry
	before       Value[[]AccessEntry]
}

// listPlans returns the plans for two addresses, from what a plan does to one.
func listPlans(form listForm) (all, changing []listPlan) {
	type one struct{ before, shown, after string } // descriptions; "" for no entry, "xy" for two
	updates := []one{
		{"x", "x", "x"}, {"", "", "x"}, {"x", "x", ""}, {"x", "x", "y"}, // same, new, gone, changed
		{"x", "y", "y"}, {"x", "", "x"}, {"x", "", "y"}, {"", "x", "x"}, {"", "y", "x"}, // the API has changed
		{"x", "xy", "y"}, {"", "x", ""}, // the old one beside the new one; of someone else
	}
	adoptions := []one{{"", "", "x"}, {"", "x", "x"}, {"", "y", "x"}, {"", "x", ""}, {"", "xy", "y"}}
	entriesFor := func(source, descriptions string) (entries []AccessEntry) {
		for d := range strings.SplitSeq(descriptions, "") {
			entries = append(entries, entry(source, d))
		}
		return entries
	}
	pairs := func(ones []one, adopts bool) {
		for i, a := range ones {
			if form.sources[0][0] != '1' { // they differ, so their order matters
				i = 0
			}
			for _, b := range ones[i:] {
				list := func(a, b string) []AccessEntry {
					return append(entriesFor(form.sources[0], a), entriesFor(form.sources[1], b)...)
				}
				p := listPlan{form: form, shown: list(a.shown, b.shown), after: list(a.after, b.after)}
				if !adopts {
					p.before = ValueOf(list(a.before, b.before))
				}
				all = append(all, p)
				replaces := func(o one) bool {
					return o.before == "x" && o.shown == "x" && o.after == "y" || adopts && o.shown == "y" && o.after == "x"
				}
				if replaces(a) || replaces(b) {
					changing = append(changing, p)
				}
			}
		}
	}
	pairs(updates, false)
	pairs(adoptions, true)
	return all, changing
}

// A disturbance happens at one read or PATCH of an update.
type disturbance struct {
	isRead bool
	at     int
	kind   string
}

func disturbances() []disturbance {
	var all []disturbance
	anywhere := []string{"503 before", "page after", "stop before", "403", "add other", "add planned", "remove first", "remove last"}
	for at := 1; at <= 4; at++ {
		for _, kind := range anywhere {
			if at < 4 {
				all = append(all, disturbance{true, at, kind})
			}
		}
		for _, kind := range append(anywhere, "503 after", "lost after", "stop after", "403 after") {
			all = append(all, disturbance{false, at, kind})
		}
	}
	return all
}

// byOthers reports whether someone else changes the list.
func (d disturbance) byOthers() bool {
	return strings.HasPrefix(d.kind, "add") || strings.HasPrefix(d.kind, "remove")
}

// TestLists: in small scopes, under every way in which an API may add, remove, refuse,
// delay and show, and with every disturbance at every request:
//
//   - a success means that the plan is applied, or that the result shows what differs,
//   - an address that stays is there at the end, or the error names it,
//   - nothing else is touched,
//   - no PATCH removes an address that stays unless it adds it,
//   - there are at most two PATCHes, and one more after an unknown outcome, after a change by someone else,
//     and if only responses to updates show the list, or show it late,
//   - the waits of the update share one update timeout,
//   - applied again, nothing more is lost.
func TestLists(t *testing.T) {
	t.Parallel()
	modes := listModes()
	plans, changing := listPlans(listForms()[0])
	for _, form := range listForms()[1:] {
		more, _ := listPlans(form)
		plans = append(plans, more...)
	}
	faults := disturbances()
	quiet, total := len(modes)*len(plans), len(modes)*len(plans)+len(modes)*len(changing)*len(faults)
	check := func(t *testing.T, i int) (failed bool) {
		if i < quiet {
			return checkList(t, modes[i%len(modes)], plans[i/len(modes)], disturbance{})
		}
		i -= quiet
		m, rest := modes[i%len(modes)], i/len(modes)
		return checkList(t, m, changing[rest%len(changing)], faults[rest/len(changing)])
	}
	for bubble := range listsBubbles {
		t.Run(strconv.Itoa(bubble), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(*listsSeed, uint64(bubble)))
				failures, runs := 0, 0
				defer func() { t.Logf("%d runs of %d combinations", runs, total) }()
				for n := bubble; n < total && failures < 5; n += listsBubbles {
					i := n
					if !*allLists {
						if n >= sampledLists {
							break
						}
						i = random.IntN(total)
						if n%3 == 0 {
							i = random.IntN(quiet)
						}
					}
					runs++
					if check(t, i) {
						failures++
					}
				}
			})
		})
	}
}

// checkList makes one update and checks what must hold.
func checkList(t *testing.T, m listMode, p listPlan, d disturbance) (failed bool) {
	t.Helper()
	a := newListAPI(m, p.form, p.shown)
	if a == nil {
		return false // the API cannot have this list
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a.disturb, a.stop, a.planned = d, cancel, p.after
	began := time.Now()
	u := ListUpdate[AccessEntry]{Before: p.before, After: ValueOf(p.after)}
	service, err := newClient(t, a.respond, retries(2)).UpdateService(ctx, serviceID, ServiceUpdate{IPAccessList: u})
	synctest.Wait() // a read goes on after Ctrl-C

	fail := func(format string, args ...any) {
		failed = true
		t.Errorf("%+v, %s\n%+v\nplanned %s, shown %s, after %s: %s\n%s\nerror: %v", m, p.form.name, d, text(p.before.value), text(p.shown), text(p.after),
			fmt.Sprintf(format, args...), strings.Join(a.log, "\n"), err)
	}
	target := mergedList(u, p.shown)
	limit := 2
	if d.byOthers() || m.shown == onlyPatches || m.shown == notEmpty || m.lag == beyond {
		limit++
	}
	if strings.HasPrefix(d.kind, "503") || strings.HasPrefix(d.kind, "lost") {
		limit++
	}
	if a.patches > limit {
		fail("%d PATCHes", a.patches)
	}
	if took := time.Since(began); took > updateTimeout+15*time.Second {
		fail("it took %s", took)
	}
	for _, e := range a.removedAlone {
		fail("%s was removed alone", e.Source)
	}
	stay := without(within(p.shown, target, byID), a.taken, byID)
	for _, e := range slices.DeleteFunc(stay, a.has) {
		if m.readsShow() && (err == nil || !names(err, e) || !strings.Contains(err.Error(), "missing")) {
			fail("%s is missing", e.Source)
		}
	}
	if err == nil && !d.byOthers() && m.readsShow() {
		result, shown := service.IPAccessList.Get()
		differs := !sameEntries(a.entries, target)
		if differs && shown && sameEntries(result, target) {
			fail("the list is %s, not %s", text(a.entries), text(target))
		}
		isLeftOut := m.shown == notEmpty && len(p.shown) == 0 // at first
		if differs && !shown && !isLeftOut {
			fail("nothing shows that the list is %s, not %s", text(a.entries), text(target))
		}
	}
	isEmptied := func(before []AccessEntry, err error) bool {
		isSaid := err != nil && (strings.Contains(err.Error(), "missing") || m.partly && isRefusal(err))
		return len(before) > 0 && len(a.entries) == 0 && len(p.after) > 0 && !isSaid
	}
	if m.readsShow() && d.kind == "" && isEmptied(p.shown, err) {
		fail("the list is empty")
	}
	if p.before.IsKnown() {
		others := without(without(append(slices.Clone(p.shown), a.added...), p.after, byID), p.before.value, byID)
		lost := without(without(others, a.taken, byID), a.entries, byIDAndDescription)
		if p.form.source != nil {
			lost = slices.DeleteFunc(lost, a.has)
		}
		if len(lost) > 0 {
			fail("%s of someone else is gone", text(lost))
		}
	}
	if failed || !m.readsShow() {
		return failed
	}

	// Applied three times more, once everything shows.
	a.disturb = disturbance{}
	for range 3 {
		time.Sleep(time.Hour)
		for _, m := range a.history {
			m.reads += 2
		}
		patches, start := a.patches, slices.Clone(a.entries)
		again := ListUpdate[AccessEntry]{Before: ValueOf(distinct(start, byID)), After: u.After}
		_, repeated := newClient(t, a.respond).UpdateService(t.Context(), serviceID, ServiceUpdate{IPAccessList: again})
		for _, e := range slices.DeleteFunc(within(start, p.after, byID), a.has) {
			if repeated == nil || !names(repeated, e) {
				fail("%s is missing after another update: %v", e.Source, repeated)
			}
		}
		if isEmptied(start, repeated) {
			fail("the list is empty after another update: %v", repeated)
		}
		if sameEntries(start, p.after) && a.patches > patches {
			fail("another update sent %d PATCHes", a.patches-patches)
		}
	}
	return failed
}

func sameEntries(a, b []AccessEntry) bool {
	return len(without(a, b, byIDAndDescription))+len(without(b, a, byIDAndDescription)) == 0
}

// names reports whether an error names an address.
func names(err error, e AccessEntry) bool {
	return slices.ContainsFunc(strings.FieldsFunc(err.Error(), func(r rune) bool { return strings.ContainsRune(" ,;()", r) }),
		func(word string) bool { return CanonicalAddress(word) == CanonicalAddress(e.Source) })
}

func text(list []AccessEntry) string {
	var all []string
	for _, e := range list {
		all = append(all, e.Source+" "+e.Description.value)
	}
	return fmt.Sprintf("%q", all)
}
