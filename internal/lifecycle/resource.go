// Package lifecycle is the lifecycle of every resource of this provider: plan,
// create, read, update, delete, import and query, written once. The documented
// API reads and updates objects, and does not create or delete them. So a resource
// adopts an object that exists and manages only the attributes you set. Only an entry
// of an object's list is created and deleted.
//
// The package knows no attribute of any resource. A [Definition] brings the
// schema, and how to read and write one kind of object. A [Lookup] is a data source.
//
// What happens is in plan.go, apply.go (creation and update), confirm.go (the wait until an accepted change
// shows), read.go, import.go, query.go and lookup.go; what is different for an entry is in entries.go. DESIGN.md has
// the words for what is not there. The ideas:
//
//   - [Attributes] (conversion.go): a configuration, a plan, a state or a response, by name. What a response does
//     not show is unknown.
//   - A [Change] (change.go): what is sent, what is wrong with the response, and the new state.
//   - An adoption (plan.go): a creation reads an object that exists, warns of what it overwrites, and removes nothing.
//   - Confirmed (confirm.go): a read or a response shows what was sent.
//   - Canonical (notation.go): two notations with the same canonical text are one value.
//   - Shared lists: lists of an object that others change, too.
//   - An entry of such a list, and its owner ([EntryDefinition]): it is created and deleted.
//   - A walk (walk.go): what is known of the other blocks of a plan.
//   - The [Origin] of a state (private_state.go): a 404 from elsewhere removes nothing.
//   - The texts of errors and warnings (messages.go), and validators that also run on what is imported (validate.go).
package lifecycle

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A Kind is what requests and messages need to know of objects.
type Kind struct {
	TypeName string   // without the provider's prefix
	Noun     string   // in messages
	IDs      []string // the attributes that identify the object, in the order of the import id
	Owner    *Kind    // of an entry: the object whose list has it; nil for any other object

	// NoDocumentedRead says that the API documents no read: an empty update reads the object, or an
	// undocumented GET.
	NoDocumentedRead bool
}

func (k Kind) isID(name string) bool { return slices.Contains(k.IDs, name) }

func (k Kind) lastID() string { return k.IDs[len(k.IDs)-1] }

// id is an object's id in the form of an import id.
func (k Kind) id(a Attributes) string {
	ids := make([]string, len(k.IDs))
	for i, name := range k.IDs {
		ids[i] = Text(a[name])
	}
	return strings.Join(ids, "/")
}

// Returned is what the API returned of an object, by the name of its attribute: see [ReturnedOf]. What it lacks was
// not returned. nil is null, or a list that is empty because the API has left it out.
type Returned map[string]attr.Value

// A Definition is what one resource brings to the shared lifecycle.
type Definition struct {
	Kind
	Schema schema.Schema

	// Fetch reads the object. prior has its ids, and what is known of it: its state or, after an update, its plan.
	Fetch func(ctx context.Context, client *api.Client, prior Attributes) (Returned, error)

	// Write sends change.Sent, and what cannot be left out beside it. It returns the object like Fetch.
	Write func(ctx context.Context, client *api.Client, change Change) (Returned, error)

	// The rest is optional.

	// Canonical has, for an attribute with several notations of a value, what is the same for all of them;
	// for a map, of a key.
	Canonical map[string]func(text string) string
	// Follows names, for an attribute, the one that the API changes it along with.
	Follows map[string]string
	// SharedLists are lists that others change, and rely on: an adoption removes none of their entries.
	SharedLists []string
	// SendsWholeLists says that an update sends each list whole, and not what it adds and removes.
	SendsWholeLists bool

	// Advise warns, at plan time, of configuration with a surprising effect.
	Advise func(ctx context.Context, client *api.Client, change Change) diag.Diagnostics

	// AdviseDestroy warns, at plan time, of what a destroy leaves behind. Without a warning of its own, it gets a
	// general one.
	AdviseDestroy func(state Attributes) diag.Diagnostics

	// Importable deletes from an imported state what generated configuration should
	// not set. It warns if nothing remains.
	Importable func(ctx context.Context, client *api.Client, state Attributes) diag.Diagnostics

	objectType
	notReturned Attributes // all unknown, as in a response without any
}

// prepared returns the definition with what is derived from it, for all calls.
func (d Definition) prepared() *Definition {
	d.objectType = objectType{d.Schema.Type().(types.ObjectType)}
	d.notReturned = Attributes{}
	for name, typ := range d.AttrTypes {
		d.notReturned[name] = valueOf(typ, tftypes.NewValue(typ.TerraformType(context.Background()), tftypes.UnknownValue))
	}
	for _, name := range slices.Concat(d.IDs, d.SharedLists, slices.Collect(maps.Keys(d.Canonical)), slices.Collect(maps.Keys(d.Follows)), slices.Collect(maps.Values(d.Follows))) {
		mustExist(d.notReturned[name])
	}
	return &d
}

// isSwitches reports whether an attribute is a map of switches, of which only the configured keys are managed: a
// key that leaves the configuration keeps its value. Entries that leave any other collection are removed.
func (t objectType) isSwitches(name string) bool {
	list, isMap := t.AttrTypes[name].(types.MapType)
	return isMap && list.ElemType == types.BoolType
}

// isConfigurable reports whether an attribute can be configured and is shown, or left out, as a whole.
func (d *Definition) isConfigurable(name string) bool {
	attribute, ok := d.Schema.Attributes[name]
	return ok && attribute.IsOptional() && !d.isSwitches(name)
}

// A managedResource implements the framework's resource for a [Definition].
type managedResource struct {
	*Definition
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
	prepared := definition.prepared()
	return func() resource.Resource { return &managedResource{prepared, &ProviderData{}} }
}

func (r *managedResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.TypeName
}

func (r *managedResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.Definition.Schema
}

func (r *managedResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.ProviderData = configured(req.ProviderData, r.ProviderData, &resp.Diagnostics)
}
