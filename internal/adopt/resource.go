package adopt

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// ProviderData is what resources and data sources get from the provider's
// configuration.
type ProviderData struct {
	Client *api.Client // nil while the configuration is not known
	Origin Origin
	// ConsistencyTimeout bounds the wait for a write to show in responses.
	ConsistencyTimeout time.Duration
	// UnreadableObjects says what a refresh does with an object that the API
	// refuses to return.
	UnreadableObjects UnreadableObjects
	// Remedy says what to do about an error of the client, "" if nothing is
	// known. During a plan nothing has been sent.
	Remedy func(err error, planning bool) string

	vanished sync.Map     // objects that a refresh found to be gone
	timeouts atomic.Int32 // consecutive waits for consistency that timed out
	remedied atomic.Bool  // the remedy for rejected credentials has been printed
}

// UnreadableObjects is how a refresh treats an object that the API refuses to
// return.
type UnreadableObjects string

// The default warns if the API cannot return the object and fails if the key
// may not see it.
const (
	UnreadableDefault UnreadableObjects = ""
	UnreadableWarn    UnreadableObjects = "warn"
	UnreadableError   UnreadableObjects = "error"
)

// Resource implements the framework's resource for a [Definition].
type Resource[M any] struct {
	definition Definition[M]
	metadata   Metadata
	schema     schema.Schema
	objectType objectType

	*ProviderData
}

var _ interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
	resource.ResourceWithMoveState
	resource.ResourceWithValidateConfig
} = (*Resource[struct{}])(nil)

// NewResource returns the constructor of a definition's resource. The schema is
// built once, not for each of Terraform's calls.
func NewResource[M any](definition Definition[M]) func() resource.Resource {
	metadata, attributes := definition.Metadata(), definition.Schema()
	typ := objectType{attributes.Type().(types.ObjectType)}
	return func() resource.Resource {
		return &Resource[M]{definition, metadata, attributes, typ, &ProviderData{}}
	}
}

// Metadata sets the type's name.
func (r *Resource[M]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.metadata.TypeName
}

// Schema sets the schema.
func (r *Resource[M]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema
}

// Configure takes the provider's data.
func (r *Resource[M]) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		r.ProviderData = data
	}
}

// ValidateConfig refuses a block that manages nothing, where the definition
// asks for that.
func (r *Resource[M]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := r.objectType.attributes(ctx, req.Config.Raw)
	if v, ok := r.definition.(interface {
		ValidateConfig(config Attributes, resp *resource.ValidateConfigResponse)
	}); ok {
		v.ValidateConfig(config, resp)
	}
	if !r.metadata.RequiresAttribute {
		return
	}
	names := slices.DeleteFunc(sortedNames(config), func(name string) bool { return !r.metadata.isSent(name) })
	if !slices.ContainsFunc(names, func(name string) bool { return !config[name].IsNull() }) {
		resp.Diagnostics.AddError("Nothing to manage",
			"This block sets no attribute to manage. Set at least one of "+strings.Join(names, ", ")+", or remove the block.")
	}
}

// hasIDs reports whether the ids of an object are known.
func (r *Resource[M]) hasIDs(a Attributes) bool {
	return !slices.ContainsFunc(r.metadata.IDs, func(id string) bool { return !hasValue(a[id]) })
}

// identityOnly keeps the ids and what is Terraform's alone; the rest is null.
func (r *Resource[M]) identityOnly(ctx context.Context, a Attributes) Attributes {
	return a.pick(ctx, func(name string) bool { return !r.metadata.isSent(name) })
}

// fullName is an object's name in messages: "pipe scaling <service id>/<pipe id>".
func (r *Resource[M]) fullName(a Attributes) string {
	return r.metadata.Noun + " " + r.metadata.id(a)
}

// shortName is an object's name in a summary: it ends in the end of its id.
func (r *Resource[M]) shortName(a Attributes) string {
	id := r.metadata.id(a)
	return r.metadata.Noun + " …" + id[max(0, len(id)-4):]
}
