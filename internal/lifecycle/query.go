package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A listResource implements the framework's list resource: terraform query lists entries.
type listResource struct{ *entryResource }

var _ listresource.ListResourceWithConfigure = (*listResource)(nil)

// NewListResource returns the constructor of a definition's list resource.
func NewListResource(definition EntryDefinition) func() listresource.ListResource {
	newEntry := NewEntryResource(definition)
	return func() listresource.ListResource { return &listResource{newEntry().(*entryResource)} }
}

// ListResourceConfigSchema is the id of the owner.
func (l *listResource) ListResourceConfigSchema(_ context.Context, _ listresource.ListResourceSchemaRequest, resp *listresource.ListResourceSchemaResponse) {
	id := l.Definition.Schema.Attributes[l.ownerID()].(schema.StringAttribute)
	resp.Schema = listschema.Schema{
		MarkdownDescription: fmt.Sprintf("Lists `%s` of a %s.", l.entry.List, l.Owner.Noun),
		Attributes: map[string]listschema.Attribute{l.ownerID(): listschema.StringAttribute{
			MarkdownDescription: valueText(id), Required: true, Validators: id.Validators,
		}},
	}
}

func (l *listResource) ownerID() string { return l.Owner.lastID() }

// listKind describes the owner's list, for messages about it as a whole.
func (l *listResource) listKind() Kind {
	owner := *l.Owner
	owner.Noun = l.entry.List + " of " + owner.Noun
	return owner
}

// List lists entries in the order of their ids. Warnings come first: Terraform does not
// read on when it has reached the limit.
func (l *listResource) List(ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream) {
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
	entries, err := l.entry.Entries(ctx, l.Client, owner)
	if errors.Is(err, ErrListUnknown) {
		err = fmt.Errorf("%w. To import an entry that you know, use the id %q", err, ownerID.ValueString()+"/<"+l.lastID()+">")
	}
	if err != nil {
		failed := l.failure("query", l.listKind(), owner, err)[0]
		stream.Results = listresource.ListResultsStreamDiagnostics(diag.Diagnostics{diag.WithPath(path.Root(l.ownerID()), failed)})
		return
	}
	ids, warnings := l.importable(owner, slices.Sorted(maps.Keys(entries)), req.Limit)
	var results []listresource.ListResult
	if len(warnings) > 0 {
		results = append(results, listresource.ListResult{Diagnostics: warnings})
	}
	for _, id := range ids {
		results = append(results, l.result(ctx, req, ownerID, types.StringValue(id), entries[id]))
	}
	stream.Results = slices.Values(results)
}

// importable returns the ids of the entries that can be configured, up to a limit, and warns
// about the others.
func (l *listResource) importable(owner Attributes, ids []string, limit int64) (shown []string, warnings diag.Diagnostics) {
	entryID, list := l.lastID(), l.listKind()
	var invalid []string
	for _, id := range ids {
		if err := validate(l.Definition.Schema.Attributes[entryID], types.StringValue(id)); err == nil {
			shown = append(shown, id)
		} else {
			invalid = append(invalid, cut(strconv.Quote(id))+" "+err.Error())
		}
	}
	if len(invalid) > 0 {
		warnings.AddWarning("Left out of the query: "+list.shortName(owner), fmt.Sprintf(
			"%s has entries whose %s cannot be configured, so Terraform cannot manage them: %s.",
			list.name(owner), entryID, api.Listed(invalid, "; ")))
	}
	if all := len(shown); int64(all) > limit {
		shown = shown[:max(limit, 0)]
		warnings.AddWarning("Query stopped at its limit: "+list.shortName(owner), fmt.Sprintf(
			"%s has %d entries, and the query shows %d. To see all, set limit = %d in the list block.", list.name(owner), all, limit, all))
	}
	return shown, warnings
}

func (l *listResource) result(ctx context.Context, req listresource.ListRequest, ownerID, id types.String, entry Returned) listresource.ListResult {
	shown := l.show(entry, Attributes{l.ownerID(): ownerID, l.lastID(): id})
	state := shown.pick(func(name string) bool { return !shown[name].IsUnknown() })
	result := req.NewListResult(ctx)
	texts := []string{id.ValueString()}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if !l.isID(name) { // such as the description
			texts = append(texts, Text(state[name]))
		}
	}
	result.DisplayName = escaped(strings.TrimSpace(strings.Join(texts, " ")))
	result.Diagnostics = l.identify(ctx, result.Identity, state)
	if req.IncludeResource {
		result.Resource.Raw = l.raw(state)
	}
	return result
}
