package provider

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A kind is what one kind of object brings to the life that all kinds share:
// its schema, how it is read, and how it is written. M is its model, the Go
// form of its schema.
type kind[M any] interface {
	about() about
	schema() schema.Schema

	// read answers what the API says of the object that prior names. What the
	// answer leaves out is unknown; what is not the API's comes from prior.
	read(ctx context.Context, client *api.Client, prior M) (M, error)

	// write sends what differs, and answers like read.
	write(ctx context.Context, client *api.Client, w writing[M]) (M, error)
}

// about is what the life of a kind needs to know of it.
type about struct {
	typeName string                // of the resource, without the provider's prefix
	noun     string                // in messages
	ids      []string              // the attributes that name an object, in the order of the import id
	own      map[string]attr.Value // attributes that are Terraform's alone and never sent, as an import sets them
	setsAny  bool                  // without an attribute set, a resource is a mistake
	follows  map[string][]string   // what the API derives from an attribute, and changes with it
}

// owns tells whether an attribute is Terraform's alone or names the object.
func (a about) owns(name string) bool {
	_, own := a.own[name]
	return own || slices.Contains(a.ids, name)
}

// writing is one write of an object. Want is what the configuration sets,
// change the part of it that differs from what is known; the rest is null.
type writing[M any] struct {
	want, change, known M
}

// What only some kinds have to say.
type (
	// An adviser warns, at plan time, of what will not do what it looks like.
	adviser interface {
		advise(ctx context.Context, client *api.Client, config, known attributes) diag.Diagnostics
	}
	// A releaser does something to the object that Terraform lets go of, and
	// undoes it where the same run adopts that object again.
	releaser[M any] interface {
		releases(state attributes) bool
		release(ctx context.Context, client *api.Client, state M) error
		restore(ctx context.Context, client *api.Client, config M) error
	}
)

// adopted is the life of every resource here. The API can create and delete
// nothing, so a resource adopts an object that exists, holds it to the
// attributes that the configuration sets and to no others, and lets go of it
// in the end. Planning and importing have files of their own.
type adopted[M any] struct {
	kind   kind[M]
	about  about
	scheme schema.Schema
	shape  shape

	*providerData
}

var _ interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
	resource.ResourceWithValidateConfig
} = (*adopted[struct{}])(nil)

// adopting makes the constructor of a kind's resource. The schema is built
// once, not once for each of Terraform's calls.
func adopting[M any](k kind[M]) func() resource.Resource {
	scheme := k.schema()
	shape := shape{scheme.Type().(types.ObjectType)}
	return func() resource.Resource {
		return &adopted[M]{kind: k, about: k.about(), scheme: scheme, shape: shape, providerData: &providerData{}}
	}
}

func (r *adopted[M]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.about.typeName
}

func (r *adopted[M]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.scheme
}

func (r *adopted[M]) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*providerData); ok {
		r.providerData = data
	}
}

func (r *adopted[M]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if !r.about.setsAny {
		return
	}
	config := r.shape.attributes(ctx, req.Config.Raw)
	names := slices.DeleteFunc(sortedNames(config), r.about.owns)
	if !slices.ContainsFunc(names, func(name string) bool { return !config[name].IsNull() }) {
		resp.Diagnostics.AddError("Nothing to manage",
			"None of the attributes that this resource can manage is set. Set at least one of: "+strings.Join(names, ", ")+"; or remove the resource.")
	}
}

func (r *adopted[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config := r.shape.attributes(ctx, req.Config.Raw)
	plan := r.shape.attributes(ctx, req.Plan.Raw)

	entry := r.ledger.of(r.long(plan))
	entry.Lock()
	defer entry.Unlock()
	state, diags := r.bring(ctx, config, plan, r.bare(ctx, plan))
	resp.Diagnostics.Append(diags...)
	if entry.released && !diags.HasError() {
		resp.Diagnostics.Append(r.restore(ctx, config)...)
	}
	if resp.Diagnostics.HasError() {
		return // without a state: nothing was created, so nothing is tainted
	}
	entry.adopted = true
	resp.State.Raw = r.shape.raw(ctx, state)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, state)...)
}

func (r *adopted[M]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config := r.shape.attributes(ctx, req.Config.Raw)
	plan := r.shape.attributes(ctx, req.Plan.Raw)
	prior := r.shape.attributes(ctx, req.State.Raw)

	state, diags := r.bring(ctx, config, plan, prior)
	resp.Diagnostics.Append(diags...)
	if state != nil { // else what is in the state is still all that is known
		resp.State.Raw = r.shape.raw(ctx, state)
	}
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, prior)...)
}

// bring brings an object to what the configuration sets and answers its new
// state: the plan, and from the API what the plan does not know. With an
// error the state is what is true of the object, nil where nothing new is.
func (r *adopted[M]) bring(ctx context.Context, config, plan, prior attributes) (attributes, diag.Diagnostics) {
	known, err := r.known(ctx, prior)
	if err != nil && !errors.Is(err, transport.ErrReadRefused) {
		return nil, r.failure("read", known, err)
	}
	names := r.difference(config, known)
	if len(names) == 0 {
		return fill(plan, known), nil
	}

	answer, err := r.send(ctx, config, known, names)
	if err != nil {
		return nil, r.failure("update", known, err)
	}
	answer, diags := r.confirmed(ctx, config, answer)
	if diags.HasError() {
		return fill(settle(prior, answer), known), diags
	}
	return fill(fill(plan, answer), known), diags
}

