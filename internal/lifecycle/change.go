package lifecycle

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
)

// A Change is what Terraform plans for an object, and what the API shows of it.
type Change struct {
	*resourceType
	Creates bool // the resource is new

	Config  Attributes
	Prior   Attributes // the state; for a creation, what the API shows
	Planned Attributes // while a creation is planned, its configuration
	Shown   Attributes // what the API returned; unknown is what it did not

	returned Attributes // what Read returned, without what the resource infers from that
}

// creation is the change of a new resource before its object is read.
func (t *resourceType) creation(config, planned Attributes) Change {
	return Change{resourceType: t, Creates: true, Config: config, Prior: planned.pick(t.kind.isID), Planned: planned, Shown: t.notReturned}
}

// update is the change of a resource before its object is read.
func (t *resourceType) update(config, prior, planned Attributes) Change {
	return Change{resourceType: t, Config: config, Prior: prior, Planned: planned, Shown: t.notReturned}
}

// Sets reports whether the plan gives an attribute a new value, or one not known yet. Null
// is none: an attribute that leaves the configuration is not reset.
func (c Change) Sets(name string) bool {
	planned := c.Planned[name]
	if planned.IsUnknown() {
		return !c.Config[name].IsNull()
	}
	return hasValue(planned) && !semanticEqual(c.Prior[name], planned)
}

// IsEmpty reports whether the plan gives no attribute a new value.
func (c Change) IsEmpty() bool {
	return !slices.ContainsFunc(slices.Collect(maps.Keys(c.Planned)), c.Sets)
}

// Name is the object's name in a summary: service …1111.
func (c Change) Name() string { return c.kind.shortName(c.Planned) }

// sent names what is sent: what the plan changes and the API does not show yet. It does not go
// by the configuration, which still holds what ignore_changes ignores.
func (c Change) sent() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.Planned)), func(name string) bool {
		return !c.Sets(name) || c.isShown(name)
	})
}

// Sent is the planned values that are sent; all others are null.
func (c Change) Sent() Attributes {
	sent := c.sent()
	return c.Planned.pick(func(name string) bool { return slices.Contains(sent, name) })
}

// Configured is the planned value of every attribute that the configuration sets.
func (c Change) Configured() Attributes {
	return c.Planned.pick(func(name string) bool { return !c.Config[name].IsNull() })
}

// Before is what the sent values are relative to. For an update, null lists are empty: no
// plan has shown what they contain, so it only adds to them.
func (c Change) Before() Attributes {
	before := maps.Clone(c.Prior)
	for name, typ := range c.objectType.AttrTypes {
		if before[name].IsNull() && !isScalar(typ) && !c.Creates {
			before[name] = emptyOf(typ)
		}
	}
	return before
}

// now is what the API shows of an attribute, or last showed.
func (c Change) now(name string) attr.Value {
	if shown := c.Shown[name]; !shown.IsUnknown() {
		return shown
	}
	return c.Prior[name]
}

// isShown reports whether the API shows what a plan changes of an attribute: the planned
// value, or, in a collection, the entries that the plan adds, changes and removes. The plan
// of a creation removes each entry that it lacks.
func (c Change) isShown(name string) bool {
	planned, now := c.Planned[name], c.now(name)
	switch {
	case semanticEqual(planned, now):
		return true
	case Entries(planned) == nil || !hasValue(now):
		return false
	}
	wrong := c.compare(name)
	return len(wrong.missing)+len(wrong.different)+len(wrong.leftOver) == 0
}

// A comparison has the names of entries that the API does not show as planned.
type comparison struct {
	missing, different []string // which the plan adds or changes
	leftOver           []string // which the plan removes
	unplanned          []string // which neither the plan nor the prior state has: not wrong
}

// compare compares the entries of a collection. Entries that the plan keeps as they were do
// not count.
func (c Change) compare(name string) (wrong comparison) {
	planned, shown := c.Planned[name], c.now(name)
	after, old, now := Entries(planned), Entries(c.Prior[name]), Entries(shown)
	if len(now) == 0 { // it becomes the planned collection, with the entries that the plan keeps
		old = nil
	}
	for _, entry := range entryNames(planned) {
		key := keyOf(planned, entry)
		switch value := after[key]; {
		case value.Equal(now[key]) || value.Equal(old[key]):
		case now[key] == nil:
			wrong.missing = append(wrong.missing, entry)
		default:
			wrong.different = append(wrong.different, entry)
		}
	}
	for _, entry := range entryNames(shown) {
		switch key := keyOf(shown, entry); {
		case after[key] != nil || c.kind.managesKeys(name):
		case old[key] != nil:
			wrong.leftOver = append(wrong.leftOver, entry)
		default:
			wrong.unplanned = append(wrong.unplanned, entry)
		}
	}
	return wrong
}

