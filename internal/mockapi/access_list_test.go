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
	byWhole := Variants{EntryIdentity: Whole}
	for name, test := range map[string]struct {
		variants    Variants
		add, remove string
		want        string
		status      int // of a refusal
	}{
		"add existing: upsert":       {variants: Variants{}, add: renamed, want: network + `,` + renamed},
		"add existing: ignore":       {variants: Variants{AddExisting: Ignore}, add: renamed, want: network + `,` + office},
		"add existing: refuse":       {variants: Variants{AddExisting: Refuse}, add: `{"source":"198.51.100.1"},` + renamed, status: 409},
		"add existing: refuse_400":   {variants: Variants{AddExisting: RefuseBadRequest}, add: renamed, status: 400},
		"refuse: new entry":          {variants: Variants{AddExisting: Refuse}, add: `{"source":"192.0.2.8"}`, remove: bare, want: network + `,{"source":"192.0.2.8"}`},
		"refuse: removed before":     {variants: Variants{AddExisting: Refuse, RemoveBeforeAdd: true}, add: bare, remove: bare, want: network + `,` + bare},
		"remove after add":           {variants: Variants{}, add: renamed, remove: bare, want: network},
		"remove before add":          {variants: Variants{RemoveBeforeAdd: true}, add: renamed, remove: bare, want: network + `,` + renamed},
		"remove by source":           {variants: Variants{}, remove: `{"source":"192.0.2.7","description":"anything"}`, want: network},
		"remove everything":          {variants: Variants{}, remove: network + `,` + bare, want: ``},
		"nothing":                    {variants: Variants{}, want: network + `,` + office},
		"whole: same source":         {variants: byWhole, add: renamed, want: network + `,` + office + `,` + renamed},
		"whole: same entry":          {variants: byWhole, add: office, want: network + `,` + office},
		"whole: refuse":              {variants: Variants{EntryIdentity: Whole, AddExisting: Refuse}, add: office, status: 409},
		"whole: refuse same entry":   {variants: Variants{EntryIdentity: Whole, AddExisting: Refuse}, add: bare, remove: network, want: office + `,` + bare},
		"whole: remove":              {variants: byWhole, remove: office, want: network},
		"whole: remove needs both":   {variants: byWhole, remove: bare, want: network + `,` + office},
		"whole: no description":      {variants: byWhole, add: `{"source":"192.0.2.9"}`, remove: `{"source":"192.0.2.9","description":""},` + office, want: network},
		"whole, removed by source":   {variants: Variants{EntryIdentity: Whole, RemoveBy: RemoveBySource}, add: renamed, remove: office, want: network},
		"whole, by source, before":   {variants: Variants{EntryIdentity: Whole, RemoveBy: RemoveBySource, RemoveBeforeAdd: true}, add: renamed, remove: office, want: network + `,` + renamed},
		"by source, removed whole":   {variants: Variants{RemoveBy: RemoveByWhole}, remove: bare + `,` + network, want: office},
		"by source, whole, replaced": {variants: Variants{RemoveBy: RemoveByWhole}, add: renamed, remove: office, want: network + `,` + renamed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(WithVariants(test.variants))
			body := `{"name":"changed","ipAccessList":{"add":[` + test.add + `],"remove":[` + test.remove + `]}}`
			if test.status == 0 {
				same(t, "list", object(t, s, servicePath, body)["ipAccessList"], `[`+test.want+`]`)
				return
			}
			unchanged(t, s)
			refused(t, s, test.status, servicePath, body)
		})
	}

	const ids = `{"privateEndpointIds":{"add":["vpce-0a1b2c3d"],"remove":["vpce-0a1b2c3d"]}}`
	same(t, "ids", object(t, New(), servicePath, ids)["privateEndpointIds"], `["vpce-4e5f6a7b"]`)
	same(t, "ids, remove first", object(t, New(WithVariants(Variants{RemoveBeforeAdd: true})), servicePath, ids)["privateEndpointIds"], `["vpce-4e5f6a7b","vpce-0a1b2c3d"]`)
	refused(t, New(WithVariants(Variants{AddExisting: Refuse})), 409, servicePath, ids)
}

func TestNormaliseAddress(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{NormaliseAddress: true}))
	const network, office = `{"source":"10.0.0.0/8","description":"private network"}`, `{"source":"192.0.2.7/32","description":"office"}`
	for _, step := range []struct{ change, want string }{
		{``, `[` + network + `,` + office + `]`},
		{`"remove":[{"source":"192.0.2.7"}]`, `[` + network + `,` + office + `]`}, // not the form in which it is shown
		{
			`"add":[{"source":"192.0.2.7","description":"new"},{"source":"10.1.2.3/8","description":"again"}]`,
			`[{"source":"10.0.0.0/8","description":"again"},{"source":"192.0.2.7/32","description":"new"}]`,
		},
		{`"remove":[{"source":"192.0.2.7/32"},{"source":"10.0.0.0/8"}]`, `[]`},
		{
			`"add":[{"source":"2001:DB8::1"},{"source":"2001:db8::ff/64"},{"source":"198.51.100.77/24"},{"source":"office.example"}]`,
			`[{"source":"2001:db8::1/128"},{"source":"2001:db8::/64"},{"source":"198.51.100.0/24"},{"source":"office.example"}]`,
		},
	} {
		same(t, step.change, object(t, s, servicePath, `{"ipAccessList":{`+step.change+`}}`)["ipAccessList"], step.want)
	}
	same(t, "of a key", object(t, s, keyPath, `{}`)["ipAccessList"],
		`[{"source":"198.51.100.0/24","description":"runners"},{"source":"2001:db8::1/128","description":"bastion"}]`)
}