// known is the newest that is known of an object: what the API says now, put
// as prior puts it, and prior where the API says nothing. Where it refuses to
// be read, prior is returned with the error.
func (r *adopted[M]) known(ctx context.Context, prior attributes) (attributes, error) {
	remote, err := r.ask(ctx, r.client, prior)
	if err != nil {
		return prior, err
	}
	return fill(settle(prior, remote), prior), nil
}

func (r *adopted[M]) ask(ctx context.Context, client *api.Client, prior attributes) (attributes, error) {
	if client == nil {
		return nil, errNotConfigured
	}
	answer, err := r.kind.read(ctx, client, modelOf[M](prior))
	if err != nil {
		return nil, err
	}
	return fromModel(answer), nil
}

// difference names what has to be written.
func (r *adopted[M]) difference(want, known attributes) []string {
	return slices.DeleteFunc(difference(want, known), func(name string) bool {
		return r.about.owns(name)
	})
}

func (r *adopted[M]) send(ctx context.Context, config, known attributes, names []string) (attributes, error) {
	answer, err := r.kind.write(ctx, r.client, writing[M]{
		want:   modelOf[M](config),
		change: modelOf[M](config.only(ctx, slices.Concat(names, r.about.ids))),
		known:  modelOf[M](known),
	})
	if err != nil {
		return nil, err
	}
	return fromModel(answer), nil
}

// confirmed holds the answer to a write against what was asked for. Some back
// ends settle late and answer with the old value for a while, so they are
// asked again before that is called a contradiction.
func (r *adopted[M]) confirmed(ctx context.Context, want, answer attributes) (attributes, diag.Diagnostics) {
	diags := confirm(want, answer)
	patience := r.patience
	if r.inVain.Load() { // one has waited for all: a back end that never settles must not hold up each
		patience /= 60
	}
	deadline := time.Now().Add(patience)
	for wait := r.patience / 100; diags.HasError() && time.Now().Add(wait).Before(deadline); wait = min(2*wait, r.patience/10) {
		select {
		case <-ctx.Done():
			return answer, diags
		case <-time.After(wait):
		}
		again, err := r.ask(ctx, r.client.Fresh(), want)
		if err != nil {
			return answer, diags
		}
		answer, diags = again, confirm(want, again)
	}
	r.inVain.Store(diags.HasError())
	return answer, diags
}

// bare keeps of attributes what names the object and what is Terraform's own.
func (r *adopted[M]) bare(ctx context.Context, a attributes) attributes {
	kept := maps.Clone(a)
	for name, value := range a {
		if !r.about.owns(name) {
			kept[name] = null(ctx, value.Type(ctx))
		}
	}
	return kept
}

func (r *adopted[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	prior := r.shape.attributes(ctx, req.State.Raw)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, prior)...) // also where the object is gone
	if resp.Diagnostics.HasError() || r.client == nil {
		return
	}

	state, err := r.known(ctx, prior)
	switch {
	case transport.IsNotFound(err):
		resp.State.RemoveResource(ctx)
		return
	case errors.Is(err, transport.ErrReadRefused):
		resp.Diagnostics.Append(r.unreadable(prior))
	case err != nil:
		resp.Diagnostics.Append(r.failure("read", prior, err)...)
		return
	}
	for name, attribute := range r.scheme.Attributes {
		if prior[name].IsNull() && !attribute.IsComputed() {
			state[name] = prior[name] // the configuration's alone, and it says nothing
		}
	}
	if imported(ctx, req.Private) {
		state = configurable(ctx, r.scheme, state)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("false"))...)
	}
	if !state.equal(prior) {
		resp.State.Raw = r.shape.raw(ctx, state)
	}
}

func (r *adopted[M]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.shape.attributes(ctx, req.State.Raw)
	entry := r.ledger.of(r.long(state))
	entry.Lock()
	defer entry.Unlock()
	if entry.adopted {
		return // the object is not let go of: it has another address by now
	}
	if k, ok := r.kind.(releaser[M]); ok && k.releases(state) {
		entry.released = true
		if err := r.release(ctx, k, state); err != nil && !transport.IsNotFound(err) {
			resp.Diagnostics.Append(r.failure("let go of", state, err)...)
			return
		}
	}
	if announced, _ := req.Private.GetKey(ctx, announcedKey); announced == nil {
		resp.Diagnostics.Append(r.letGo(state)) // not every replacement is announced when it is planned
	}
}

func (r *adopted[M]) release(ctx context.Context, k releaser[M], state attributes) error {
	if r.client == nil {
		return errNotConfigured
	}
	return k.release(ctx, r.client, modelOf[M](state))
}

// restore undoes a release of the same run.
func (r *adopted[M]) restore(ctx context.Context, config attributes) diag.Diagnostics {
	k, ok := r.kind.(releaser[M])
	if !ok {
		return nil
	}
	if err := k.restore(ctx, r.client, modelOf[M](config)); err != nil {
		return r.failure("restore", config, err)
	}
	return nil
}

// named tells whether the ids of an object are known.
func (r *adopted[M]) named(a attributes) bool {
	return !slices.ContainsFunc(r.about.ids, func(id string) bool { return a[id].IsUnknown() || a[id].IsNull() })
}

// short is an object's name in a summary: the end of its id.
func (r *adopted[M]) short(a attributes) string {
	id := text(a[r.about.ids[len(r.about.ids)-1]])
	return r.about.noun + " …" + id[max(0, len(id)-4):]
}

// text is the text of a string, empty where it is null or unknown.
func text(value attr.Value) string {
	if s, ok := value.(interface{ ValueString() string }); ok {
		return s.ValueString()
	}
	return ""
}
