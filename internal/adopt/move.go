package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// genericTypes are the resources of generic REST providers that an object can
// be moved from. Their provider's address does not matter: it may be a mirror,
// and OpenTofu does not always pass it in full.
var genericTypes = []string{"restapi_object", "restful_resource", "restful_operation"}

// MoveState takes an object over from a resource of a generic REST provider, or
// from the same type of resource under another provider address.
func (r *Resource[O]) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		switch {
		case req.SourceTypeName == "dbplatform_"+r.metadata.TypeName:
			r.keepState(ctx, req, resp)
		case slices.Contains(genericTypes, req.SourceTypeName) && r.metadata.EntryOf == nil:
			r.moveGeneric(ctx, req, resp)
		}
	}}}
}

// keepState passes the state through as it is.
func (r *Resource[O]) keepState(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	raw, diags := r.ReadState(ctx, req.SourceRawState)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	resp.TargetState.Raw = raw
	resp.TargetPrivate = req.SourcePrivate
	resp.Diagnostics.Append(r.identify(ctx, resp.TargetIdentity, r.objectType.attributes(ctx, raw))...)
}

// moveGeneric takes the ids from the source's path, like an import. The read
// that follows does the rest.
func (r *Resource[O]) moveGeneric(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	var source map[string]any
	if err := json.Unmarshal(req.SourceRawState.JSON, &source); err != nil {
		resp.Diagnostics.AddError(r.unableToMove(), fmt.Sprintf("The state of the %s cannot be read: %s.", req.SourceTypeName, err))
		return
	}
	found, ok := r.metadata.findPath(source)
	if !ok {
		form := "/" + r.metadata.Path
		if r.metadata.Operation != "" {
			form += " or " + form + "/" + r.metadata.Operation
		}
		resp.Diagnostics.AddError(r.unableToMove(), fmt.Sprintf(
			"The %s has no path for dbplatform_%s. Expected: a path that ends in %s, with a UUID in place of each name in braces. Anything before it and any query are ignored. "+
				"Correct the target of the moved block, or import the object instead (import id: %s).",
			req.SourceTypeName, r.metadata.TypeName, form, strings.Join(r.metadata.IDs, "/")))
		return
	}
	state := r.notReturned.pick(ctx, r.metadata.isID)
	for _, name := range r.metadata.IDs {
		state[name] = types.StringValue(found.ids[name])
	}
	resp.TargetState.Raw = r.objectType.raw(ctx, state)
	resp.Diagnostics.Append(resp.TargetPrivate.SetKey(ctx, importedKey, moved)...)
	if found.organization != "" {
		// The provider is not configured yet, so it is compared later.
		resp.Diagnostics.Append(Origin{OrganizationID: strings.ToLower(found.organization)}.save(ctx, resp.TargetPrivate)...)
	}
	resp.Diagnostics.Append(r.identify(ctx, resp.TargetIdentity, state)...)
}

func (r *Resource[O]) unableToMove() string { return "Unable to move to " + r.metadata.Noun }

// An objectPath holds the ids parsed from a path.
type objectPath struct {
	ids          map[string]string // by attribute
	organization string            // "" if it is not part of the path
}

// findPath looks for the path of an object in the state of a generic resource.
// restful_* keep the path of the object in id; restapi_object keeps the last
// part of it in id, and the rest in path or, with {id}, in the other paths.
func (m Metadata) findPath(source map[string]any) (objectPath, bool) {
	text := func(name string) string { s, _ := source[name].(string); return s }
	data, _ := source["api_data"].(map[string]any)
	inData, _ := data["id"].(string)
	ids := []string{text("id"), text("object_id"), inData}

	for _, path := range []string{text("id"), text("read_path"), text("update_path"), text("path"), text("create_path")} {
		for _, id := range ids {
			for _, candidate := range []string{strings.ReplaceAll(path, "{id}", id), withoutQuery(path) + "/" + id} {
				if found, ok := m.parsePath(candidate); ok {
					return found, true
				}
			}
		}
	}
	return objectPath{}, false
}

func withoutQuery(path string) string {
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	return path
}

// parsePath takes the ids from a path that ends in that of the object, or of the
// operation on it.
func (m Metadata) parsePath(path string) (objectPath, bool) {
	segments := strings.FieldsFunc(withoutQuery(path), func(c rune) bool { return c == '/' })
	if last := len(segments) - 1; last >= 0 && segments[last] == m.Operation {
		segments = segments[:last]
	}
	names := strings.Split(m.Path, "/")
	start := len(segments) - len(names)
	if start < 0 {
		return objectPath{}, false
	}
	found := objectPath{ids: map[string]string{}}
	for i, name := range names {
		segment := segments[start+i]
		switch id, isID := strings.CutPrefix(name, "{"); {
		case isID && IsUUID(segment):
			found.ids[strings.TrimSuffix(id, "}")] = segment
		case isID || segment != name:
			return objectPath{}, false
		}
	}
	if start >= 2 && segments[start-2] == "organizations" {
		found.organization = segments[start-1]
	}
	return found, true
}
