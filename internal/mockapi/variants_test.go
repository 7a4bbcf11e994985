package mockapi

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAllVariants(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	chosen := map[string]bool{}
	for _, named := range AllVariants() {
		if names[named.Name] {
			t.Errorf("%s: twice", named.Name)
		}
		names[named.Name] = true
		if !strings.HasSuffix(named.Doc, ".") {
			t.Errorf("%s: its documentation is no sentence: %q", named.Name, named.Doc)
		}
		if named.Variants == (Variants{}) {
			t.Errorf("%s: is the plain server", named.Name)
		}
		parsed, err := ParseVariants(named.Name)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(named.Variants, parsed); diff != "" {
			t.Errorf("%s (-listed +parsed):\n%s", named.Name, diff)
		}
		for field, value := range reflect.ValueOf(named.Variants).Fields() {
			if !value.IsZero() {
				chosen[field.Name] = true
			}
		}
	}
	for field := range reflect.TypeFor[Variants]().Fields() {
		if !chosen[field.Name] {
			t.Errorf("no name chooses %s", field.Name)
		}
	}
}

func TestParseVariants(t *testing.T) {
	t.Parallel()
	got, err := ParseVariants("numbers=decimal", "shuffle", "numbers=exponent")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Variants{Shuffle: true, Numbers: Exponent}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, name := range []string{"", "numbers", "numbers=", "numbers=octal", "Shuffle", "shuffle=true"} {
		if _, err := ParseVariants("shuffle", name); err == nil {
			t.Errorf("%q: accepted", name)
		}
	}
}

// Under any two variants the server accepts valid requests and its responses
// fit openapi.yaml.
func TestPairsOfVariantsKeepTheContract(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(AllVariants(), func(v NamedVariant) bool { return v.Variants.ReadOnlyKey || v.Variants.IdleService })
	for i, first := range all {
		t.Run(first.Name, func(t *testing.T) {
			t.Parallel()
			for _, second := range all[i:] {
				variants, err := ParseVariants(first.Name, second.Name)
				if err != nil {
					t.Fatal(err)
				}
				exercise(t, second.Name, New(WithVariants(variants)))
			}
		})
	}
}

// exercise sends requests that must succeed under these variants.
func exercise(t *testing.T, name string, s *Server) {
	t.Helper()
	for _, step := range []struct{ method, path, body string }{
		{"GET", servicePath + "/backups", ""},
		{"GET", otherServicePath + "/backups", ""},
		{"PATCH", pipePath + "/scaling", `{"replicas":3,"replicaMemoryGb":null}`},
		{"GET", pipePath, ""},
		{"PUT", pipePath + "/settings", `{"db_max_threads":4,"db_max_insert_threads":null}`},
		{"GET", pipePath, ""},
		{"GET", servicePath + "/pipes/" + PostgresPipeID, ""},
		{"PATCH", servicePath, `{"name":"a","ipAccessList":{"add":[{"source":"203.0.113.9"}],"remove":[{"source":"192.0.2.7"}]},"endpoints":[{"protocol":"mysql","enabled":false}]}`},
		{"PATCH", otherServicePath, `{"endpoints":[{"protocol":"mysql","enabled":true}]}`},
		{"PATCH", keyPath, `{"expireAt":"2030-01-01T00:00:00+01:00","roles":["admin"]}`},
		{"PATCH", organizationPath + "/keys/" + OtherAPIKeyID, `{"ipAccessList":[]}`},
	} {
		if w := send(s, step.method, step.path, step.body); w.Code != 200 {
			t.Errorf("with %s: %s %s: %d %s", name, step.method, step.path, w.Code, w.Body)
		}
	}
}

func TestRemoveBeforeAdd(t *testing.T) {
	t.Parallel()
	const body = `{"ipAccessList":{"add":[{"source":"192.0.2.7","description":"new"}],"remove":[{"source":"192.0.2.7"}]},"privateEndpointIds":{"add":["vpce-0a1b2c3d"],"remove":["vpce-0a1b2c3d"]}}`
	plain := result[Object](t, New(), "PATCH", servicePath, body)
	same(t, "plain", plain["ipAccessList"], `[{"source":"10.0.0.0/8","description":"private network"}]`)
	same(t, "plain", plain["privateEndpointIds"], `["vpce-4e5f6a7b"]`)
	other := result[Object](t, New(WithVariants(Variants{RemoveBeforeAdd: true})), "PATCH", servicePath, body)
	same(t, "remove first", other["ipAccessList"], `[{"source":"10.0.0.0/8","description":"private network"},{"source":"192.0.2.7","description":"new"}]`)
	same(t, "remove first", other["privateEndpointIds"], `["vpce-4e5f6a7b","vpce-0a1b2c3d"]`)
}

