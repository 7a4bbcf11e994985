package mockapi

import "testing"

// The seeded lists are 10.0.0.0/8 "private network" and 192.0.2.7 "office",
// vpce-0a1b2c3d and vpce-4e5f6a7b.
func TestListUpdates(t *testing.T) {
	t.Parallel()
	const (
		network = `{"source":"10.0.0.0/8","description":"private network"}`
		office  = `{"source":"192.0.2.7","description":"office"}`
		renamed = `{"source":"192.0.2.7","description":"new"}`
		bare    = `{"source":"192.0.2.7"}`
	)
	whole, normalised := Variants{EntryIdentity: Whole}, Variants{NormaliseAddress: true}
	for _, test := range []struct {
		variants          Variants
		add, remove, want string
		status            int // of a refusal
	}{
		{variants: Variants{}, add: renamed, want: network + `,` + renamed},
		{variants: Variants{}, add: renamed, remove: bare, want: network},
		{variants: Variants{}, remove: `{"source":"192.0.2.7","description":"anything"},{"source":"10.9.9.9"}`, want: network},
		{variants: Variants{RemoveBeforeAdd: true}, add: renamed, remove: bare, want: network + `,` + renamed},
		{variants: Variants{AddExisting: Ignore}, add: renamed, want: network + `,` + office},
		{variants: Variants{AddExisting: Ignore, RemoveBeforeAdd: true}, add: renamed, remove: network, want: office},
		{variants: Variants{AddExisting: Refuse}, add: `{"source":"198.51.100.1"},` + renamed, status: 409},
		{variants: Variants{AddExisting: RefuseBadRequest}, add: renamed, status: 400},
		{variants: Variants{AddExisting: Refuse, RemoveBeforeAdd: true}, add: bare, remove: bare, want: network + `,` + bare},
		{variants: whole, add: renamed, want: network + `,` + office + `,` + renamed},
		{variants: whole, add: office, remove: bare, want: network + `,` + office},
		{variants: whole, add: `{"source":"192.0.2.9"}`, remove: `{"source":"192.0.2.9","description":""},` + office, want: network},
		{variants: Variants{EntryIdentity: Whole, AddExisting: Refuse}, add: office, status: 409},
		{variants: Variants{EntryIdentity: Whole, RemoveBy: RemoveBySource}, add: renamed, remove: office, want: network},
		{variants: Variants{RemoveBy: RemoveByWhole}, remove: bare + `,` + network, want: office},
		// A remove must name an address in the form in which it is shown.
		{variants: normalised, add: `{"source":"10.1.2.3/8"}`, remove: bare, want: `{"source":"10.0.0.0/8"},{"source":"192.0.2.7/32","description":"office"}`},
		{
			variants: normalised, add: `{"source":"2001:DB8::1"},{"source":"office.example"}`, remove: `{"source":"192.0.2.7/32"},` + network,
			want: `{"source":"2001:db8::1/128"},{"source":"office.example"}`,
		},
	} {
		s := New(WithVariants(test.variants))
		body := `{"name":"changed","ipAccessList":{"add":[` + test.add + `],"remove":[` + test.remove + `]}}`
		if test.status == 0 {
			same(t, body, object(t, s, servicePath, body)["ipAccessList"], `[`+test.want+`]`)
			continue
		}
		unchanged(t, s)
		refused(t, s, test.status, servicePath, body)
	}

	const ids = `{"privateEndpointIds":{"add":["vpce-0a1b2c3d"],"remove":["vpce-0a1b2c3d"]}}`
	same(t, "ids", object(t, New(), servicePath, ids)["privateEndpointIds"], `["vpce-4e5f6a7b"]`)
	refused(t, New(WithVariants(Variants{AddExisting: Refuse})), 409, servicePath, ids)
}
