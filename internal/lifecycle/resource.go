package lifecycle

import (
	"context"
	"maps"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// ProviderData is what resources and data sources get from the provider's
// configuration. Terraform configures the provider anew for each walk.
type ProviderData struct {
	Client *api.Client // nil while the configuration is not known
	Origin Origin

	UpdateTimeout time.Duration // how long an accepted change may take to show
	FailIfHidden  bool          // it is an error if the API will not return an object

	walk     walk
	timeouts atomic.Int32 // consecutive waits for consistency that timed out
}

var notConfigured = diag.NewErrorDiagnostic("Provider configuration is not known yet",
	"The provider block depends on a value that is known only after apply, so nothing can be read yet. "+
		"First apply what that value comes from, for example with -target.")

// A managedResource implements the framework's resource for a [Definition].
type managedResource[O any] struct {
	*kind[O]
	*ProviderData
}

var _ interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
} = (*managedResource[struct{}])(nil)

// NewResource returns the constructor of a definition's resource.
func NewResource[O any](definition Definition[O]) func() resource.Resource {
	kind := newKind(definition)
	return func() resource.Resource { return &managedResource[O]{kind, &ProviderData{}} }
}

func (r *managedResource[O]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.metadata.TypeName
}

func (r *managedResource[O]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema
}

func (r *managedResource[O]) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		r.ProviderData = data
	}
}

// A kind is a definition and what is derived from it, made once for all calls.
type kind[O any] struct {
	definition  Definition[O]
	metadata    Metadata
	schema      schema.Schema
	objectType  objectType
	notReturned Attributes // all unknown, as in a response without any
}

func newKind[O any](definition Definition[O]) *kind[O] {
	k := &kind[O]{definition: definition, metadata: definition.Metadata(), schema: definition.Schema()}
	k.objectType = objectType{k.schema.Type().(types.ObjectType)}
	k.notReturned = Attributes{}
	for name, typ := range k.objectType.AttrTypes {
		ctx := context.Background()
		k.notReturned[name] = valueOf(ctx, typ, tftypes.NewValue(typ.TerraformType(ctx), tftypes.UnknownValue))
	}
	return k
}

// show converts an object that the API returned. Unknown is what it did not return, and a
// null scalar that can be configured. A null list is empty. prior has the ids.
func (k *kind[O]) show(ctx context.Context, object *O, prior Attributes) Attributes {
	shown := maps.Clone(k.notReturned)
	var special Attributes // of the definition
	if presenter, ok := k.definition.(Presenter[O]); ok {
		special = presenter.Present(object, prior)
	}
	value := reflect.ValueOf(object).Elem()
	for i, name := range attributeNames(value.Type()) {
		attribute, ok := k.schema.Attributes[name]
		if !ok || special[name] != nil {
			continue
		}
		member := value.Field(i).Interface().(Member)
		if member.IsMistyped() {
			logMistyped(ctx, name)
		}
		typ := k.objectType.AttrTypes[name]
		isUnset := member.IsNull() && attribute.IsOptional() && isScalar(typ)
		if member.IsKnown() && !isUnset {
			shown[name] = fromMember(ctx, typ, member.Any())
		}
	}
	for _, id := range k.metadata.IDs {
		shown[id] = prior[id]
	}
	maps.Copy(shown, special)
	return shown
}

// remote is the newest known state of an object: what the API returns, in the
// notation of prior, and prior for what it does not return.
func (k *kind[O]) remote(ctx context.Context, object *O, prior Attributes) Attributes {
	return fill(keepNotation(prior, k.show(ctx, object, prior)), prior)
}

// onlyConfigured drops what a state shows only if it is configured and prior does not have.
func (k *kind[O]) onlyConfigured(state, prior Attributes) Attributes {
	state = maps.Clone(state)
	for name, attribute := range k.schema.Attributes {
		if prior[name].IsNull() && !attribute.IsComputed() {
			state[name] = prior[name]
		}
	}
	return state
}

func isScalar(typ attr.Type) bool {
	_, isCollection := typ.(attr.TypeWithElementType)
	return !isCollection
}
