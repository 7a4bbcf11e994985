package provider

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// showAccessList shows a list that the API returned.
func showAccessList(shown lifecycle.Returned, list api.Value[[]api.AccessEntry]) {
	if entries, ok := list.Get(); ok {
		shown["ip_access_list"] = accessListOf(entries)
	}
}

// accessListOf converts entries. An address that is listed twice, in any notation, is one
// entry with all its descriptions.
func accessListOf(entries []api.AccessEntry) types.Map {
	sources, descriptions := map[string]string{}, map[string][]string{} // by canonical address
	for _, entry := range entries {
		address := api.CanonicalAddress(entry.Source)
		if first, ok := sources[address]; !ok || entry.Source < first {
			sources[address] = entry.Source
		}
		descriptions[address] = append(descriptions[address], entry.Text())
	}
	elements := make(map[string]attr.Value, len(sources))
	for address, source := range sources {
		different := slices.Compact(slices.Sorted(slices.Values(descriptions[address])))
		elements[source] = types.StringValue(strings.Join(different, " | "))
	}
	return types.MapValueMust(types.StringType, elements)
}

// accessListUpdate is how an update changes a list.
func accessListUpdate(change lifecycle.Change) api.ListUpdate[api.AccessEntry] {
	return api.ListUpdate[api.AccessEntry]{Before: accessEntriesOf(change.Base()), After: accessEntriesOf(change.Sent())}
}

// accessEntriesOf converts a list for the API, in a stable order. Null is left out.
func accessEntriesOf(a lifecycle.Attributes) api.Value[[]api.AccessEntry] {
	elements := lifecycle.Elements(a["ip_access_list"])
	if elements == nil {
		return api.Value[[]api.AccessEntry]{}
	}
	entries := make([]api.AccessEntry, 0, len(elements))
	for _, source := range slices.Sorted(maps.Keys(elements)) {
		entries = append(entries, api.AccessEntry{Source: source, Description: api.ValueOf(lifecycle.Text(elements[source]))})
	}
	return api.ValueOf(entries)
}

// warnOfAddresses warns of new entries of an access list, and of one that becomes empty.
func warnOfAddresses(change lifecycle.Change) diag.Diagnostics {
	const list = "ip_access_list"
	var diags diag.Diagnostics
	planned := lifecycle.Elements(change.Planned[list])
	known := change.Entries(list, change.Prior[list])
	if planned != nil && len(planned) == 0 && len(known) > 0 {
		diags.AddAttributeWarning(path.Root(list), "Access list becomes empty: "+change.ShortName(), "The plan removes all entries. "+whatEmptyMeans)
	}
	if wasEmpty := known != nil && len(known) == 0; wasEmpty && len(planned) > 0 {
		diags.AddAttributeWarning(path.Root(list), firstEntry.summary+": "+change.ShortName(), firstEntry.detail)
	}
	sources := map[addressWarning][]string{}
	for _, source := range slices.Sorted(maps.Keys(planned)) {
		if known[api.CanonicalAddress(source)] == nil {
			warning := warningAbout(source)
			sources[warning] = append(sources[warning], source)
		}
	}
	for _, warning := range []addressWarning{noAddress, everybody, wider} {
		diags.Append(warning.of(change, list, sources[warning])...)
	}
	return diags
}

// warnOfReplacements warns of entries of a service's list that are replaced, to change their descriptions.
func warnOfReplacements(change lifecycle.Change) diag.Diagnostics {
	const list = "ip_access_list"
	before, after := change.Entries(list, change.Prior[list]), change.Entries(list, change.Planned[list])
	var replaced []string
	for _, source := range slices.Sorted(maps.Keys(lifecycle.Elements(change.Planned[list]))) {
		address := api.CanonicalAddress(source)
		if before[address] != nil && !before[address].Equal(after[address]) {
			replaced = append(replaced, source)
		}
	}
	return replacement.of(change, list, replaced)
}

const whatEmptyMeans = "The API does not document what an empty list means: it may admit nobody, or everybody."

var firstEntry = addressWarning{"Access list is empty", "The apply adds the first entry. An empty list may have admitted everybody: check that the new entries admit all who need access."}

// An addressWarning is about one address of an access list.
type addressWarning struct{ summary, detail string }

// of is the warning about sources that an attribute of the change has.
func (w addressWarning) of(change lifecycle.Change, attribute string, sources []string) (diags diag.Diagnostics) {
	if len(sources) > 0 {
		diags.AddAttributeWarning(path.Root(attribute), w.summary+": "+change.ShortName(), lifecycle.Names(sources)+": "+w.detail)
	}
	return diags
}

var (
	noAddress = addressWarning{"Not an IP address", "This is neither an IP address nor a CIDR prefix. Terraform sends it as it is; the API may refuse it."}
	everybody = addressWarning{"Open to everyone", "0.0.0.0/0 and ::/0 contain every address, and some APIs read 0.0.0.0 and :: as these. Use a smaller range if you do not intend that."}
	wider     = addressWarning{"Range is wider than its address", "This opens the whole range around an address. To open a range, write its first address, as in 192.0.2.0/24; " +
		"to open one address, leave out the prefix, as in 192.0.2.5."}
	replacement = addressWarning{"Address may lose access for a moment", "A new description replaces the entry, and some APIs then lack it until the provider adds it again. " +
		"An address that must not lose access needs another entry that contains it: first add such a range, and remove it in a later apply."}
)

// warningAbout returns the zero warning for an address that is as it should be.
func warningAbout(source string) addressWarning {
	switch canonical := api.CanonicalAddress(source); {
	case !api.IsAddress(source):
		return noAddress
	case slices.Contains([]string{"0.0.0.0/0", "::/0", "0.0.0.0/32", "::/128"}, canonical):
		return everybody
	case api.HasHostBits(source):
		return wider
	}
	return addressWarning{}
}