// The seeded list is 10.0.0.0/8 "private network" and 192.0.2.7 "office".
func TestAccessListVariants(t *testing.T) {
	t.Parallel()
	const first = `{"source":"10.0.0.0/8","description":"private network"}`
	for name, test := range map[string]struct {
		variants     Variants
		change, want string // want "": 409
	}{
		"by source, upsert":        {Variants{}, `"add":[{"source":"192.0.2.7","description":"new"}]`, `[` + first + `,{"source":"192.0.2.7","description":"new"}]`},
		"by source, ignore":        {Variants{AddExisting: Ignore}, `"add":[{"source":"192.0.2.7","description":"new"}]`, `[` + first + `,{"source":"192.0.2.7","description":"office"}]`},
		"by source, refuse":        {Variants{AddExisting: Refuse}, `"add":[{"source":"198.51.100.1"},{"source":"192.0.2.7","description":"new"}]`, ``},
		"by source, refuse, new":   {Variants{AddExisting: Refuse}, `"add":[{"source":"192.0.2.8"}],"remove":[{"source":"192.0.2.7"}]`, `[` + first + `,{"source":"192.0.2.8"}]`},
		"refuse, removed first":    {Variants{AddExisting: Refuse, RemoveBeforeAdd: true}, `"add":[{"source":"192.0.2.7"}],"remove":[{"source":"192.0.2.7"}]`, `[` + first + `,{"source":"192.0.2.7"}]`},
		"by source, remove":        {Variants{}, `"remove":[{"source":"192.0.2.7","description":"anything"}]`, `[` + first + `]`},
		"whole, same source":       {Variants{EntryIdentity: Whole}, `"add":[{"source":"192.0.2.7","description":"new"}]`, `[` + first + `,{"source":"192.0.2.7","description":"office"},{"source":"192.0.2.7","description":"new"}]`},
		"whole, same entry":        {Variants{EntryIdentity: Whole}, `"add":[{"source":"192.0.2.7","description":"office"}]`, `[` + first + `,{"source":"192.0.2.7","description":"office"}]`},
		"whole, refuse":            {Variants{EntryIdentity: Whole, AddExisting: Refuse}, `"add":[{"source":"192.0.2.7","description":"office"}]`, ``},
		"whole, refuse, other":     {Variants{EntryIdentity: Whole, AddExisting: Refuse}, `"add":[{"source":"192.0.2.7"}],"remove":[` + first + `]`, `[{"source":"192.0.2.7","description":"office"},{"source":"192.0.2.7"}]`},
		"whole, remove":            {Variants{EntryIdentity: Whole}, `"remove":[{"source":"192.0.2.7","description":"office"}]`, `[` + first + `]`},
		"whole, remove by half":    {Variants{EntryIdentity: Whole}, `"remove":[{"source":"192.0.2.7"}]`, `[` + first + `,{"source":"192.0.2.7","description":"office"}]`},
		"whole, empty description": {Variants{EntryIdentity: Whole}, `"add":[{"source":"192.0.2.9"}],"remove":[{"source":"192.0.2.9","description":""},{"source":"192.0.2.7","description":"office"}]`, `[` + first + `]`},
		"remove everything":        {Variants{}, `"remove":[{"source":"192.0.2.7"},{"source":"10.0.0.0/8"}]`, `[]`},
		"nothing":                  {Variants{}, ``, `[` + first + `,{"source":"192.0.2.7","description":"office"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(WithVariants(test.variants))
			body := `{"name":"changed","ipAccessList":{` + test.change + `}}`
			if test.want == "" {
				before := s.Object(Service, ServiceID)
				refused(t, s, 409, "PATCH", servicePath, body)
				sameObjects(t, before, s.Object(Service, ServiceID))
				return
			}
			same(t, "list", result[Object](t, s, "PATCH", servicePath, body)["ipAccessList"], test.want)
		})
	}
}

func TestAddExistingID(t *testing.T) {
	t.Parallel()
	refused(t, New(WithVariants(Variants{AddExisting: Refuse})), 409, "PATCH", servicePath, `{"privateEndpointIds":{"add":["vpce-0a1b2c3d"]}}`)
}

func TestNormaliseAddress(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{NormaliseAddress: true}))
	change := func(change string) any {
		return result[Object](t, s, "PATCH", servicePath, `{"ipAccessList":{`+change+`}}`)["ipAccessList"]
	}
	const first = `{"source":"10.0.0.0/8","description":"private network"}`
	same(t, "seeded", change(``), `[`+first+`,{"source":"192.0.2.7/32","description":"office"}]`)
	same(t, "removed in another form", change(`"remove":[{"source":"192.0.2.7"}]`), `[`+first+`,{"source":"192.0.2.7/32","description":"office"}]`)
	same(t, "added in another form", change(`"add":[{"source":"192.0.2.7","description":"new"},{"source":"10.1.2.3/8","description":"again"}]`),
		`[{"source":"10.0.0.0/8","description":"again"},{"source":"192.0.2.7/32","description":"new"}]`)
	same(t, "removed", change(`"remove":[{"source":"192.0.2.7/32"},{"source":"10.0.0.0/8"}]`), `[]`)
	same(t, "other forms", change(`"add":[{"source":"2001:DB8::1"},{"source":"2001:db8::ff/64"},{"source":"198.51.100.77/24"},{"source":"office.example"}]`),
		`[{"source":"2001:db8::1/128"},{"source":"2001:db8::/64"},{"source":"198.51.100.0/24"},{"source":"office.example"}]`)
	same(t, "of a key", result[Object](t, s, "PATCH", keyPath, `{}`)["ipAccessList"],
		`[{"source":"198.51.100.0/24","description":"runners"},{"source":"2001:db8::1/128","description":"bastion"}]`)
}

func TestSettingsPut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants Variants
		second   string
		threads  any // of db_max_threads, whose default is 8, after {"db_max_threads":5} and second
	}{
		"replace":                  {Variants{}, `{"db_max_insert_threads":1}`, int64(8)},
		"replace, null":            {Variants{}, `{"db_max_threads":null}`, int64(8)},
		"replace, null ignored":    {Variants{IgnoreNulls: true}, `{"db_max_threads":null}`, int64(5)},
		"merge":                    {Variants{SettingsPut: Merge}, `{"db_max_insert_threads":1}`, int64(5)},
		"merge, null":              {Variants{SettingsPut: Merge}, `{"db_max_threads":null}`, int64(8)},
		"merge, null ignored":      {Variants{SettingsPut: Merge, IgnoreNulls: true}, `{"db_max_threads":null}`, int64(5)},
		"forget":                   {Variants{SettingsPut: Forget}, `{"db_max_insert_threads":1}`, nil},
		"forget, null":             {Variants{SettingsPut: Forget}, `{"db_max_threads":null}`, int64(8)},
		"forget, null ignored":     {Variants{SettingsPut: Forget, IgnoreNulls: true}, `{"db_max_threads":null}`, int64(5)},
		"sparse response, replace": {Variants{SparseSettingsResponse: true}, `{"db_max_insert_threads":1}`, int64(8)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(WithVariants(test.variants))
			result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":5}`)
			response := result[Object](t, s, "PUT", pipePath+"/settings", test.second)
			settings := result[Object](t, s, "GET", pipePath, "")["settings"].(Object)
			if settings["db_max_threads"] != test.threads {
				t.Errorf("read back: %v, want %v", settings["db_max_threads"], test.threads)
			}
			if test.variants.SparseSettingsResponse {
				same(t, "response", response, test.second)
				return
			}
			sameObjects(t, settings, response)
		})
	}
}

