package lifecycle

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
)

// A Change is what Terraform plans for an object (Config, Prior, Planned), what the API showed of it
// before (Shown), and what it shows after a write (Response). What is sent (sends) follows from all but
// the response, and what is wrong then (confirm) also from that.
type Change struct {
	*Definition
	Creates bool // the resource is new

	Config   Attributes
	Prior    Attributes // what the plan starts from: the state or, for a creation, the ids and what the API shows
	Planned  Attributes // while a creation is planned, its configuration
	Shown    Attributes // what the read before showed, see show; unknown is what it did not
	Response Attributes // what the API shows after the write; unknown is what it does not

	readErr error           // of the read before
	leftOut map[string]bool // the lists that it has left out: empty, but what the plan removes is sent all the same

	mayBeDone bool   // the API has carried out the write as it was sent, or may have
	responded bool   // the response to the write has shown the object
	isSeen    bool   // that, or a read after it, has shown the object
	text      string // the API's text in a response that shows nothing of the object
}

// creation is the change of a new resource before its object is read.
func (d *Definition) creation(config, planned Attributes) Change {
	return Change{
		Definition: d, Creates: true, Config: config, Prior: planned.pick(d.isID), Planned: planned, Shown: d.notReturned, Response: d.notReturned,
	}
}

// change is any other change before its object is read. A refresh has only a prior state.
func (d *Definition) change(config, prior, planned Attributes) Change {
	return Change{Definition: d, Config: config, Prior: prior, Planned: planned, Shown: d.notReturned, Response: d.notReturned}
}

// ShortName is the object's name in a summary: service …1111.
func (c Change) ShortName() string { return c.shortName(c.Planned) }

// Sets reports whether the plan gives an attribute a new value, or one that is not known yet. Null
// is no new value: an attribute that leaves the configuration is not reset.
func (c Change) Sets(name string) bool {
	planned := c.Planned[name]
	if planned.IsUnknown() {
		return !c.Config[name].IsNull()
	}
	return hasValue(planned) && !c.same(name, c.Prior[name], planned)
}

// IsEmpty reports whether the plan gives no attribute a new value.
func (c Change) IsEmpty() bool {
	return !slices.ContainsFunc(slices.Collect(maps.Keys(c.Planned)), c.Sets)
}

// sends reports whether an attribute is sent: the plan changes it, and the API does not show
// that yet. The configuration does not decide: decisions/the-plan-decides-what-is-sent.md.
func (c Change) sends(name string) bool {
	return c.Sets(name) && (c.leftOut[name] || !c.matches(name, c.now(name)))
}

func (c Change) sentNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.Planned)), func(name string) bool { return !c.sends(name) })
}

// Sent is the planned values that are sent; all others are null.
func (c Change) Sent() Attributes { return c.Planned.pick(c.sends) }

// Configured is the planned value of every attribute that the configuration sets and ignore_changes does not
// leave alone, whether it changes or not.
func (c Change) Configured() Attributes {
	return c.Planned.pick(func(name string) bool {
		return hasValue(c.Config[name]) && c.same(name, c.Config[name], c.Planned[name])
	})
}

// Base is what the sent values are changes of: the prior values. In an adoption, a shared list counts as empty, so that
// nothing is removed; in an update, so does a list that is null, as no plan has shown what it contains.
func (c Change) Base() Attributes {
	base := maps.Clone(c.Prior)
	for name, typ := range c.AttrTypes {
		isAdopted := c.Creates && slices.Contains(c.SharedLists, name)
		if isAdopted || !c.Creates && base[name].IsNull() && !isScalar(typ) {
			base[name] = emptyOf(typ)
		}
	}
	return base
}

// now is what the read before showed of an attribute or, if it did not, the prior state.
func (c Change) now(name string) attr.Value {
	if shown := c.Shown[name]; !shown.IsUnknown() {
		return shown
	}
	return c.Prior[name]
}

// matches reports whether the API shows what a plan changes of an attribute: the planned
// value or, in a collection, the entries that the plan adds, changes and removes. The plan
// of a creation removes each entry that it lacks.
func (c Change) matches(name string, shown attr.Value) bool {
	planned := c.Planned[name]
	switch {
	case c.same(name, planned, shown):
		return true
	case Elements(planned) == nil || !hasValue(shown):
		return false
	}
	diff := c.compare(name, shown)
	return len(diff.missing)+len(diff.different)+len(diff.remaining) == 0
}

// A comparison has the names of entries that the API does not show as planned.
type comparison struct {
	missing, different []string // which the plan adds or changes
	remaining          []string // which the plan removes
	unplanned          []string // which neither the plan nor the prior state has: not wrong
}

// compare compares the entries of a collection. Entries that the plan keeps as they were do
// not count.
func (c Change) compare(name string, shown attr.Value) (diff comparison) {
	planned := c.Planned[name]
	after, old, now := c.Entries(name, planned), c.Entries(name, c.Prior[name]), c.Entries(name, shown)
	if len(now) == 0 { // then the whole planned collection is sent, and what the plan keeps is missing, too
		old = nil
	}
	for _, entry := range entryNames(planned) {
		key := c.canonical(name, entry)
		switch value := after[key]; {
		case value.Equal(now[key]) || value.Equal(old[key]):
		case now[key] == nil:
			diff.missing = append(diff.missing, entry)
		default:
			diff.different = append(diff.different, entry)
		}
	}
	for _, entry := range entryNames(shown) {
		switch key := c.canonical(name, entry); {
		case after[key] != nil || c.isSwitches(name):
		case old[key] != nil:
			diff.remaining = append(diff.remaining, entry)
		default:
			diff.unplanned = append(diff.unplanned, entry)
		}
	}
	return diff
}

// state is the new state: what the plan does not know is as the response shows it, or else as
// the API showed it before.
func (c Change) state() Attributes { return fill(c.Planned, c.Response, c.Shown, c.Prior) }

// failedState is the state after an update that the API did not refuse and does not show as
// planned. What a refresh will not show is null, so that the next apply sends it again. A shared
// list that is sent as a difference keeps its entries: an update from null only adds.
func (c Change) failedState() Attributes {
	state := c.refreshed(c.keepNotation(c.Prior, c.Response))
	for _, name := range c.sentNames() {
		isDifference := slices.Contains(c.SharedLists, name) && !c.SendsWholeLists
		willShow := c.mustShow(name) && !isEmptyValue(c.Planned[name]) // what is empty is left out once it is as planned
		if c.Response[name].IsUnknown() && !isDifference && !willShow {
			state[name] = nullOf(c.AttrTypes[name])
		}
	}
	return state
}

// refreshed is the prior state with what the API shows. An attribute that is not computed is
// shown only if the state has it.
func (c Change) refreshed(shown Attributes) Attributes {
	state := fill(shown, c.Prior)
	for name, attribute := range c.Schema.Attributes {
		if c.Prior[name].IsNull() && !attribute.IsComputed() {
			state[name] = c.Prior[name]
		}
	}
	return state
}

// fill replaces every unknown value with the first known one of the others, in their order.
func fill(values Attributes, others ...Attributes) Attributes {
	filled := maps.Clone(values)
	for _, other := range others {
		for name, value := range filled {
			if known, ok := other[name]; ok && value.IsUnknown() {
				filled[name] = known
			}
		}
	}
	return filled
}