// state is the new state: the response, or what was read before, has what the plan does not
// know.
func (c Change) state(response Attributes) Attributes {
	return fill(c.Planned, response, c.Shown, c.Prior)
}

// failedState is the state after an update that the API accepted and does not show as
// planned. What a refresh will not show is null, so that the next apply sends it again.
func (c Change) failedState(response Attributes) Attributes {
	state := c.refreshed(keepNotation(c.Prior, response))
	for _, name := range c.sent() {
		if response[name].IsUnknown() && !c.willShow(name) {
			state[name] = nullOf(state[name].Type(context.Background()))
		}
	}
	return state
}

// refreshed is the prior state with what the API shows. An attribute that is not computed is
// shown only if the state has it.
func (c Change) refreshed(shown Attributes) Attributes {
	state := fill(shown, c.Prior)
	for name, attribute := range c.schema.Attributes {
		if c.Prior[name].IsNull() && !attribute.IsComputed() {
			state[name] = c.Prior[name]
		}
	}
	return state
}

// willShow reports whether a refresh will show an attribute that the response to an update
// lacks. It will if the API returned the attribute before the update, except for a value that
// APIs leave out. A list that is sent as a difference must keep its entries in the state: an
// update from null only adds.
func (c Change) willShow(name string) bool {
	planned := c.Planned[name]
	none, hasNone := c.kind.NullAs[name]
	isNone := hasNone && Text(planned) == none || !isScalar(c.objectType.AttrTypes[name]) && len(Elements(planned)) == 0
	_, wasReturned := c.returned[name]
	return slices.Contains(c.kind.SentAsDifference, name) || wasReturned && !isNone
}

// fill replaces every unknown value with the first known one of the others, in their order.
func fill(values Attributes, others ...Attributes) Attributes {
	filled := maps.Clone(values)
	for _, other := range others {
		for name, value := range filled {
			if value.IsUnknown() {
				filled[name] = other[name]
			}
		}
	}
	return filled
}

// A Notation is a value with more than one notation, such as an instant at
// another offset or an address with or without its full-length prefix.
type Notation interface {
	attr.Value

	// SemanticEqual reports whether both values, which are known, mean the same.
	SemanticEqual(other attr.Value) bool

	// KeepNotation returns the value as prior writes it: prior itself if the API only
	// normalized it, for example by dropping fractional digits.
	KeepNotation(prior attr.Value) attr.Value
}

// A Collection is a list or map whose entries have more than one notation.
type Collection interface {
	// Entries returns the entries by what identifies them.
	Entries() map[string]attr.Value
	// Key is what identifies the entry with this name.
	Key(name string) string
}

// semanticEqual reports whether two values mean the same.
func semanticEqual(a, b attr.Value) bool {
	switch {
	case a.Equal(b):
		return true
	case !hasValue(a) || !hasValue(b):
		return false
	}
	switch a := a.(type) {
	case Notation:
		return a.SemanticEqual(b)
	case interface{ ValueFloat64() float64 }:
		// Terraform computes with more digits than a float64 has.
		b, ok := b.(interface{ ValueFloat64() float64 })
		return ok && a.ValueFloat64() == b.ValueFloat64()
	}
	return false
}

func hasValue(value attr.Value) bool { return value != nil && !value.IsNull() && !value.IsUnknown() }

// keepNotation returns shown with prior's notation of each value that means the same.
func keepNotation(prior, shown Attributes) Attributes {
	kept := maps.Clone(shown)
	for name, value := range shown {
		before := prior[name]
		notation, hasNotations := value.(Notation)
		switch {
		case !hasValue(before) || !hasValue(value):
		case hasNotations:
			kept[name] = notation.KeepNotation(before)
		case semanticEqual(before, value):
			kept[name] = before
		}
	}
	return kept
}

// entryNames are the names of a collection's entries, as it writes them.
func entryNames(value attr.Value) []string { return slices.Sorted(maps.Keys(Elements(value))) }

func keyOf(value attr.Value, name string) string {
	if list, ok := value.(Collection); ok {
		return list.Key(name)
	}
	return name
}

// Entries returns the elements of a collection by what identifies them.
func Entries(value attr.Value) map[string]attr.Value {
	if list, ok := value.(Collection); ok {
		return list.Entries()
	}
	return Elements(value)
}