func TestIgnoreNullsOfScaling(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{IgnoreNulls: true}))
	result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":7}`)
	scaling := result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":null,"concurrency":1}`)["scaling"]
	same(t, "scaling", scaling, `{"replicas":7,"concurrency":1,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`)
}

func TestSparsePatchAnswer(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{SparsePatchResponse: true}))
	same(t, "service", result[Object](t, s, "PATCH", otherServicePath, `{"name":"x","releaseChannel":"fast","ipAccessList":{"add":[{"source":"a"}]}}`),
		`{"id":"11111111-1111-4111-8111-222222222222","name":"x","ipAccessList":[{"source":"a"}]}`)
	same(t, "empty", result[Object](t, s, "PATCH", otherServicePath, `{}`), `{"id":"11111111-1111-4111-8111-222222222222"}`)
	same(t, "key", result[Object](t, s, "PATCH", keyPath, `{"name":"x"}`), `{"id":"33333333-3333-4333-8333-111111111111","name":"x"}`)
	same(t, "scaling", result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":3}`), `{"id":"22222222-2222-4222-8222-111111111111","scaling":{"replicas":3}}`)
	if pipe := result[Object](t, s, "GET", pipePath, ""); len(pipe) != 11 {
		t.Errorf("a GET is sparse: %v", pipe)
	}
}

