package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// shownNames are the display names of what a query found.
func shownNames(all []acctest.Found) (names []string) {
	for _, found := range all {
		names = append(names, found.Name)
	}
	return names
}

// A query takes one read, and warns of nothing. What it shows is what an import by the
// same identity shows, and what the next plan keeps.
func TestQuery(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct {
		names   []string
		configs []acctest.Configs
	}{
		entryKind: {
			[]string{"10.0.0.0/8 private network", "192.0.2.7 office"},
			[]acctest.Configs{onEntry("10.0.0.0/8", "private network"), onEntry("192.0.2.7", "office")},
		},
		endpointKind: {
			[]string{"vpce-0a1b2c3d", "vpce-4e5f6a7b"},
			[]acctest.Configs{onEndpoint("vpce-0a1b2c3d"), onEndpoint("vpce-4e5f6a7b")},
		},
	} {
		env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"shuffle"}))
		c := env.Core(t, nil)
		all, err := c.Query(queryOf(kind))
		if sent := len(env.Requests()); err != nil || sent != 1 || len(c.Warnings) > 0 {
			t.Fatalf("%s: %v, %d requests, %q", kind, err, sent, c.Warnings)
		}
		env.ExpectOnlyReads(t)
		if diff := cmp.Diff(want.names, shownNames(all)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", kind, diff)
		}
		for i, found := range all {
			if err := c.ImportBy(kind, &tfprotov6.ImportResourceStateRequest{Identity: found.Identity}); err != nil {
				t.Fatal(err)
			}
			imported := c.Instance(kind)
			if diff := cmp.Diff(imported.State, found.Resource) + cmp.Diff(imported.Identity, found.Identity); diff != "" {
				t.Errorf("%s (-imported +found):\n%s", kind, diff)
			}
			c.ExpectNoChanges(want.configs[i])
		}

		without := queryOf(kind)
		without.IncludeResource = false
		if all, err = c.Query(without); err != nil || len(all) != 2 || !all[0].Resource.IsNull() || !slices.Equal(shownNames(all), want.names) {
			t.Errorf("%s, without the resource: %v, %v", kind, all, err)
		}
	}
}

