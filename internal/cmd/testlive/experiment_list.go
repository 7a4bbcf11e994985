package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// listRows are the rows about the access list of a service.
var listRows = []string{"add", "remove", "both", "address", "stale service"}

// tryServiceList adds, changes and removes an address of its own, in a list that
// has others.
func (r *run) tryServiceList(ctx context.Context, o *object) error {
	if _, _, why := r.usable(o, "service", "ipAccessList"); why != "" {
		r.skip("the access list is not changed: "+why, listRows...)
		return nil
	}
	body := accessList(map[string]any{"add": []entry{{testAddress, "one"}}})
	added := func(shown map[string]any) bool { return len(testEntries(shown)) > 0 }
	e, first, err := r.change(ctx, o, http.MethodPatch, o.Path, body, added)
	switch {
	case err != nil:
		return err
	case first == nil:
		r.skip(r.unseen("an added address", e), listRows...)
		return nil
	}
	r.noteDelay("stale service", "stale_services", e, added, first, o.late)
	shown, err := r.client.read(ctx, o)
	if err != nil {
		return err
	}
	own := testEntries(shown)
	if len(own) == 0 {
		r.skip("an added address shows in some reads and not in others", listRows...)
		return nil
	}
	source := own[0].Source
	if source == testAddress {
		r.note("address", "as it was sent")
	} else {
		r.note("address", "as a range, /32", "normalise_address")
	}
	isWhole, err := r.tryChangedEntry(ctx, o)
	if err != nil {
		return err
	}
	if err := r.tryOtherRemoval(ctx, o, source, isWhole); err != nil {
		return err
	}
	return r.tryBoth(ctx, o, source != testAddress)
}

// accessList is the body of a change of the list.
func accessList(change map[string]any) map[string]any { return map[string]any{"ipAccessList": change} }

// testEntries are those that this program has added.
func testEntries(shown map[string]any) []entry {
	all, _ := entries(shown["ipAccessList"])
	return slices.DeleteFunc(all, func(e entry) bool { return !isTestAddress(e.Source) })
}

// tryChangedEntry adds the address with another description. It reports whether
// the list then has both.
func (r *run) tryChangedEntry(ctx context.Context, o *object) (isWhole bool, err error) {
	body := accessList(map[string]any{"add": []entry{{testAddress, "two"}}})
	e, shown, err := r.try(ctx, o, http.MethodPatch, o.Path, body)
	if err != nil {
		return false, err
	}
	own := testEntries(shown)
	switch {
	case e.status == http.StatusConflict:
		r.note("add", "refused with 409", "add_existing=refuse")
	case e.status == http.StatusBadRequest:
		r.note("add", "refused with 400", "add_existing=refuse_400")
	case !e.isAccepted():
		r.note("add", fmt.Sprintf("refused with %d", e.status))
	case len(own) > 1:
		r.note("add", "adds a second entry", "entry_identity=whole")
	case len(own) == 1 && own[0].Description == "two":
		r.note("add", "replaces the description")
	default:
		r.note("add", "does nothing", "add_existing=ignore")
	}
	return len(own) > 1, nil
}

// tryOtherRemoval removes the address with a description that it does not have.
func (r *run) tryOtherRemoval(ctx context.Context, o *object, source string, isWhole bool) error {
	body := accessList(map[string]any{"remove": []entry{{source, "three"}}})
	e, shown, err := r.try(ctx, o, http.MethodPatch, o.Path, body)
	if err != nil {
		return err
	}
	switch isGone := len(testEntries(shown)) == 0; {
	case !e.isAccepted():
		r.note("remove", fmt.Sprintf("refused with %d", e.status))
	case isGone && isWhole:
		r.note("remove", "removes all entries of the address", "remove_by=source")
	case isGone:
		r.note("remove", "removes it")
	case isWhole:
		r.note("remove", "removes nothing")
	default:
		r.note("remove", "removes nothing", "remove_by=whole")
	}
	return nil
}

// tryBoth adds and removes an address in one request.
func (r *run) tryBoth(ctx context.Context, o *object, asRange bool) error {
	added, removed := []entry{{otherAddress, "four"}}, []entry{{otherAddress, "four"}}
	if asRange {
		removed[0].Source += "/32"
	}
	e, shown, err := r.try(ctx, o, http.MethodPatch, o.Path, accessList(map[string]any{"add": added, "remove": removed}))
	if err != nil {
		return err
	}
	isThere := slices.ContainsFunc(testEntries(shown), func(e entry) bool { return e.Description == "four" })
	switch {
	case !e.isAccepted():
		r.note("both", fmt.Sprintf("refused with %d", e.status))
	case isThere:
		r.note("both", "is there afterwards", "remove_before_add")
	default:
		r.note("both", "is not there afterwards")
	}
	if len(o.differences(shown)) == 0 { // and what is shown has settled
		r.record.forget(o.Path)
	}
	return nil
}