func TestRefuseEmptyPatch(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 405, 422} {
		s := New(WithVariants(Variants{RefuseEmptyPatch: status}))
		refused(t, s, status, "PATCH", servicePath, `{}`)
		refused(t, s, status, "PATCH", keyPath, `{}`)
		result[Object](t, s, "PATCH", pipePath+"/scaling", `{}`)
		result[Object](t, s, "PATCH", servicePath, `{"name":"x"}`)
		result[Object](t, s, "PATCH", keyPath, `{"name":"x"}`)
	}
}

func TestEchoWriteOnly(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{EchoWriteOnly: true}))
	service := result[Object](t, s, "PATCH", servicePath, `{"releaseChannel":"fast"}`)
	if service["releaseChannel"] != "fast" {
		t.Errorf("releaseChannel %v", service["releaseChannel"])
	}
	same(t, "endpoints", service["endpoints"], `[{"protocol":"mysql","host":"orders.db.example","port":3306,"username":"orders","enabled":true}]`)
	if key := result[Object](t, s, "PATCH", keyPath, `{"state":"disabled"}`); key["state"] != "disabled" {
		t.Errorf("state %v", key["state"])
	}
	s.SetVariants(Variants{})
	if key := result[Object](t, s, "PATCH", keyPath, `{}`); key["state"] != nil {
		t.Errorf("plain: state %v", key["state"])
	}
}

func TestEndpointsAlwaysListed(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{EndpointsAlwaysListed: true}))
	const off = `{"endpoints":[{"protocol":"mysql","enabled":false}]}`
	same(t, "disabled", result[Object](t, s, "PATCH", servicePath, off)["endpoints"], `[{"protocol":"mysql","host":"orders.db.example","port":3306,"username":"orders"}]`)
	s.SetVariants(Variants{EndpointsAlwaysListed: true, EchoWriteOnly: true})
	endpoints := result[Object](t, s, "PATCH", servicePath, `{}`)["endpoints"].([]any)
	if endpoints[0].(Object)["enabled"] != false {
		t.Errorf("with enabled: %v", endpoints)
	}
}

func TestLate(t *testing.T) {
	t.Parallel()
	const (
		old   = `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`
		fresh = `{"replicas":9,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`
		zeros = `{"replicas":0,"concurrency":0,"replicaCpuMillicores":0,"replicaMemoryGb":0}`
	)
	for late, shown := range map[Late]string{LateNone: fresh, LateOld: old, LateZero: zeros, LateAbsent: `null`} {
		for _, reads := range []int{0, 1, 3} {
			s := New(WithVariants(Variants{Late: late, LateReads: reads}))
			response := result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":9}`)
			same(t, "response", response["scaling"], shown)
			for range reads {
				pipe := result[Object](t, s, "GET", pipePath, "")
				same(t, "late read", pipe["scaling"], shown)
				if _, present := pipe["scaling"]; present != (late != LateAbsent) {
					t.Errorf("%s: scaling present: %v", late, present)
				}
			}
			same(t, "settled", result[Object](t, s, "GET", pipePath, "")["scaling"], fresh)
			same(t, "stored", s.Object(Pipe, KafkaPipeID)["scaling"], fresh)
		}
	}
}
