// Package lifecycle is the lifecycle of every resource of this provider: plan,
// create, read, update, delete, import and query, written once. The documented
// API reads and updates objects, and does not create or delete them. So a resource
// adopts an object that exists and manages only the attributes you set. Only an
// [Entry] of an object's list is created and deleted.
//
// The package knows no attribute of any resource. A [Definition] brings the
// schema, and how to read and write one kind of object.
package lifecycle

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A Definition is what one resource brings to the shared lifecycle. Its object O
// is a struct of api.Values, whose members are attributes by name: the member
// numReplicas is the attribute num_replicas.
type Definition[O any] interface {
	Metadata() Metadata
	Schema() schema.Schema

	// Read returns the object with these ids as the API returns it.
	Read(ctx context.Context, client *api.Client, ids Attributes) (*O, error)

	// Write sends update.Change and returns the object like Read.
	Write(ctx context.Context, client *api.Client, update Update[O]) (*O, error)
}

// Metadata describes a resource to the lifecycle. Everything but the first
// three members is optional.
type Metadata struct {
	TypeName string   // without the provider's prefix
	Noun     string   // in messages
	IDs      []string // the attributes that identify the object, in the order of the import id

	// ChangesWith names, for an attribute, those that the API changes along with it.
	ChangesWith map[string][]string
	// SentAsDifference are lists that are sent as additions and removals.
	SentAsDifference []string
	// IgnoredInRefresh are attributes that change with every request. A refresh
	// that finds nothing else keeps their old values.
	IgnoredInRefresh []string
	// ReadByUpdate says that no read is documented: an empty update reads the object, or
	// an undocumented GET.
	ReadByUpdate bool

	EntryOf *EntryOf // the list of an [Entry]; nil for any other object
}

func (m Metadata) isID(name string) bool { return slices.Contains(m.IDs, name) }

// id is an object's id in the form of an import id.
func (m Metadata) id(a Attributes) string {
	ids := make([]string, len(m.IDs))
	for i, name := range m.IDs {
		ids[i] = Text(a[name])
	}
	return strings.Join(ids, "/")
}

// canonicalID is the same for all notations of an object's id.
func (m Metadata) canonicalID(a Attributes) string {
	if m.EntryOf == nil {
		return strings.ToLower(m.id(a))
	}
	return m.owner().canonicalID(a) + "/" + m.EntryOf.Canonical(Text(a[m.lastID()]))
}

// name is an object's name in messages: "pipe scaling <service id>/<pipe id>".
func (m Metadata) name(a Attributes) string { return m.longNoun() + " " + m.owner().id(a) }

// shortName is an object's name in a summary: it ends in the end of its id.
func (m Metadata) shortName(a Attributes) string {
	return m.longNoun() + " " + ShortID(m.owner().id(a))
}

// longNoun of an entry ends in its owner's noun: an entry's own id may be sensitive.
func (m Metadata) longNoun() string {
	if m.EntryOf == nil {
		return m.Noun
	}
	return m.Noun + " of " + m.EntryOf.Owner
}

// ShortID is the end of an id, for summaries: …1111.
func ShortID(id string) string { return "…" + id[max(0, len(id)-4):] }

func (m Metadata) lastID() string { return m.IDs[len(m.IDs)-1] }

// An Update is one write of an object. What it does not concern is absent or null.
type Update[O any] struct {
	Creates    bool // the resource is new
	IDs        Attributes
	Before     O // the prior state, null lists as empty; for a creation, what the API returned
	Change     O // the planned changes, which are sent
	Configured O // the planned value of every attribute that the configuration sets

	// Attribute returns what Before and Change lack: an attribute that is no member of the
	// object, before and, if it is to be changed, after the update.
	Attribute func(name string) (before, after attr.Value)

	Warnings *diag.Diagnostics // about the write
}

// Optional interfaces of a definition.
type (
	// A Presenter shows attributes that are no members of the object, or have
	// another shape than their member. prior is the state before a read, the plan after a
	// write, and otherwise nil.
	Presenter[O any] interface {
		Present(object *O, prior Attributes) Attributes
	}

	// An Adviser warns, at plan time, of configuration with a surprising effect, and
	// refuses one without any.
	Adviser interface {
		Advise(ctx context.Context, client *api.Client, change Change) diag.Diagnostics
	}

	// A DestroyAdviser warns, at plan time, of what a destroy leaves behind. Without
	// a warning of its own, a destroy gets the one that all resources have.
	DestroyAdviser interface {
		AdviseDestroy(state Attributes) diag.Diagnostics
	}

	// An Importer deletes from an imported state what generated configuration should
	// not set. It warns if nothing remains.
	Importer interface {
		Importable(ctx context.Context, client *api.Client, state Attributes) diag.Diagnostics
	}
)

// A Change is what a plan does to an object. Before is what the plan was made
// from: the state or, for a creation, what the API returned. The plan of a creation
// is its configuration.
type Change struct {
	Creates                 bool // the resource is new
	Config, Before, Planned Attributes
	Name                    string // of the object in a summary: service …1111
}

// Sets reports whether the plan gives an attribute a new value, or one not known yet.
func (c Change) Sets(name string) bool {
	planned := c.Planned[name]
	if planned != nil && planned.IsUnknown() {
		return !c.Config[name].IsNull()
	}
	return isPlannedChange(planned, c.Before[name])
}

// IsEmpty reports whether the plan gives no attribute a new value.
func (c Change) IsEmpty() bool {
	return !slices.ContainsFunc(slices.Collect(maps.Keys(c.Planned)), c.Sets)
}
