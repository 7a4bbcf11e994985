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
	whole, normalised := Variants{"entry_identity=whole"}, Variants{"normalise_address"}
	for _, test := range []struct {
		variants          Variants
		add, remove, want string
		status            int // of a refusal
	}{
		{variants: Variants{}, add: renamed, want: network + `,` + renamed},
		{variants: Variants{}, add: renamed, remove: bare, want: network},
		{variants: Variants{}, remove: `{"source":"192.0.2.7","description":"anything"},{"source":"10.9.9.9"}`, want: network},
		{variants: Variants{"remove_before_add"}, add: renamed, remove: bare, want: network + `,` + renamed},
		{variants: Variants{"add_existing=ignore"}, add: renamed, want: network + `,` + office},
		{variants: Variants{"add_existing=ignore", "remove_before_add"}, add: renamed, remove: network, want: office},
		{variants: Variants{"add_existing=refuse"}, add: `{"source":"198.51.100.1"},` + renamed, status: 409},
		{variants: Variants{"add_existing=refuse_400"}, add: renamed, status: 400},
		{variants: Variants{"add_existing=refuse", "remove_before_add"}, add: bare, remove: bare, want: network + `,` + bare},
		{variants: whole, add: renamed, want: network + `,` + office + `,` + renamed},
		{variants: whole, add: office, remove: bare, want: network + `,` + office},
		{variants: whole, add: `{"source":"192.0.2.9"}`, remove: `{"source":"192.0.2.9","description":""},` + office, want: network},
		{variants: Variants{"entry_identity=whole", "add_existing=refuse"}, add: office, status: 409},
		{variants: Variants{"entry_identity=whole", "remove_by=source"}, add: renamed, remove: office, want: network},
		{variants: Variants{"remove_by=whole"}, remove: bare + `,` + network, want: office},
		// A remove must name an address in the form in which it is shown.
		{variants: normalised, add: `{"source":"10.1.2.3/8"}`, remove: bare, want: `{"source":"10.0.0.0/8"},{"source":"192.0.2.7/32","description":"office"}`},
		{
			variants: normalised, add: `{"source":"2001:DB8::1"},{"source":"office.example"}`, remove: `{"source":"192.0.2.7/32"},` + network,
			want: `{"source":"2001:db8::1/128"},{"source":"office.example"}`,
		},
		{variants: Variants{"stored_addresses=unspecified"}, add: `{"source":"0.0.0.0"},{"source":"::"}`, remove: network + `,` + office, want: `{"source":"0.0.0.0/0"},{"source":"::/0"}`},
		// An addition in another form, and the removal of what is stored, which is the same.
		{variants: Variants{"stored_addresses=unspecified", "open_empty_list"}, add: `{"source":"0.0.0.0"}`, remove: `{"source":"0.0.0.0/0"},` + network + `,` + office, want: `{"source":"0.0.0.0/0"}`},
		{variants: Variants{"stored_addresses=unspecified"}, add: `{"source":"0.0.0.0"}`, remove: `{"source":"0.0.0.0/0"},` + network + `,` + office, want: ``},
		{
			variants: Variants{"stored_addresses=mapped"}, add: `{"source":"::ffff:192.0.2.9"},{"source":"::ffff:198.51.100.0/120"},{"source":"::ffff:0:0/96"},{"source":"::ffff:0:0/95"}`,
			want: network + `,` + office + `,{"source":"192.0.2.9"},{"source":"198.51.100.0/24"},{"source":"0.0.0.0/0"},{"source":"::ffff:0:0/95"}`,
		},
		{variants: Variants{"open_empty_list"}, remove: network + `,` + office, want: `{"source":"0.0.0.0/0"}`},
		{variants: Variants{"stored_text=trimmed"}, add: `{"source":"192.0.2.9","description":" a\n"}`, want: network + `,` + office + `,{"source":"192.0.2.9","description":"a"}`},
		{variants: Variants{"stored_text=escaped"}, add: `{"source":"192.0.2.9","description":"a & b"}`, want: network + `,` + office + `,{"source":"192.0.2.9","description":"a &amp; b"}`},
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
	refused(t, New(WithVariants(Variants{"add_existing=refuse"})), 409, servicePath, ids)
	same(t, "small ids", object(t, New(WithVariants(Variants{"small_ids"})), servicePath, `{"privateEndpointIds":{"add":["VPCE-0A1B2C3D","VPCE-9"]}}`)["privateEndpointIds"],
		`["vpce-0a1b2c3d","vpce-4e5f6a7b","vpce-9"]`)
}

// A key's list and names are stored in the same forms.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{"stored_addresses=mapped", "stored_text=escaped", "open_empty_list"}))
	key := object(t, s, keyPath, `{"name":"a & b","ipAccessList":[{"source":"::ffff:192.0.2.9","description":"<x>"}]}`)
	same(t, "list", key["ipAccessList"], `[{"source":"192.0.2.9","description":"&lt;x&gt;"}]`)
	same(t, "name", key["name"], `"a &amp; b"`)
	same(t, "empty", object(t, s, keyPath, `{"ipAccessList":[]}`)["ipAccessList"], `[{"source":"0.0.0.0/0"}]`)
	same(t, "a service's name", object(t, New(WithVariants(Variants{"stored_text=trimmed"})), servicePath, `{"name":" Orders\n"}`)["name"], `"Orders"`)
}
