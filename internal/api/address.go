package api

import (
	"net/netip"
	"strings"
)

// CanonicalAddress returns the same string for all notations of one address or
// range: 10.0.0.1, 10.0.0.1/32 and ::ffff:10.0.0.1, 2001:DB8::1 and 2001:db8::1/128,
// 10.0.0.7/8 and 10.0.0.0/8. What is no address, as the id of a private endpoint, is the same in any case.
func CanonicalAddress(s string) string {
	if prefix := parseAddress(s); prefix.IsValid() {
		return prefix.String()
	}
	return strings.ToLower(s)
}

// IsAddress reports whether s is an IP address or a CIDR prefix.
func IsAddress(s string) bool { return parseAddress(s).IsValid() }

// HasHostBits reports whether s is a range that is not written with its first address,
// such as 10.0.0.5/8.
func HasHostBits(s string) bool {
	prefix, _ := netip.ParsePrefix(s) // the zero Prefix if it is none
	return prefix != prefix.Masked()
}

// Contains reports whether a range contains another one, or an address. It is false for what is no address.
func Contains(outer, inner string) bool {
	o, i := parseAddress(outer), parseAddress(inner)
	return o.IsValid() && i.IsValid() && o.Bits() < i.Bits() && o.Contains(i.Addr())
}

// parseAddress reads a range, or an address as the range of it alone. Anything else, also
// an address with a zone (an interface of one machine), is the zero Prefix.
func parseAddress(s string) netip.Prefix {
	prefix, _ := netip.ParsePrefix(s) // the zero Prefix if it is none
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		prefix = netip.PrefixFrom(addr, addr.BitLen())
	}
	const mapped = 96 // bits before an IPv4 address that is written as IPv6
	if addr := prefix.Addr(); addr.Is4In6() && prefix.Bits() >= mapped {
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-mapped)
	}
	return prefix.Masked()
}
