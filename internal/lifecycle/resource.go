package lifecycle

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

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
	resp.TypeName = req.ProviderTypeName + "_" + r.kind.TypeName
}

func (r *managedResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema
}

func (r *managedResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		r.ProviderData = data
	}
}

// A resourceType is a definition and what is derived from it, made once for all calls.
type resourceType struct {
	definition  Definition
	kind        Kind
	schema      schema.Schema
	objectType  objectType
	notReturned Attributes // all unknown, as in a response without any
}

func newResourceType(definition Definition) *resourceType {
	t := &resourceType{definition: definition, kind: definition.Kind, schema: definition.Schema}
	t.objectType = objectType{t.schema.Type().(types.ObjectType)}
	t.notReturned = Attributes{}
	for name, typ := range t.objectType.AttrTypes {
		ctx := context.Background()
		t.notReturned[name] = valueOf(typ, tftypes.NewValue(typ.TerraformType(ctx), tftypes.UnknownValue))
	}
	for _, name := range slices.Concat(t.kind.IDs, t.kind.SentAsDifference, t.kind.ManagedByKey, t.kind.SharedLists, t.kind.IgnoredInRefresh) {
		mustExist(t.notReturned[name])
	}
	return t
}
