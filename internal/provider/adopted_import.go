package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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
		for i, id := range r.about.ids {
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(id), &ids[i])...)
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

// configurable leaves out of an imported state what no configuration could
// set: a scaling of 0 that means "default", a name from before the rules.
// Generated configuration is made of the imported state, and has to be valid.
// The next read shows the real value again.
func configurable(ctx context.Context, scheme schema.Schema, state attributes) attributes {
	kept := maps.Clone(state)
	for name, value := range state {
		attribute := scheme.Attributes[name]
		if attribute.IsOptional() && !value.IsNull() && refused(ctx, attribute, name, value) {
			kept[name] = null(ctx, value.Type(ctx))
		}
	}
	return kept
}

// refused tells whether the validators of an attribute refuse a value.
func refused(ctx context.Context, attribute schema.Attribute, name string, value attr.Value) bool {
	var diags diag.Diagnostics
	at := path.Root(name)
	switch a := attribute.(type) {
	case schema.StringAttribute:
		s, _ := value.(interface {
			ToStringValue(context.Context) (types.String, diag.Diagnostics)
		}).ToStringValue(ctx)
		for _, v := range a.Validators {
			var resp validator.StringResponse
			v.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: s}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.Int64Attribute:
		for _, v := range a.Validators {
			var resp validator.Int64Response
			v.ValidateInt64(ctx, validator.Int64Request{Path: at, ConfigValue: value.(types.Int64)}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.Float64Attribute:
		for _, v := range a.Validators {
			var resp validator.Float64Response
			v.ValidateFloat64(ctx, validator.Float64Request{Path: at, ConfigValue: value.(types.Float64)}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.SetAttribute:
		for _, v := range a.Validators {
			var resp validator.SetResponse
			v.ValidateSet(ctx, validator.SetRequest{Path: at, ConfigValue: value.(types.Set)}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.MapAttribute:
		m, _ := value.(interface {
			ToMapValue(context.Context) (types.Map, diag.Diagnostics)
		}).ToMapValue(ctx)
		for _, v := range a.Validators {
			var resp validator.MapResponse
			v.ValidateMap(ctx, validator.MapRequest{Path: at, ConfigValue: m}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	}
	return diags.HasError()
}
