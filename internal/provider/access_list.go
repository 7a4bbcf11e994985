package provider

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// accessListType is a map of address or range to description. Notations of one
// address are one entry, and a null description equals an empty one.
type accessListType struct{ basetypes.MapType }

type accessList struct{ basetypes.MapValue }

var (
	_ lifecycle.Notation   = accessList{}
	_ lifecycle.Collection = accessList{}
)

func newAccessListType() accessListType {
	return accessListType{basetypes.MapType{ElemType: types.StringType}}
}

func (t accessListType) Equal(o attr.Type) bool {
	_, ok := o.(accessListType)
	return ok
}

func (t accessListType) ValueType(context.Context) attr.Value {
	return accessList{types.MapNull(types.StringType)}
}

func (t accessListType) ValueFromMap(_ context.Context, in basetypes.MapValue) (basetypes.MapValuable, diag.Diagnostics) {
	return accessList{in}, nil
}

func (t accessListType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.MapType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return accessList{value.(basetypes.MapValue)}, nil
}

func (v accessList) Type(context.Context) attr.Type { return newAccessListType() }

func (v accessList) Equal(o attr.Value) bool {
	other, ok := o.(accessList)
	return ok && v.MapValue.Equal(other.MapValue)
}

// SemanticEqual reports whether both lists have the same entries.
func (v accessList) SemanticEqual(other attr.Value) bool {
	o, ok := other.(accessList)
	return ok && maps.EqualFunc(v.Entries(), o.Entries(), attr.Value.Equal)
}

// Key is the same for all notations of an address.
func (accessList) Key(source string) string { return api.CanonicalAddress(source) }

// Entries returns the descriptions by canonical address; null is "".
func (v accessList) Entries() map[string]attr.Value {
	entries := make(map[string]attr.Value, len(v.Elements()))
	for source, description := range v.Elements() {
		if description.IsNull() {
			description = types.StringValue("")
		}
		entries[api.CanonicalAddress(source)] = description
	}
	return entries
}

// KeepNotation returns v with each address as prior writes it.
func (v accessList) KeepNotation(prior attr.Value) attr.Value {
	before, ok := prior.(accessList)
	if !ok || v.Equal(before) {
		return v
	}
	old := before.Elements()
	oldSources := make(map[string]string, len(old)) // by canonical address
	for source := range old {
		oldSources[api.CanonicalAddress(source)] = source
	}
	kept := make(map[string]attr.Value, len(v.Elements()))
	for source, description := range v.Elements() {
		if oldSource, ok := oldSources[api.CanonicalAddress(source)]; ok {
			source = oldSource
			if lifecycle.Text(old[source]) == lifecycle.Text(description) {
				description = old[source] // null stays null
			}
		}
		kept[source] = description
	}
	return accessList{types.MapValueMust(types.StringType, kept)}
}

// showAccessList shows a list that the API returned.
func showAccessList(shown lifecycle.Attributes, list api.Value[[]api.AccessEntry]) {
	if entries, ok := list.Get(); ok {
		shown["ip_access_list"] = accessListOf(entries)
	}
}

// accessListOf converts entries. An address that is listed twice, in any notation, is one
// entry with all its descriptions.
func accessListOf(entries []api.AccessEntry) accessList {
	sources, descriptions := map[string]string{}, map[string][]string{} // by canonical address
	for _, entry := range entries {
		address := api.CanonicalAddress(entry.Source)
		if first, ok := sources[address]; !ok || entry.Source < first {
			sources[address] = entry.Source
		}
		description, _ := entry.Description.Get()
		descriptions[address] = append(descriptions[address], description)
	}
	elements := make(map[string]attr.Value, len(sources))
	for address, source := range sources {
		different := slices.Compact(slices.Sorted(slices.Values(descriptions[address])))
		elements[source] = types.StringValue(strings.Join(different, " | "))
	}
	return accessList{types.MapValueMust(types.StringType, elements)}
}

// accessListUpdate is how an update changes a list.
func accessListUpdate(change lifecycle.Change) api.ListUpdate[api.AccessEntry] {
	return api.ListUpdate[api.AccessEntry]{Before: accessEntriesOf(change.Before()), After: accessEntriesOf(change.Sent())}
}

// accessEntriesOf converts a list for the API, in a stable order. Null is absent.
func accessEntriesOf(a lifecycle.Attributes) api.Value[[]api.AccessEntry] {
	list := a["ip_access_list"].(accessList)
	if list.IsNull() || list.IsUnknown() {
		return api.Value[[]api.AccessEntry]{}
	}
	elements := list.Elements()
	entries := make([]api.AccessEntry, 0, len(elements))
	for _, source := range slices.Sorted(maps.Keys(elements)) {
		entries = append(entries, api.AccessEntry{Source: source, Description: api.ValueOf(lifecycle.Text(elements[source]))})
	}
	return api.ValueOf(entries)
}
