// Package adopt is the lifecycle of every resource of this provider: plan,
// create, read, update, delete, import and move, written once. The API can neither
// create nor delete anything, so a resource adopts an object that exists and
// manages only the attributes that the configuration sets.
//
// The package knows no attribute of any resource. A [Definition] brings the
// schema, the model, and how to read and write one kind of object.
package adopt

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

// A Definition is what one resource brings to the shared lifecycle. M is its
// model: a struct with a field for every attribute of the schema.
type Definition[M any] interface {
	Metadata() Metadata
	Schema() schema.Schema

	// Read returns the object that prior identifies, as the API returns it:
	// what the API does not return is unknown. Attributes that are Terraform's
	// alone come from prior.
	Read(ctx context.Context, client *api.Client, prior M) (M, error)

	// Write sends update.Change and returns the object like Read.
	Write(ctx context.Context, client *api.Client, update Update[M]) (M, error)
}

// Metadata describes a resource to the lifecycle. Everything but the first
// four members is optional.
type Metadata struct {
	TypeName string   // without the provider's prefix
	Noun     string   // in messages
	IDs      []string // the attributes that identify the object, in the order of the import id
	// Path is the end of the object's path in the API, with the ids in braces.
	// What follows the last id names an operation on the object.
	Path string

	// IDNote says in a sentence which id is meant, for the error about one that
	// is no UUID.
	IDNote string
	// TerraformOnly are attributes that are never sent, with the value that an
	// import gives them.
	TerraformOnly map[string]attr.Value
	// RequiresAttribute makes a block that sets no attribute an error.
	RequiresAttribute bool
	// Derived names, for an attribute, those that the API changes along with it.
	Derived map[string][]string
	// NotReturned are attributes that can be written but that the API is not
	// documented to return.
	NotReturned []string
	// Incremental are lists that are sent as additions and removals.
	Incremental []string
	// Volatile are attributes that change with every request. A refresh that
	// finds nothing else keeps their old values.
	Volatile []string
	// ReadByUpdate says that the object is read by an update without changes,
	// which the API may refuse.
	ReadByUpdate bool
	// Unconfirmed says, by attribute, why the API may not apply a change that it
	// has accepted: one sentence.
	Unconfirmed map[string]string
}

// isSent reports whether an attribute is part of the object, and neither its id
// nor Terraform's alone.
func (m Metadata) isSent(name string) bool {
	_, own := m.TerraformOnly[name]
	return !own && !slices.Contains(m.IDs, name)
}

// id is an object's id in the form of an import id.
func (m Metadata) id(a Attributes) string {
	ids := make([]string, len(m.IDs))
	for i, name := range m.IDs {
		ids[i] = Text(a[name])
	}
	return strings.Join(ids, "/")
}

// An Update is one write of an object.
type Update[M any] struct {
	Change     M // the planned changes to send; everything else is null
	Configured M // the planned value of every attribute that the configuration sets
	Base       M // the state before; for a creation, what the API returned
}

// The following interfaces are for definitions with something more to say.
type (
	// An Adviser warns, at plan time, of configuration that does not do what it
	// looks like.
	Adviser interface {
		Advise(ctx context.Context, client *api.Client, change Change) diag.Diagnostics
	}

	// A PartialReader names the attributes that the API last returned in a form
	// that cannot be read. They count as not returned. It sends nothing.
	PartialReader interface {
		Unreadable(client *api.Client, a Attributes) []string
	}

	// A DestroyAdviser warns, at plan time, of what a destroy will do.
	DestroyAdviser interface {
		AdviseDestroy(client *api.Client, state Attributes) diag.Diagnostics
	}

	// A Releaser changes the object when its resource is destroyed.
	Releaser[M any] interface {
		// Releases reports whether destroying a resource in this state changes
		// the object.
		Releases(state Attributes) bool
		// Release changes the object, and reports whether it is known that this
		// made a difference.
		Release(ctx context.Context, client *api.Client, state M) (changed bool, err error)
		// Restore undoes a release.
		Restore(ctx context.Context, client *api.Client, planned M) error
		// Decides reports whether a plan itself sets what a release changes.
		Decides(planned Attributes) bool
		// ReleaseTexts are the messages about it.
		ReleaseTexts() ReleaseTexts
	}

	// An Importer adjusts an imported state before configuration is generated
	// from it.
	Importer interface {
		Importable(ctx context.Context, client *api.Client, state Attributes) Attributes
	}
)

// A Change is what a plan does to an object. For a creation, Prior is what the
// API returned, and Planned the configuration.
type Change struct {
	Creates                bool
	Config, Prior, Planned Attributes
}

// Sets reports whether the plan gives an attribute a new value.
func (c Change) Sets(name string) bool {
	planned := c.Planned[name]
	return planned != nil && !planned.IsNull() && (planned.IsUnknown() && !c.Config[name].IsNull() || isPlannedChange(planned, c.Prior[name]))
}

// IsEmpty reports whether the plan gives no attribute a new value.
func (c Change) IsEmpty() bool {
	return !slices.ContainsFunc(slices.Collect(maps.Keys(c.Planned)), c.Sets)
}

// ReleaseTexts are messages about releasing an object. Summaries are the same
// for all objects, so that Terraform folds the warnings. The others have one %s
// each, for the object's name.
type ReleaseTexts struct {
	Verb, RestoreVerb string // "disable" and "enable", in "Unable to disable API key"

	Summary         string
	Planned         string // what the destroy will do
	NothingReleased string // the object no longer exists

	KeptSummary string // the configuration asks for no release
	Kept        string

	StaysSummary string // the object was released and adopted again in this run
	Stays        string
}
