package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// seenKey holds, in the private state, what the last read showed.
const seenKey = "seen"

// saveSeen records what the last read of an object showed: what the next one leaves out is gone.
// earlier is what was shown before and only a refresh can find gone.
func (r *managedResource) saveSeen(ctx context.Context, private privateState, a Attributes, earlier []string) diag.Diagnostics {
	returned, err := r.Definition.Read(ctx, r.Client.LastRead(), a)
	if errors.Is(err, api.ErrNotRead) {
		return nil
	}
	names := append(r.seenIn(returned, err), earlier...)
	slices.Sort(names)
	value, _ := json.Marshal(slices.Compact(names)) // texts
	return private.SetKey(ctx, seenKey, value)
}

func lastSeen(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
},
) (names []string) {
	value, _ := private.GetKey(ctx, seenKey)
	_ = json.Unmarshal(value, &names) // none, if another version has written it
	return names
}

// seenIn names the attributes that a read showed, of those that can be configured; for an entry,
// the list that it is in.
func (r *managedResource) seenIn(returned Attributes, err error) (names []string) {
	if r.isEntry() {
		if !errors.Is(err, ErrUnlisted) || errors.Is(err, ErrMistyped) {
			names = []string{r.EntryOf.Attribute}
		}
		return names
	}
	for _, name := range slices.Sorted(maps.Keys(returned)) {
		if r.isManageable(name) && returned[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// isManageable reports whether an attribute can be configured and is shown, or left out, as a whole.
func (t *resourceType) isManageable(name string) bool {
	attribute, ok := t.Schema.Attributes[name]
	return ok && attribute.IsOptional() && !t.isID(name) && !t.managesKeys(name)
}

// checkGone makes attributes empty that the last refresh saw and two reads now leave out: many APIs
// leave out what is empty. One read alone may be incomplete.
func (r *managedResource) checkGone(ctx context.Context, c Change, err error, last []string) (Change, error) {
	if !r.isIncomplete(c, err, last) {
		return c, err
	}
	client := r.Client // whose cache has the second read of the object in this walk
	// The two resources of a pipe share it.
	id := r.owner().canonicalID(c.Prior)
	if !r.walk.readTwice.have(id) {
		client = client.Fresh()
	}
	c, err = r.read(ctx, client, r.change(nil, c.Prior, nil))
	if err == nil || isOwnerFound(err) {
		r.walk.readTwice.add(id)
	}
	switch {
	case !r.isIncomplete(c, err, last):
		return c, err
	case err != nil:
		return c, ErrAbsent // from an empty list
	case len(last) > 1 && !slices.ContainsFunc(last, func(name string) bool { return c.returned[name] != nil }):
		return c, errNothingShown
	}
	for _, name := range last {
		if c.isGone(name) {
			c.Shown[name] = r.none(name)
		}
	}
	return c, nil
}

var errNothingShown = errors.New("the API returns none of the attributes that it returned before. " +
	"If they were all reset, run terraform apply -refresh=false -replace=ADDRESS with the address of this resource")

// isIncomplete reports whether a read left out what the last one showed.
func (r *managedResource) isIncomplete(c Change, err error, last []string) bool {
	if r.isEntry() {
		return errors.Is(err, ErrUnlisted) && !errors.Is(err, ErrMistyped) && len(last) > 0
	}
	return err == nil && slices.ContainsFunc(last, c.isGone)
}

// isGone reports whether the state has a value of an attribute that the read did not show.
func (c Change) isGone(name string) bool {
	prior, ok := c.Prior[name]
	return ok && hasValue(prior) && !c.isEmpty(name, prior) && c.returned[name] == nil
}

// none is an attribute that the API no longer shows: null, or an empty list.
func (t *resourceType) none(name string) attr.Value {
	if text, ok := t.NullAs[name]; ok {
		return asType(t.AttrTypes[name], types.StringValue(text))
	}
	return emptyOf(t.AttrTypes[name])
}

// isEmpty reports whether APIs that leave out what is empty leave out this value.
func (k Kind) isEmpty(name string, value attr.Value) bool {
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
