package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A Lister is the definition of an [Entry] that terraform query lists.
type Lister[O any] interface {
	Definition[O]

	// List returns the owner's entries by their own id, or an error like Read.
	List(ctx context.Context, client *api.Client, owner Attributes) (map[string]*O, error)
}

// A listResource implements the framework's list resource for a [Lister].
type listResource[O any] struct {
	*managedResource[O]
	lister Lister[O]
}

var _ listresource.ListResourceWithConfigure = (*listResource[struct{}])(nil)

// NewListResource returns the constructor of a list resource.
func NewListResource[O any](lister Lister[O]) func() listresource.ListResource {
	kind := newKind[O](lister)
	return func() listresource.ListResource {
		return &listResource[O]{&managedResource[O]{kind, &ProviderData{}}, lister}
	}
}

// ListResourceConfigSchema is the id of the owner.
func (l *listResource[O]) ListResourceConfigSchema(_ context.Context, _ listresource.ListResourceSchemaRequest, resp *listresource.ListResourceSchemaResponse) {
	id := l.schema.Attributes[l.ownerID()].(schema.StringAttribute)
	resp.Schema = listschema.Schema{
		MarkdownDescription: fmt.Sprintf("Lists `%s` of a %s.", l.metadata.EntryOf.Attribute, l.metadata.EntryOf.Owner),
		Attributes: map[string]listschema.Attribute{l.ownerID(): listschema.StringAttribute{
			MarkdownDescription: firstSentence(id.MarkdownDescription), Required: true, Validators: id.Validators,
		}},
	}
}

func (l *listResource[O]) ownerID() string { return l.metadata.owner().lastID() }

// listed describes the owner's list, for messages about it as a whole.
func (l *listResource[O]) listed() Metadata {
	owner := l.metadata.owner()
	owner.Noun = l.metadata.EntryOf.Attribute + " of " + owner.Noun
	return owner
}

// List lists entries in the order of their ids. Warnings come first: Terraform does not
// read on when it has reached the limit.
func (l *listResource[O]) List(ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream) {
	var ownerID types.String
	diags := req.Config.GetAttribute(ctx, path.Root(l.ownerID()), &ownerID)
	if l.Client == nil {
		diags.Append(notConfigured)
	}
	if diags.HasError() {
		stream.Results = listresource.ListResultsStreamDiagnostics(diags)
		return
	}
	owner := Attributes{l.ownerID(): ownerID}
	entries, err := l.lister.List(ctx, l.Client.AsReturned(), owner)
	if errors.Is(err, ErrUnlisted) {
		err = fmt.Errorf("%w. To import an entry that you know, use the id %s", err, l.metadata.importForm(owner))
	}
	if err != nil {
		failed := diag.WithPath(path.Root(l.ownerID()), l.failure(querying, reading, l.listed(), owner, err))
		stream.Results = listresource.ListResultsStreamDiagnostics(diag.Diagnostics{failed})
		return
	}
	ids, warnings := l.shown(owner, slices.Sorted(maps.Keys(entries)), req.Limit)
	var results []listresource.ListResult
	if len(warnings) > 0 {
		results = append(results, listresource.ListResult{Diagnostics: warnings})
	}
	for _, id := range ids {
		results = append(results, l.result(ctx, req, ownerID, types.StringValue(id), entries[id]))
	}
	stream.Results = slices.Values(results)
}

// shown returns the ids of the entries that can be configured, up to a limit, and warns
// about the others.
func (l *listResource[O]) shown(owner Attributes, ids []string, limit int64) (shown []string, warnings diag.Diagnostics) {
	entryID, listed := l.metadata.lastID(), l.listed()
	var invalid []string
	for _, id := range ids {
		if check(l.schema.Attributes[entryID], types.StringValue(id)) == nil {
			shown = append(shown, id)
		} else {
			invalid = append(invalid, id)
		}
	}
	if len(invalid) > 0 {
		warnings.AddWarning("Left out of the query: "+listed.shortName(owner), fmt.Sprintf(
			"%s has %s whose %s cannot be configured, so Terraform cannot manage them: %s.",
			listed.name(owner), count(len(invalid), "entry", "entries"), entryID, shorten(invalid)))
	}
	if all := len(shown); int64(all) > limit {
		shown = shown[:max(limit, 0)]
		warnings.AddWarning("Query stopped at its limit: "+listed.shortName(owner), fmt.Sprintf(
			"%s has %d entries, and the query shows %d. To see all, set limit = %d in the list block.", listed.name(owner), all, limit, all))
	}
	return shown, warnings
}

func (l *listResource[O]) result(ctx context.Context, req listresource.ListRequest, ownerID, id types.String, entry *O) listresource.ListResult {
	shown := l.show(ctx, entry, Attributes{l.ownerID(): ownerID, l.metadata.lastID(): id})
	state := shown.pick(ctx, func(name string) bool { return !shown[name].IsUnknown() })
	result := req.NewListResult(ctx)
	result.DisplayName = printable(strings.TrimSpace(id.ValueString() + " " + Text(state["description"])))
	result.Diagnostics = l.identify(ctx, result.Identity, state)
	if req.IncludeResource {
		result.Resource.Raw = l.objectType.raw(ctx, state)
	}
	return result
}
