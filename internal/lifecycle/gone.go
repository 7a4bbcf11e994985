package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// emptyGone makes attributes empty that were shown before (see recordShown) and that two reads now leave
// out: many APIs leave out what is empty. One read alone may be incomplete.
func (r *managedResource) emptyGone(ctx context.Context, c Change, err error, names []string) (Change, error) {
	if !r.leavesOut(c, err, names) {
		return c, err
	}
	client, id := r.Client, strings.ToLower(r.owner().id(c.Prior))
	if !has(&r.walk.readAgain, id) {
		client = client.Fresh() // later, its cache has the second read
	}
	c, err = r.withRead(ctx, client, r.change(nil, c.Prior, nil))
	if err == nil || isOwnerFound(err) {
		r.walk.readAgain.Store(id, true)
	}
	switch {
	case !r.leavesOut(c, err, names):
		return c, err
	case r.isEntry():
		return c, ErrAbsent // the list is left out because it is empty
	case len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool { return c.returned[name] != nil }):
		return c, errNothingShown // one attribute may be gone, several hardly
	}
	for _, name := range names {
		if !c.isLeftOut(name) {
			continue
		}
		if text, ok := r.NullAs[name]; ok {
			c.Shown[name] = types.StringValue(text)
		} else {
			c.Shown[name] = emptyOf(r.AttrTypes[name])
		}
	}
	return c, nil
}

var errNothingShown = errors.New("the API returns none of the attributes that it returned before. " +
	"If they were all reset, run terraform apply -refresh=false -replace=ADDRESS with the address of this resource")

// leavesOut reports whether a read left out what was shown before.
func (r *managedResource) leavesOut(c Change, err error, names []string) bool {
	if r.isEntry() {
		return errors.Is(err, ErrUnlisted) && !errors.Is(err, ErrMistyped) && len(names) > 0
	}
	return err == nil && slices.ContainsFunc(names, c.isLeftOut)
}

// isLeftOut reports whether the state has a value of an attribute that the read did not show.
func (c Change) isLeftOut(name string) bool {
	prior, ok := c.Prior[name]
	return ok && hasValue(prior) && !c.isEmptyValue(name, prior) && c.returned[name] == nil
}

// isEmptyValue reports whether a value is one that many APIs leave out as empty: also a zero.
func (k Kind) isEmptyValue(name string, value attr.Value) bool {
	switch v := value.(type) {
	case interface{ ValueInt64() int64 }:
		return v.ValueInt64() == 0
	case interface{ ValueFloat64() float64 }:
		return v.ValueFloat64() == 0
	case interface{ ValueBool() bool }:
		return !v.ValueBool()
	case interface{ ValueString() string }:
		return v.ValueString() == k.NullAs[name]
	}
	return len(Elements(value)) == 0
}
