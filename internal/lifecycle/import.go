package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// IdentitySchema makes the ids of an object its identity.
func (r *managedResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = make(map[string]identityschema.Attribute, len(r.IDs))
	for _, id := range r.IDs {
		resp.IdentitySchema.Attributes[id] = identityschema.StringAttribute{
			Description:       r.Definition.Schema.Attributes[id].GetMarkdownDescription(),
			RequiredForImport: true,
		}
	}
}

func (r *managedResource) identify(ctx context.Context, identity *tfsdk.ResourceIdentity, a Attributes) (diags diag.Diagnostics) {
	for _, id := range r.IDs {
		diags.Append(identity.SetAttribute(ctx, path.Root(id), Text(a[id]))...)
	}
	return diags
}

// ImportState takes the ids of an object from an import id ("a/b") or from the
// resource identity. The read that follows does the rest.
func (r *managedResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ids := strings.SplitN(req.ID, "/", len(r.IDs)) // an entry's own id may contain slashes
	if req.ID == "" && req.Identity != nil {
		ids = make([]string, len(r.IDs))
		for i, name := range r.IDs {
			var id types.String // null for an import by the id ""
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &id)...)
			ids[i] = id.ValueString()
		}
	}
	if problem := r.invalidID(ids); problem != "" {
		resp.Diagnostics.AddError("Unable to import "+r.Noun+" "+escaped(strings.Join(ids, "/")), fmt.Sprintf(
			"%s The import id of dbplatform_%s has the form %s.", problem, r.TypeName, strings.Join(r.IDs, "/")))
		return
	}
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	for i, id := range r.IDs {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(id), ids[i])...)
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
}

// invalidID says what is wrong with the parts of an import id, "" if nothing is.
func (r *managedResource) invalidID(ids []string) string {
	if len(ids) < len(r.IDs) {
		return "The id has too few parts."
	}
	for i, id := range ids {
		if err := validate(r.Definition.Schema.Attributes[r.IDs[i]], types.StringValue(id)); err != nil {
			return fmt.Sprintf("%q is not a %s: it %s.", id, r.IDs[i], err)
		}
	}
	return ""
}

// imported removes from an imported state, from which Terraform generates
// configuration, what that should not or could not set, such as a scaling of 0 that means
// "default". The next refresh shows it again.
func (r *managedResource) imported(ctx context.Context, state Attributes, diags *diag.Diagnostics) Attributes {
	useful := maps.Clone(state)
	if r.Importable != nil {
		diags.Append(r.Importable(ctx, r.Client, useful)...)
	}
	var invalid []string
	kept := state.pick(func(name string) bool {
		err := validate(r.Definition.Schema.Attributes[name], state[name])
		if err != nil && useful[name] != nil {
			invalid = append(invalid, fmt.Sprintf("%s = %s (%s)", name, Describe(state[name]), err))
		}
		return err == nil && useful[name] != nil
	})
	if len(invalid) > 0 {
		slices.Sort(invalid)
		diags.AddWarning("Left out of the import: "+r.shortName(state), fmt.Sprintf(
			"%s has values that cannot be configured as they are: %s. They are left out of the imported state; what the configuration sets instead is applied.",
			r.name(state), strings.Join(invalid, "; ")))
	}
	return kept
}
