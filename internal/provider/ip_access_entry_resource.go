package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

var accessEntry = serviceEntry{
	id: "source", entries: accessEntries,
	isLeftOut: func(service *api.Service) bool { return service.IPAccessList.IsNull() },
}

// ipAccessEntry is one entry of a service's access list.
func ipAccessEntry() lifecycle.EntryDefinition {
	return lifecycle.EntryDefinition{
		Definition: lifecycle.Definition{
			Kind:      lifecycle.Kind{TypeName: "service_ip_access_entry", Noun: "access list entry", IDs: []string{"service_id", accessEntry.id}, Owner: &serviceKind},
			Schema:    accessEntrySchema(),
			Fetch:     accessEntry.read,
			Write:     writeAccessEntry,
			Canonical: map[string]func(string) string{"source": api.CanonicalAddress},
			Advise:    adviseAccessEntry,
		},
		List:          "ip_access_list",
		Entries:       accessEntry.list,
		Remove:        removeAccessEntry,
		AdviseRemoval: adviseRemoval,
	}
}

func accessEntrySchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adds an entry to the access list of a service. Other entries of the list are left alone.",
		Attributes: map[string]schema.Attribute{
			"service_id":  uuidAttribute("UUID of the service."),
			"source":      idAttribute("IP address or CIDR prefix that may connect to the service.", isSource, api.CanonicalAddress),
			"description": managedString("Description of the entry; `\"\"` for none.", ""),
		},
	}
}

// accessEntries merges the descriptions of an address that is listed twice.
func accessEntries(service *api.Service) (map[string]lifecycle.Returned, error) {
	list, _ := service.IPAccessList.Get() // null is empty
	if !service.IPAccessList.IsKnown() {
		return nil, lifecycle.ErrListUnknown
	}
	entries := map[string]lifecycle.Returned{}
	for source, description := range accessListOf(list).Elements() {
		entries[source] = lifecycle.Returned{"description": description}
	}
	return entries, nil
}

// writeAccessEntry adds the entry, or changes its description if that is configured.
func writeAccessEntry(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Returned, error) {
	source := lifecycle.Text(change.Planned["source"])
	after := api.AccessEntry{Source: source, Description: descriptionOf(change.Sent())}
	var before *api.AccessEntry
	if !change.Creates {
		before = &api.AccessEntry{Source: source, Description: descriptionOf(change.Base())}
	}
	return accessEntry.write(ctx, client, change.Planned, api.EntryUpdate(before, &after))
}

// descriptionOf leaves out a null.
func descriptionOf(a lifecycle.Attributes) (description api.Value[string]) {
	if value := a["description"]; !value.IsNull() {
		description = api.ValueOf(lifecycle.Text(value))
	}
	return description
}

func removeAccessEntry(ctx context.Context, client *api.Client, state lifecycle.Attributes) (isShown bool, err error) {
	entry := api.AccessEntry{Source: lifecycle.Text(state["source"])}
	if description := lifecycle.Text(state["description"]); description != "" {
		entry.Description = api.ValueOf(description)
	}
	service, err := client.UpdateService(ctx, lifecycle.Text(state["service_id"]), api.EntryUpdate(&entry, nil))
	return err == nil && service.IPAccessList.IsKnown(), err
}

// adviseAccessEntry warns of an entry that is probably unintended, of the first one, and of a replacement.
func adviseAccessEntry(ctx context.Context, client *api.Client, change lifecycle.Change) (diags diag.Diagnostics) {
	source := lifecycle.Text(change.Planned["source"])
	if !change.Creates {
		before, after := change.Prior["description"], change.Planned["description"]
		if after.IsUnknown() || lifecycle.Text(before) != lifecycle.Text(after) {
			diags = replacement.of(change, "description", []string{source})
		}
		return diags
	}
	if warning := warningAbout(source); warning != (addressWarning{}) {
		diags = warning.of(change, "source", []string{source})
	}
	service, err := client.Service(ctx, lifecycle.Text(change.Planned["service_id"]))
	if err != nil || !service.IPAccessList.IsKnown() {
		return diags // an error is reported by the read
	}
	if list, _ := service.IPAccessList.Get(); len(list) == 0 {
		diags.AddWarning(firstEntry.summary+": "+change.ShortName(), firstEntry.detail)
	}
	return diags
}

// adviseRemoval warns if no entry remains.
func adviseRemoval(ctx context.Context, client *api.Client, state lifecycle.Attributes, removed func(source string) bool) (diags diag.Diagnostics) {
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
