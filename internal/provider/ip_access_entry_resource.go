package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// ipAccessEntry is one entry of a service's access list.
type ipAccessEntry struct{ serviceEntry[accessEntry] }

func newIPAccessEntry() ipAccessEntry {
	return ipAccessEntry{serviceEntry[accessEntry]{
		metadata: lifecycle.Metadata{
			TypeName:     "service_ip_access_entry",
			Noun:         "access list entry",
			IDs:          []string{"service_id", "source"},
			EntryOf:      &lifecycle.EntryOf{Owner: "service", Attribute: "ip_access_list", Canonical: api.CanonicalAddress},
			ReadByUpdate: true,
		},
		entries: accessEntries,
	}}
}

// An accessEntry has what can be set of an entry.
type accessEntry struct {
	Description api.Value[string] `json:"description,omitzero"`
}

func (ipAccessEntry) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adds an entry to the access list of a service. Other entries of the list are left alone.",
		Attributes: map[string]schema.Attribute{
			"service_id":  uuidAttribute("UUID of the service."),
			"source":      idAttribute("IP address or CIDR prefix that may connect to the service.", isSource, api.CanonicalAddress),
			"description": managedString("Description of the entry; `\"\"` for none."),
		},
	}
}

// accessEntries merges the descriptions of an address that is listed twice.
func accessEntries(service *api.Service, isWanted func(source string) bool) (map[string]*accessEntry, error) {
	if !service.IPAccessList.IsKnown() {
		return nil, lifecycle.ErrUnlisted
	}
	list, _ := service.IPAccessList.Get()
	wanted := slices.DeleteFunc(slices.Clone(list), func(entry api.AccessEntry) bool { return !isWanted(entry.Source) })
	entries := map[string]*accessEntry{}
	for source, description := range lifecycle.Elements(accessListType{}.FromMember(wanted)) {
		entries[source] = &accessEntry{api.ValueOf(lifecycle.Text(description))}
	}
	return entries, nil
}

// Write adds the entry, or changes its description if that is configured.
func (e ipAccessEntry) Write(ctx context.Context, client *api.Client, update lifecycle.Update[accessEntry]) (*accessEntry, error) {
	after := api.AccessEntry{Source: lifecycle.Text(update.IDs["source"]), Description: update.Change.Description}
	var before *api.AccessEntry
	if !update.Creates {
		before = &api.AccessEntry{Source: after.Source, Description: update.Before.Description}
	}
	return e.write(ctx, client, update.IDs, api.EntryUpdate(before, &after))
}

func (e ipAccessEntry) Remove(ctx context.Context, client *api.Client, state lifecycle.Attributes) error {
	entry := api.AccessEntry{Source: lifecycle.Text(state["source"])}
	if description := lifecycle.Text(state["description"]); description != "" {
		entry.Description = api.ValueOf(description)
	}
	_, err := client.UpdateService(ctx, lifecycle.Text(state["service_id"]), api.EntryUpdate(&entry, nil))
	return err
}

// Advise warns of an entry that is probably unintended, and of the first one.
func (ipAccessEntry) Advise(ctx context.Context, client *api.Client, change lifecycle.Change) (diags diag.Diagnostics) {
	if !change.Creates {
		return nil
	}
	warning := warningAbout(lifecycle.Text(change.Planned["source"]))
	if warning != (addressWarning{}) {
		diags.AddAttributeWarning(path.Root("source"), warning.summary+": "+change.Name, warning.detail)
	}
	service, err := client.Service(ctx, lifecycle.Text(change.Planned["service_id"]))
	if err != nil || !service.IPAccessList.IsKnown() {
		return diags // an error is reported by the read
	}
	if list, _ := service.IPAccessList.Get(); len(list) == 0 {
		diags.AddWarning("Access list is empty", "The apply adds the first entry. An empty list may have admitted everybody: check that the new entries admit all who need access.")
	}
	return diags
}

// AdviseRemoval warns if no entry remains.
func (ipAccessEntry) AdviseRemoval(ctx context.Context, client *api.Client, state lifecycle.Attributes, removed func(source string) bool) (diags diag.Diagnostics) {
	id := lifecycle.Text(state["service_id"])
	service, err := client.Service(ctx, id)
	if err != nil {
		return nil // reported by the refresh
	}
	list, _ := service.IPAccessList.Get()
	remains := func(entry api.AccessEntry) bool { return !removed(entry.Source) }
	if len(list) > 0 && !slices.ContainsFunc(list, remains) {
		name := "service " + lifecycle.ShortID(id)
		diags.AddWarning("Access list may become empty: "+name, fmt.Sprintf(
			"The plan removes all entries of service %s that the API shows now. Unless it adds another one first, as with create_before_destroy, the list is empty for a time. %s", id, whatEmptyMeans))
	}
	return diags
}