// What the API may have in its lists. An address that is listed twice is one entry, as in
// an import. What cannot be configured is a warning.
func TestQueryOfOddLists(t *testing.T) {
	t.Parallel()
	const left = "Left out of the query: ip_access_list of service …1111: ip_access_list of service " + mockapi.ServiceID + " has "
	inService := func(change func(mockapi.Object)) func(*acctest.Env) {
		return func(env *acctest.Env) { env.Change(mockapi.Service, mockapi.ServiceID, change) }
	}
	entries := func(entries ...string) func(*acctest.Env) {
		return func(env *acctest.Env) { setEntries(env, entries...) }
	}
	for name, test := range map[string]struct {
		kind  string
		list  func(*acctest.Env)
		names []string
		warns string // the only warning
	}{
		"empty":                      {entryKind, entries(), nil, ""},
		"null":                       {entryKind, inService(func(service mockapi.Object) { service["ipAccessList"] = nil }), nil, ""},
		"endpoint, null":             {endpointKind, inService(func(service mockapi.Object) { service["privateEndpointIds"] = nil }), nil, ""},
		"endpoint, twice":            {endpointKind, inService(func(service mockapi.Object) { service["privateEndpointIds"] = []any{"b", "a", "b"} }), []string{"a", "b"}, ""},
		"twice":                      {entryKind, entries("203.0.113.9/32 mine", "203.0.113.9 theirs", "203.0.113.9 mine"), []string{"203.0.113.9 mine | theirs"}, ""},
		"undescribed":                {entryKind, inService(func(service mockapi.Object) { service["ipAccessList"] = []any{mockapi.Object{"source": "10.0.0.1"}} }), []string{"10.0.0.1"}, ""},
		"other notations":            {entryKind, entries("2001:DB8:0::1/32 v6", "10.0.0.5/8 vpc", "::ffff:10.0.0.1 mapped", "0.0.0.0/0 all"), []string{"0.0.0.0/0 all", "10.0.0.5/8 vpc", "2001:DB8:0::1/32 v6", "::ffff:10.0.0.1 mapped"}, ""},
		"no address":                 {entryKind, entries("office-vpn remote"), []string{"office-vpn remote"}, ""},
		"described in several lines": {entryKind, entries("10.0.0.1 two\nlines\x1b[31m"), []string{`10.0.0.1 two\nlines\x1b[31m`}, ""},
		"described at length":        {entryKind, entries("10.0.0.1 " + strings.Repeat("x", 300)), []string{"10.0.0.1 " + strings.Repeat("x", 191) + " …"}, ""},
		"not configurable":           {entryKind, entries("10.0.0.0/33 wrong", "10.0.0.1 right", "10.0.0.256 "), []string{"10.0.0.1 right"}, left + "entries whose source cannot be configured, so Terraform cannot manage them: \"10.0.0.0/33\" looks like an IP address or CIDR prefix, but is not a valid one; \"10.0.0.256\" looks like an IP address or CIDR prefix, but is not a valid one."},
		"white space":                {entryKind, inService(func(service mockapi.Object) { service["ipAccessList"] = []any{mockapi.Object{"source": " 10.9.9.9"}} }), nil, left + "entries whose source cannot be configured, so Terraform cannot manage them: \" 10.9.9.9\" must not be empty or begin or end with white space."},
		"endpoint, not configurable": {
			endpointKind, inService(func(service mockapi.Object) { service["privateEndpointIds"] = []any{" a"} }), nil,
			strings.ReplaceAll(left, "ip_access_list", "private_endpoint_ids") + "entries whose private_endpoint_id cannot be configured, so Terraform cannot manage them: \" a\" must not be empty or begin or end with white space.",
		},
	} {
		env := newEnv(t)
		test.list(env)
		c := env.Core(t, nil)
		all, err := c.Query(queryOf(test.kind))
		if warnings := strings.Join(c.Warnings, "\n"); err != nil || warnings != test.warns {
			t.Errorf("%s: %v, %q", name, err, warnings)
		}
		if diff := cmp.Diff(test.names, shownNames(all)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A query that its limit cuts says how many entries there are.
func TestQueryLimit(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	for _, test := range []struct {
		has   int
		limit int64
		want  int
		cut   bool
	}{{101, 100, 100, true}, {100, 100, 100, false}, {2, 1, 1, true}, {1, 0, 0, true}} {
		setEntries(env, manyEntries(test.has)...)
		c := env.Core(t, nil)
		query := queryOf(entryKind)
		query.Limit = test.limit
		if all, err := c.Query(query); err != nil || len(all) != test.want {
			t.Errorf("%+v: %d, %v", test, len(all), err)
		}
		warns := ""
		if test.cut {
			warns = fmt.Sprintf("Query stopped at its limit: ip_access_list of service …1111: ip_access_list of service %s has %d entries, and the query shows %d. To see all, set limit = %d in the list block.",
				mockapi.ServiceID, test.has, test.limit, test.has)
		}
		if warnings := strings.Join(c.Warnings, "\n"); warnings != warns {
			t.Errorf("%+v: %q", test, warnings)
		}
	}
}

// manyEntries returns n entries for setEntries.
func manyEntries(n int) (entries []string) {
	for i := range n {
		entries = append(entries, fmt.Sprintf("10.%d.%d.%d x", i>>16, i>>8&255, i&255))
	}
	return entries
}

// What cannot be listed is an error at the id of the service, with advice for a query.
func TestQueryFails(t *testing.T) {
	t.Parallel()
	const (
		undocumented = "The API documents no way to read this kind of object."
		readOnly     = `try read_method = "GET" in the provider block`
	)
	variant := func(v mockapi.Variants) func(*acctest.Env) { return func(env *acctest.Env) { env.SetVariants(v) } }
	for name, test := range map[string]struct {
		kind     string
		happens  func(*acctest.Env)
		settings map[string]any
		says     []string
	}{
		"mistyped": {entryKind, func(env *acctest.Env) {
			env.Fail(mockapi.Fault{Status: http.StatusOK, Body: `{"status":200,"result":{"id":"` + mockapi.ServiceID + `","ipAccessList":"all"}}`})
		}, nil, []string{"the API does not return the list as documented. To import an entry that you know, use the id"}},
		"no service": {entryKind, func(env *acctest.Env) { env.Forget(mockapi.Service, mockapi.ServiceID) }, nil, []string{
			"Unable to query ip_access_list of service …1111: not found (404): Check organization_id, service_id, and that the provider's key belongs to that organization. ip_access_list of service " + mockapi.ServiceID + ": ", "HTTP 404",
		}},
		"forbidden":         {entryKind, variant(mockapi.Variants{"read_only_key"}), nil, []string{"Unable to query ip_access_list of service …1111: forbidden (403): " + undocumented, readOnly}},
		"forbidden, warned": {endpointKind, variant(mockapi.Variants{"read_only_key"}), map[string]any{"unreadable_objects": "warn"}, []string{"forbidden (403): " + undocumented, readOnly}},
		"hidden": {entryKind, variant(mockapi.Variants{"refuse_empty_patch=422"}), nil, []string{
			undocumented, "at least one member is required",
		}},
		"hidden, 405": {entryKind, variant(mockapi.Variants{"refuse_empty_patch=405"}), nil, []string{"(405): " + undocumented, readOnly + ""}},
		"no GET":      {entryKind, func(*acctest.Env) {}, map[string]any{"read_method": "GET"}, []string{"(405): " + undocumented, "try read_method = \"PATCH\" in the provider block"}},
		"no GET, 404": {entryKind, func(env *acctest.Env) { env.Fail(fault(http.StatusNotFound)) }, map[string]any{"read_method": "GET"}, []string{`run once with read_method = "PATCH" to find out.`}},
		"fails": {entryKind, func(env *acctest.Env) { env.Fail(fault(http.StatusNotImplemented)) }, map[string]any{"max_retries": 0}, []string{
			`If this always fails, try read_method = "GET" in the provider block`,
		}},
	} {
		env := newEnv(t)
		test.happens(env)
		c := env.Core(t, test.settings)
		all, err := c.Query(queryOf(test.kind))
		acctest.Contains(t, fmt.Sprint(err), append(test.says, `AttributeName("service_id")`)...)
		acctest.Lacks(t, fmt.Sprint(err), "variables", "destroy", "its block", "Without the import")
		if len(all) > 0 || len(c.Warnings) > 0 {
			t.Errorf("%s: %v, %q", name, all, c.Warnings)
		}
	}
}

// An id in another form is refused without a request.
func TestQueryChecksItsID(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	query := queryOf(entryKind)
	query.Config = map[string]any{"service_id": "mine"}
	_, err := env.Core(t, nil).Query(query)
	acctest.Contains(t, fmt.Sprint(err), "Invalid Attribute Value", "36 characters", `AttributeName("service_id")`)
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("sent %d requests", len(sent))
	}
}
