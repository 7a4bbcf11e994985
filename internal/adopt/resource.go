package adopt

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// ProviderData is what resources and data sources get from the provider's
// configuration. Terraform configures the provider anew for each walk.
type ProviderData struct {
	Client *api.Client // nil while the configuration is not known
	Origin Origin
	// UpdateTimeout is how long an accepted change may take to show.
	UpdateTimeout time.Duration
	// FailIfHidden makes it an error if the API will not return an object.
	FailIfHidden bool

	walk     walk
	timeouts atomic.Int32 // consecutive waits for consistency that timed out
}

// Resource implements the framework's resource for a [Definition].
type Resource[O any] struct {
	*kind[O]
	*ProviderData
}

var _ interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
} = (*Resource[struct{}])(nil)

// NewResource returns the constructor of a definition's resource.
func NewResource[O any](definition Definition[O]) func() resource.Resource {
	kind := newKind(definition)
	return func() resource.Resource { return &Resource[O]{kind, &ProviderData{}} }
}

// Metadata implements [resource.Resource].
func (r *Resource[O]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.metadata.TypeName
}

// Schema implements [resource.Resource].
func (r *Resource[O]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema
}

// Configure implements [resource.ResourceWithConfigure].
func (r *Resource[O]) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		r.ProviderData = data
	}
}
