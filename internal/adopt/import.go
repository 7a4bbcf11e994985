package adopt

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// importedKey marks, in the private state, an object that was imported and not yet
// read.
const importedKey = "imported"

// IdentitySchema makes the ids of an object its identity.
func (r *Resource[O]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = make(map[string]identityschema.Attribute, len(r.metadata.IDs))
	for _, id := range r.metadata.IDs {
		resp.IdentitySchema.Attributes[id] = identityschema.StringAttribute{
			Description:       r.schema.Attributes[id].GetMarkdownDescription(),
			RequiredForImport: true,
		}
	}
}

func (r *Resource[O]) identify(ctx context.Context, identity *tfsdk.ResourceIdentity, a Attributes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, id := range r.metadata.IDs {
		diags.Append(identity.SetAttribute(ctx, path.Root(id), Text(a[id]))...)
	}
	return diags
}

// ImportState takes the ids of an object from an import id ("a/b") or from the
// resource identity. The read that follows does the rest.
func (r *Resource[O]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ids := strings.SplitN(req.ID, "/", len(r.metadata.IDs)) // an entry's own id may contain slashes
	if req.ID == "" && req.Identity != nil {
		ids = make([]string, len(r.metadata.IDs))
		for i, name := range r.metadata.IDs {
			var id types.String
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &id)...)
			ids[i] = id.ValueString()
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if problem := r.checkIDs(ids); problem != "" {
		resp.Diagnostics.AddError("Unable to import "+r.metadata.Noun, fmt.Sprintf(
			"%s The import id of dbplatform_%s has the form %s.", problem, r.metadata.TypeName, strings.Join(r.metadata.IDs, "/")))
		return
	}
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	for i, id := range r.metadata.IDs {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(id), ids[i])...)
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(id), ids[i])...)
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
}

// checkIDs says in a sentence what is wrong with the parts of an import id, ""
// if nothing is.
func (r *Resource[O]) checkIDs(ids []string) string {
	if len(ids) != len(r.metadata.IDs) {
		return fmt.Sprintf("The import id %q has %s instead of %d.", strings.Join(ids, "/"), count(len(ids), "part", "parts"), len(r.metadata.IDs))
	}
	for i, id := range ids {
		if err := check(r.schema.Attributes[r.metadata.IDs[i]], types.StringValue(id)); err != nil {
			return fmt.Sprintf("%q is not a %s: it %s.", id, r.metadata.IDs[i], err)
		}
	}
	return ""
}

// IsUUID reports whether s is a UUID in its 36-character form. The uuid package
// accepts other forms, which the API's paths do not.
func IsUUID(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && len(s) == 36
}

// notConfigured is the error of a read without a client.
var notConfigured = diag.NewErrorDiagnostic("Provider configuration is not known yet",
	"The provider block depends on a value that is known only after apply, so nothing can be read yet. "+
		"First apply what that value comes from, for example with -target.")
