package mockapi

import (
	"html"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// storedText is a name or a description as it is stored.
func (v Variants) storedText(text any) any {
	sent, ok := text.(string)
	switch {
	case ok && v.Has("stored_text=trimmed"):
		return strings.TrimSpace(sent)
	case ok && v.Has("stored_text=escaped"):
		return html.EscapeString(sent)
	case ok && v.Has("stored_text=nfd"):
		return norm.NFD.String(sent)
	}
	return text
}

// storedIDs are private endpoint ids as they are stored.
func (v Variants) storedIDs(ids []any) []any {
	ids = slices.Clone(ids)
	for i, id := range ids {
		if text, ok := id.(string); ok && v.Has("small_ids") {
			ids[i] = strings.ToLower(text)
		}
	}
	return ids
}

// storedEntries are IP access entries as they are stored, each by itself.
func (v Variants) storedEntries(entries []any) []any {
	stored := make([]any, len(entries))
	for i, entry := range entries {
		entry := maps.Clone(entry.(Object))
		if description, ok := entry["description"]; ok {
			entry["description"] = v.storedText(description)
		}
		if source, ok := entry["source"].(string); ok {
			entry["source"] = v.storedSource(source)
		}
		stored[i] = entry
	}
	return stored
}

func (v Variants) storedSource(source string) string {
	address, _ := netip.ParseAddr(source)
	prefix, _ := netip.ParsePrefix(source)
	switch {
	case v.Has("stored_addresses=unspecified") && address.IsUnspecified():
		return source + "/0"
	case v.Has("stored_addresses=mapped") && address.Is4In6():
		return address.Unmap().String()
	case v.Has("stored_addresses=mapped") && prefix.Addr().Is4In6() && prefix.Bits() >= mappedBits:
		return netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mappedBits).String()
	}
	return source
}

// mappedBits are those before an IPv4 address that is written as IPv6.
const mappedBits = 96

// storedList is a whole IP access list as it is stored.
func (v Variants) storedList(entries []any) []any {
	if len(entries) == 0 && v.Has("open_empty_list") {
		return []any{Object{"source": "0.0.0.0/0"}}
	}
	return entries
}
