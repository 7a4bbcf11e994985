// Package lifecycle is the lifecycle of every resource of this provider: plan,
// create, read, update, delete, import and query, written once. The documented
// API reads and updates objects, and does not create or delete them. So a resource
// adopts an object that exists and manages only the attributes you set. Only an entry
// of an object's list is created and deleted.
//
// The package knows no attribute of any resource. A [Definition] brings the
// schema, and how to read and write one kind of object. A [Lookup] is a data source.
//
// What happens is in plan.go, apply.go (creation, update and removal), confirm.go (the wait until an
// accepted change shows), read.go, import.go, query.go and
// lookup.go. They share:
//
//   - [Attributes] (conversion.go),
//   - a [Change] (change.go): what is sent, what is wrong with the response, and the new state,
//   - entries of a list, and the owner that has the list ([EntryOf], entries.go),
//   - a walk: what is known of other blocks (walk.go),
//   - private state: the [Origin] (private_state.go),
//   - errors and warnings (messages.go).
package lifecycle

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A Definition is what one resource brings to the shared lifecycle.
type Definition struct {
	Kind
	Schema schema.Schema

	// Fetch returns what the API returns of the object with these ids: see [AttributesOf]. What it
	// leaves out was not returned; nil is null.
	Fetch func(ctx context.Context, client *api.Client, ids Attributes) (Attributes, error)

	// Write sends change.Sent, and what cannot be left out beside it. It returns the object like Fetch.
	Write func(ctx context.Context, client *api.Client, change Change) (Attributes, error)

	// The rest is optional.

	// Infer sets attributes in shown that the API does not return and that follow from
	// prior: the state before a read, the plan after a write.
	Infer func(shown, prior Attributes)

	// Advise warns, at plan time, of configuration with a surprising effect.
	Advise func(ctx context.Context, client *api.Client, change Change) diag.Diagnostics

	// AdviseDestroy warns, at plan time, of what a destroy leaves behind. Without a warning of its own,
	// the destroy of what is no entry gets a general one.
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

	// Canonical has, for an attribute with several notations of a value, what is the same for all of them;
	// for a map, of a key.
	Canonical map[string]func(text string) string
	// ChangesWith names, for an attribute, those that the API changes along with it.
	ChangesWith map[string][]string
	// EntryLists are lists whose entries can also have resources of their own. They are sent as additions
	// and removals.
	EntryLists []string
	// SentTogether are attributes that platforms derive from each other: where one is sent, so are
	// the others that are configured.
	SentTogether []string
	// ManagedByKey are maps of which only the configured keys are managed. A key that leaves
	// the configuration keeps its value; entries that leave any other collection are removed.
	ManagedByKey []string
	// SharedLists are lists that others rely on: an adoption removes none of their entries.
	SharedLists []string
	// IgnoredInRefresh are attributes that change with every request. A refresh
	// that finds nothing else keeps their old values.
	IgnoredInRefresh []string
	// NoDocumentedRead says that the API documents no read: an empty update reads the object, or an
	// undocumented GET.
	NoDocumentedRead bool

	EntryOf *EntryOf // the list that the object is an entry of; nil for any other object
}

func (k Kind) isEntry() bool { return k.EntryOf != nil }

func (k Kind) isID(name string) bool { return slices.Contains(k.IDs, name) }

func (k Kind) managesKeys(name string) bool { return slices.Contains(k.ManagedByKey, name) }

func (k Kind) lastID() string { return k.IDs[len(k.IDs)-1] }

// id is an object's id in the form of an import id.
func (k Kind) id(a Attributes) string {
	ids := make([]string, len(k.IDs))
	for i, name := range k.IDs {
		ids[i] = Text(a[name])
	}
	return strings.Join(ids, "/")
}

// ProviderData is what resources and data sources get from the provider's
// configuration. Terraform configures the provider anew for each walk.
type ProviderData struct {
	Client *api.Client // nil while the configuration is not known
	Origin Origin

	UpdateTimeout time.Duration // how long an accepted change may take to show
	FailIfHidden  bool          // it is an error if the API will not return an object

	walk     walk
	timeouts atomic.Int32 // consecutive waits for a change that timed out
}

var notConfigured = diag.NewErrorDiagnostic("Provider configuration is not known yet",
	"The provider block depends on a value that is known only after apply, so nothing can be read yet. "+
		"First apply what that value comes from, for example with -target.")

// A managedResource implements the framework's resource for a [Definition].
type managedResource struct {
	*resourceType
	*ProviderData
}

var _ interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
} = (*managedResource)(nil)

// NewResource returns the constructor of a definition's resource.
func NewResource(definition Definition) func() resource.Resource {
	typ := newResourceType(definition)
	return func() resource.Resource { return &managedResource{typ, &ProviderData{}} }
}

func (r *managedResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.TypeName
}

func (r *managedResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.Definition.Schema
}

func (r *managedResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		r.ProviderData = data
	}
}

// A resourceType is a definition and what is derived from it, made once for all calls.
type resourceType struct {
	Definition
	objectType
	notReturned Attributes // all unknown, as in a response without any
}

func newResourceType(definition Definition) *resourceType {
	t := &resourceType{definition, objectType{definition.Schema.Type().(types.ObjectType)}, Attributes{}}
	for name, typ := range t.AttrTypes {
		t.notReturned[name] = valueOf(typ, tftypes.NewValue(typ.TerraformType(context.Background()), tftypes.UnknownValue))
	}
	named := slices.Concat(t.IDs, t.EntryLists, t.SentTogether, t.ManagedByKey, t.SharedLists, t.IgnoredInRefresh)
	for name, others := range t.ChangesWith {
		named = append(append(named, name), others...)
	}
	for _, name := range named {
		mustExist(t.notReturned[name])
	}
	return t
}

// fetch reads an object. A list that it leaves out is empty, as if it were null: many APIs leave out what is
// empty. Any other attribute that it leaves out was not returned.
func (t *resourceType) fetch(ctx context.Context, client *api.Client, ids Attributes) (Attributes, error) {
	returned, err := t.Fetch(ctx, client, ids)
	if err != nil {
		return nil, err
	}
	for name, typ := range t.AttrTypes {
		if _, isReturned := returned[name]; !isReturned && t.isConfigurable(name) && !isScalar(typ) {
			returned[name] = nil
		}
	}
	return returned, nil
}

// isConfigurable reports whether an attribute can be configured and is shown, or left out, as a whole.
func (t *resourceType) isConfigurable(name string) bool {
	attribute, ok := t.Schema.Attributes[name]
	return ok && attribute.IsOptional() && !t.managesKeys(name)
}
