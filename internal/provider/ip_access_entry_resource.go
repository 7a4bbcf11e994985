package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// ipAccessEntry is one entry of a service's access list.
type ipAccessEntry struct{}

// An accessEntry is what can be set of an entry.
type accessEntry struct {
	Description api.Value[string] `json:"description,omitzero"`
}

func (ipAccessEntry) Metadata() adopt.Metadata {
	return adopt.Metadata{
		TypeName:     "service_ip_access_entry",
		Noun:         "access list entry",
		IDs:          []string{"service_id", "source"},
		EntryOf:      &adopt.EntryOf{Owner: "service", Attribute: "ip_access_list", Canonical: api.CanonicalAddress},
		ReadByUpdate: true,
	}
}

func (ipAccessEntry) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adds an entry to the access list of a service. Other entries of the list are left alone.",
		Attributes: map[string]schema.Attribute{
			"service_id": idAttribute("UUID of the service.", isUUID("")),
			"source": schema.StringAttribute{
				MarkdownDescription: "IP address or CIDR prefix that may connect to the service. Changing this forces replacement, except to another notation of the same address.",
				Required:            true,
				Validators:          []validator.String{isSource},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(otherAddress,
					"Changing this forces replacement.", "Changing this forces replacement.")},
			},
			"description": managedString("Description of the entry; `\"\"` for none."),
		},
	}
}

// otherAddress requires replacement if a source changes by more than its notation.
func otherAddress(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = api.CanonicalAddress(req.PlanValue.ValueString()) != api.CanonicalAddress(req.StateValue.ValueString())
}

func (e ipAccessEntry) Read(ctx context.Context, client *api.Client, ids adopt.Attributes) (*accessEntry, error) {
	service, err := client.Service(ctx, adopt.Text(ids["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.find(service, ids)
}

// find returns the entry in a service's list. An address that is listed twice has all
// its descriptions.
func (ipAccessEntry) find(service *api.Service, ids adopt.Attributes) (*accessEntry, error) {
	if !service.IPAccessList.IsKnown() {
		return nil, adopt.ErrUnlisted
	}
	var found []api.AccessEntry
	list, _ := service.IPAccessList.Get()
	for _, entry := range list {
		if api.CanonicalAddress(entry.Source) == api.CanonicalAddress(adopt.Text(ids["source"])) {
			found = append(found, entry)
		}
	}
	if len(found) == 0 {
		return nil, adopt.ErrAbsent
	}
	return &accessEntry{api.ValueOf(descriptionOf(found))}, nil
}

// Write adds the entry, or changes its description. One that is not configured stays
// as it is.
func (e ipAccessEntry) Write(ctx context.Context, client *api.Client, update adopt.Update[accessEntry]) (*accessEntry, error) {
	after := api.AccessEntry{Source: adopt.Text(update.IDs["source"]), Description: update.Change.Description}
	var before *api.AccessEntry
	if update.Before.Description.IsKnown() {
		before = &api.AccessEntry{Source: after.Source, Description: update.Before.Description}
		if !after.Description.IsKnown() {
			after = *before
		}
	}
	service, err := client.UpdateService(ctx, adopt.Text(update.IDs["service_id"]), api.EntryUpdate(before, &after))
	if err != nil {
		return nil, err
	}
	return orUnknown(e.find(service, update.IDs))
}

// orUnknown returns an entry about which nothing is known if the API does not return
// its list.
func orUnknown[O any](entry *O, err error) (*O, error) {
	if errors.Is(err, adopt.ErrUnlisted) {
		return new(O), nil
	}
	return entry, err
}

func (ipAccessEntry) Remove(ctx context.Context, client *api.Client, state adopt.Attributes) error {
	entry := api.AccessEntry{Source: adopt.Text(state["source"])}
	if description := adopt.Text(state["description"]); description != "" {
		entry.Description = api.ValueOf(description)
	}
	_, err := client.UpdateService(ctx, adopt.Text(state["service_id"]), api.EntryUpdate(&entry, nil))
	return err
}

func (ipAccessEntry) Advise(_ context.Context, _ *api.Client, change adopt.Change) diag.Diagnostics {
	summary, detail := doubtfulAddress(adopt.Text(change.Planned["source"]))
	if !change.Creates || summary == "" {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("source"), summary+": "+change.Name, entryName(1, 1)+" "+detail)}
}

// AdviseRemoval warns if no entry remains.
func (ipAccessEntry) AdviseRemoval(ctx context.Context, client *api.Client, state adopt.Attributes, removed func(source string) bool) (diags diag.Diagnostics) {
	id := adopt.Text(state["service_id"])
	name := "service …" + id[max(0, len(id)-4):]
	service, err := client.Service(ctx, id)
	if err != nil {
		return nil // reported by the refresh
	}
	list, _ := service.IPAccessList.Get()
	remains := func(entry api.AccessEntry) bool { return !removed(entry.Source) }
	if len(list) > 0 && !slices.ContainsFunc(list, remains) {
		diags.AddWarning("Access list becomes empty: "+name, fmt.Sprintf(
			"The plan removes all entries of service %s that the API shows. %s To replace the last entry, use create_before_destroy; to rename its block, use moved.", id, whatEmptyMeans))
	}
	return diags
}
