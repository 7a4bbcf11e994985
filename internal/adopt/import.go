package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// importedKey marks, in the private state, an object that was imported and
// not yet read.
const importedKey = "imported"

func (r *adopted[M]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = make(map[string]identityschema.Attribute, len(r.about.ids))
	for _, id := range r.about.ids {
		resp.IdentitySchema.Attributes[id] = identityschema.StringAttribute{
			Description:       "The UUID that the API knows the object by.",
			RequiredForImport: true,
		}
	}
}

func (r *adopted[M]) identify(ctx context.Context, identity *tfsdk.ResourceIdentity, a attributes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, id := range r.about.ids {
		diags.Append(identity.SetAttribute(ctx, path.Root(id), text(a[id]))...)
	}
	return diags
}

// ImportState takes the ids of an object from an import id ("a/b") or from
// its resource identity. All else is read afterwards.
func (r *adopted[M]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ids := strings.Split(req.ID, "/")
	if req.ID == "" && req.Identity != nil {
		ids = make([]string, len(r.about.ids))
		for i, name := range r.about.ids {
			var id types.String // null where nothing at all was given
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &id)...)
			ids[i] = id.ValueString()
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if problem := r.importProblem(ids); problem != "" {
		resp.Diagnostics.AddError("Unable to import "+r.about.noun, fmt.Sprintf(
			"%s An import id of dbplatform_%s has the form %s, for example:\n\n  %s",
			problem, r.about.typeName, strings.Join(r.about.ids, "/"), r.exampleID()))
		return
	}
	for i, id := range r.about.ids {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(id), ids[i])...)
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(id), ids[i])...)
	}
	for name, value := range r.about.own {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
}

// importProblem says what is wrong with the parts of an import id, in a
// sentence; empty where nothing is.
func (r *adopted[M]) importProblem(ids []string) string {
	if len(ids) != len(r.about.ids) {
		return fmt.Sprintf("The import id %q does not have the parts that it needs.", strings.Join(ids, "/"))
	}
	for i, id := range ids {
		if !isUUID(id) {
			return fmt.Sprintf("%q is not a %s: it is no UUID of 36 characters.", id, r.about.ids[i])
		}
	}
	return ""
}

func (r *adopted[M]) exampleID() string {
	examples := []string{"0f5d3c1e-8a4b-4c6d-9e2f-1a7b3c5d9e0f", "7c9e6679-7425-40de-944b-e07fc1f90ae7"}
	return strings.Join(examples[:len(r.about.ids)], "/")
}

// privateState is the part of a resource's private state that is read here.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

func imported(ctx context.Context, private privateState) bool {
	value, _ := private.GetKey(ctx, importedKey)
	return string(value) == "true"
}
