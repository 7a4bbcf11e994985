// Package lifecycle is the lifecycle of every resource of this provider: plan,
// create, read, update, delete, import and query, written once. The documented
// API reads and updates objects, and does not create or delete them. So a resource
// adopts an object that exists and manages only the attributes you set. Only an entry
// of an object's list is created and deleted.
//
// The package knows no attribute of any resource. A [Definition] brings the
// schema, and how to read and write one kind of object.
package lifecycle

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A Definition is what one resource brings to the shared lifecycle.
type Definition struct {
	Kind
	Schema schema.Schema

	// Read returns what the API returns of the object with these ids: see [Shown]. What it
	// leaves out was not returned; nil is null.
	Read func(ctx context.Context, client *api.Client, ids Attributes) (Attributes, error)

	// Write sends change.Sent and returns the object like Read.
	Write func(ctx context.Context, client *api.Client, change Change) (Attributes, error)

	// The rest is optional.

	// Infer sets attributes in shown that the API does not return and that follow from
	// prior: the state before a read, the plan after a write.
	Infer func(shown, prior Attributes)

	// Advise warns, at plan time, of configuration with a surprising effect, and
	// refuses one without any.
	Advise func(ctx context.Context, client *api.Client, change Change) diag.Diagnostics

	// AdviseDestroy warns, at plan time, of what a destroy leaves behind. Without
	// a warning of its own, a destroy gets the one that all resources have.
	AdviseDestroy func(state Attributes) diag.Diagnostics

	// Importable deletes from an imported state what generated configuration should
	// not set. It warns if nothing remains.
	Importable func(ctx context.Context, client *api.Client, state Attributes) diag.Diagnostics
}

// A Kind describes the objects of a resource. Everything but the first three members
// is optional.
type Kind struct {
	TypeName string   // without the provider's prefix
	Noun     string   // in messages
	IDs      []string // the attributes that identify the object, in the order of the import id

	// ChangesWith names, for an attribute, those that the API changes along with it.
	ChangesWith map[string][]string
	// SentAsDifference are lists that are sent as additions and removals.
	SentAsDifference []string
	// ManagedByKey are maps of which only the configured keys are managed. A key that leaves
	// the configuration keeps its value; entries that leave any other collection are removed.
	ManagedByKey []string
	// SharedLists are lists that others rely on: an adoption removes none of their entries.
	SharedLists []string
	// NullAs is what an attribute shows for a null, which the API may leave out.
	NullAs map[string]string
	// IgnoredInRefresh are attributes that change with every request. A refresh
	// that finds nothing else keeps their old values.
	IgnoredInRefresh []string
	// ReadByUpdate says that no read is documented: an empty update reads the object, or
	// an undocumented GET.
	ReadByUpdate bool

	EntryOf *EntryOf // the list that the object is an entry of; nil for any other object
}

func (k Kind) isID(name string) bool { return slices.Contains(k.IDs, name) }

// id is an object's id in the form of an import id.
func (k Kind) id(a Attributes) string {
	ids := make([]string, len(k.IDs))
	for i, name := range k.IDs {
		ids[i] = Text(a[name])
	}
	return strings.Join(ids, "/")
}

// canonicalID is the same for all notations of an object's id.
func (k Kind) canonicalID(a Attributes) string {
	if !k.isEntry() {
		return strings.ToLower(k.id(a))
	}
	return k.owner().canonicalID(a) + "/" + k.EntryOf.Canonical(Text(a[k.lastID()]))
}

// name is an object's name in messages: "pipe scaling <service id>/<pipe id>", or "access
// list entry 192.0.2.7 of service <service id>".
func (k Kind) name(a Attributes) string {
	if k.isEntry() {
		return k.Noun + " " + k.ownID(a) + " of " + k.owner().name(a)
	}
	return k.Noun + " " + k.id(a)
}

// shortName is an object's name in a summary: it ends in the end of its id, or its owner's.
func (k Kind) shortName(a Attributes) string {
	if k.isEntry() {
		return k.Noun + " of " + k.owner().shortName(a)
	}
	return k.Noun + " " + ShortID(k.id(a))
}

// ownID is an entry's own id. It is written by a user or the API, and may hold anything.
func (k Kind) ownID(a Attributes) string { return printable(Text(a[k.lastID()])) }

// ShortID is the end of an id, for summaries: …1111.
func ShortID(id string) string { return "…" + id[max(0, len(id)-4):] }

func (k Kind) lastID() string { return k.IDs[len(k.IDs)-1] }

func (k Kind) managesKeys(name string) bool { return slices.Contains(k.ManagedByKey, name) }

func (k Kind) isEntry() bool { return k.EntryOf != nil }
