package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// ipAccessEntry is one entry of a service's access list.
type ipAccessEntry struct{ serviceEntry[accessEntry] }

func newIPAccessEntry() ipAccessEntry {
	return ipAccessEntry{serviceEntry[accessEntry]{findAccessEntry, listAccessEntries}}
}

// An accessEntry has what can be set of an entry.
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
			"service_id":  uuidAttribute("UUID of the service."),
			"source":      idAttribute("IP address or CIDR prefix that may connect to the service.", isSource, api.CanonicalAddress),
			"description": managedString("Description of the entry; `\"\"` for none."),
		},
	}
}

// findAccessEntry finds an address in any notation, with all its descriptions.
func findAccessEntry(service *api.Service, ids adopt.Attributes) (*accessEntry, error) {
	var found []api.AccessEntry
	list, _ := service.IPAccessList.Get()
	for _, entry := range list {
		if api.CanonicalAddress(entry.Source) == api.CanonicalAddress(adopt.Text(ids["source"])) {
			found = append(found, entry)
		}
	}
	switch {
	case !service.IPAccessList.IsKnown():
		return nil, adopt.ErrUnlisted
	case len(found) == 0:
		return nil, adopt.ErrAbsent
	}
	return &accessEntry{api.ValueOf(descriptionOf(found))}, nil
}

// listAccessEntries lists each address once.
func listAccessEntries(service *api.Service) (map[string]*accessEntry, error) {
	if !service.IPAccessList.IsKnown() {
		return nil, adopt.ErrUnlisted
	}
	list, _ := service.IPAccessList.Get()
	entries := map[string]*accessEntry{}
	for source, description := range adopt.Elements(accessListType{}.FromMember(list)) {
		entries[source] = &accessEntry{api.ValueOf(adopt.Text(description))}
	}
	return entries, nil
}

// Write adds the entry, or changes its description if that is configured.
func (e ipAccessEntry) Write(ctx context.Context, client *api.Client, update adopt.Update[accessEntry]) (*accessEntry, error) {
	after := api.AccessEntry{Source: adopt.Text(update.IDs["source"]), Description: update.Change.Description}
	var before *api.AccessEntry
	if !update.Creates {
		before = &api.AccessEntry{Source: after.Source, Description: update.Before.Description}
	}
	return e.write(ctx, client, update.IDs, api.EntryUpdate(before, &after))
}

func (e ipAccessEntry) Remove(ctx context.Context, client *api.Client, state adopt.Attributes) error {
	entry := api.AccessEntry{Source: adopt.Text(state["source"])}
	if description := adopt.Text(state["description"]); description != "" {
		entry.Description = api.ValueOf(description)
	}
	_, err := client.UpdateService(ctx, adopt.Text(state["service_id"]), api.EntryUpdate(&entry, nil))
	return err
}

// Advise warns of an entry that is probably unintended, and of the first one.
func (ipAccessEntry) Advise(ctx context.Context, client *api.Client, change adopt.Change) (diags diag.Diagnostics) {
	if d := doubtOf(adopt.Text(change.Planned["source"])); change.Creates && d != (doubt{}) {
		diags.AddAttributeWarning(path.Root("source"), d.summary+": "+change.Name, d.detail)
	}
	if change.Exists {
		return diags
	}
	service, err := client.Service(ctx, adopt.Text(change.Planned["service_id"]))
	if err != nil || !service.IPAccessList.IsKnown() {
		return diags // an error is reported by the read
	}
	if list, _ := service.IPAccessList.Get(); len(list) == 0 {
		diags.AddWarning("Access list is empty", "The apply adds the first entry. An empty list may have admitted everybody: check that the new entries admit all who need access.")
	}
	return diags
}

// AdviseRemoval warns if no entry remains.
func (ipAccessEntry) AdviseRemoval(ctx context.Context, client *api.Client, state adopt.Attributes, removed func(source string) bool) (diags diag.Diagnostics) {
	id := adopt.Text(state["service_id"])
	service, err := client.Service(ctx, id)
	if err != nil {
		return nil // reported by the refresh
	}
	list, _ := service.IPAccessList.Get()
	remains := func(entry api.AccessEntry) bool { return !removed(entry.Source) }
	if len(list) > 0 && !slices.ContainsFunc(list, remains) {
		name := "service " + adopt.ShortID(id)
		diags.AddWarning("Access list may become empty: "+name, fmt.Sprintf(
			"The plan removes all entries of service %s that the API shows now. Unless it adds another one first, as with create_before_destroy, the list is empty for a time. %s", id, whatEmptyMeans))
	}
	return diags
}
