package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What look-ups show, as literals: the lists of a service and of a key, what is null if the
// API leaves it out, and no backups. TestLookUpsShowScalars and TestLookUpsAreComplete have
// the others.
func TestLookUps(t *testing.T) {
	t.Parallel()
	const service = `
		"endpoints":{"mysql":{"host":"orders.db.example","port":3306,"username":"orders"}},
		"ip_access_list":{"10.0.0.0/8":"private network","192.0.2.7":"office"},
		"private_endpoint_ids":["vpce-0a1b2c3d","vpce-4e5f6a7b"],
		"available_private_endpoint_ids":["vpce-0a1b2c3d","vpce-4e5f6a7b","vpce-8c9d0e1f"],`
	const sparseKey, emptyExpiry = "33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"
	for _, test := range []struct {
		variants       mockapi.Variants
		kind, name, id string
		want           string
	}{
		{mockapi.Variants{}, "service", "service_id", mockapi.ServiceID, service + `"release_channel":null,"endpoints_enabled":null`},
		{mockapi.Variants{"echo_write_only"}, "service", "service_id", mockapi.ServiceID, service + `"release_channel":"default","endpoints_enabled":{"mysql":true}`},
		{mockapi.Variants{}, "api_key", "key_id", mockapi.APIKeyID, `
			"roles":["admin","developer"],"expire_at":"2999-01-01T00:00:00Z","state":null,
			"ip_access_list":{"198.51.100.0/24":"runners","2001:db8::1":"bastion"}`},
		{mockapi.Variants{}, "api_key", "key_id", mockapi.OtherAPIKeyID, `
			"roles":["query_endpoints"],"expire_at":"never","state":null,"ip_access_list":{},"used_at":null`},
		{mockapi.Variants{"missing=absent"}, "api_key", "key_id", sparseKey, `
			"name":null,"roles":null,"expire_at":null,"state":null,"ip_access_list":null,"key_suffix":null,"created_at":null,"used_at":null`},
		{mockapi.Variants{"missing=absent"}, "api_key", "key_id", emptyExpiry, `
			"name":null,"roles":[],"expire_at":"never","state":null,"ip_access_list":{},"key_suffix":null,"created_at":null,"used_at":null`},
		{mockapi.Variants{}, "backups", "service_id", mockapi.OtherServiceID, `"latest":null,"backups":[]`},
	} {
		env := newEnv(t, mockapi.WithVariants(test.variants))
		env.AddKey(mockapi.Object{"id": sparseKey})
		env.AddKey(mockapi.Object{"id": emptyExpiry, "expireAt": ""})
		found, err := env.Core(t, nil).LookUp(test.kind, map[string]string{test.name: test.id})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{test.name: test.id}
		if err := json.Unmarshal([]byte("{"+test.want+"}"), &want); err != nil {
			t.Fatal(err)
		}
		shown := acctest.Plain(found).(map[string]any)
		for name := range shown { // the others: TestLookUpsShowScalars
			if _, isNamed := want[name]; !isNamed {
				delete(shown, name)
			}
		}
		if diff := cmp.Diff(want, shown); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.kind, test.id, diff)
		}
		env.ExpectOnlyReads(t)
	}
}

// A whole number is exact, and a fraction is rounded.
func TestLookUpOfNumbers(t *testing.T) {
	t.Parallel()
	env := underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		recorded := c.Record()
		body := strings.Replace(recorded.Body.String(), `"replicas":2`, `"replicas":3.5`, 1)
		acctest.Respond(w, recorded, []byte(strings.Replace(body, `"concurrency":4`, `"concurrency":9007199254740991`, 1)))
		return true
	})
	found, err := env.Core(t, nil).LookUp("pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"replicas": 4, "concurrency": 9007199254740991} {
		number, _, err := tftypes.WalkAttributePath(found, tftypes.NewAttributePath().WithAttributeName("scaling").WithAttributeName(name))
		if err != nil || !number.(tftypes.Value).Equal(tftypes.NewValue(tftypes.Number, want)) {
			t.Errorf("%s is %v, want %d (%v)", name, number, want, err)
		}
	}
}

// A resource and look-ups of one object share a read, in any case of its id. A look-up
// has no warnings.
func TestLookUpSharesReads(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.AddKey(mockapi.Object{"id": letteredKeyID, "name": "One"})
	c := env.Core(t, nil)
	c.MustPlan(acctest.Configs{"api_key": {"key_id": letteredKeyID, "name": "One"}})
	for _, id := range []string{letteredKeyID, strings.ToUpper(letteredKeyID)} {
		if _, err := c.LookUp("api_key", map[string]string{"key_id": id}); err != nil {
			t.Error(err)
		}
	}
	if n := len(env.Requests()); n != 1 || len(c.Warnings) > 0 {
		t.Errorf("%d requests were sent, and the warnings are %q", n, c.Warnings)
	}
}

// A refusal names the cause, and says what the key needs.
func TestLookUpRefused(t *testing.T) {
	t.Parallel()
	warn := map[string]any{"unreadable_objects": "warn"}
	_, err := newEnv(t).Core(t, nil).LookUp("api_key", map[string]string{"key_id": notThere})
	acctest.Contains(t, fmt.Sprint(err), "Unable to read API key …9999: not found (404)", "HTTP 404", "Check organization_id, key_id, and that the provider's key belongs to that organization.")
	_, err = newEnv(t).Core(t, map[string]any{"read_method": "GET"}).LookUp("service", map[string]string{"service_id": mockapi.ServiceID})
	acctest.Contains(t, fmt.Sprint(err), "Unable to read service …1111: method not allowed (405)", "try read_method = \"PATCH\" in the provider block")
	_, err = newEnv(t, mockapi.WithVariants(mockapi.Variants{"refuse_empty_patch=405"})).Core(t, warn).LookUp("service", map[string]string{"service_id": mockapi.ServiceID})
	acctest.Contains(t, fmt.Sprint(err), "try read_method = \"GET\" in the provider block; unreadable_objects is not for data sources")
	c := newEnv(t, mockapi.WithVariants(mockapi.Variants{"read_by_get"})).Core(t, map[string]any{"read_method": "GET"})
	_, err = c.LookUp("service", map[string]string{"service_id": notThere})
	for _, err := range []error{err, c.Import("service", notThere)} {
		acctest.Contains(t, fmt.Sprint(err), "Or the API has no GET for this kind of object")
		acctest.Lacks(t, fmt.Sprint(err), "destroy") // there is no block
	}
}

// After an apply, a look-up of the same walk shows what the API returns, not
// what was sent. It fails if the API does not return the object.
func TestLookUpAfterApply(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	c.Must(firstConfigs())
	ids := map[string]map[string]string{
		"pipe":    {"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID},
		"service": {"service_id": mockapi.ServiceID},
		"api_key": {"key_id": mockapi.APIKeyID},
	}
	c.Must(secondConfigs())
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["name"], pipe["scaling"].(mockapi.Object)["replicas"] = "Shown", 9 })
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) { service["name"] = "Shown" })
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Shown" })
	for kind, id := range ids {
		found, err := c.LookUp(kind, id)
		if err != nil {
			t.Fatal(err)
		}
		shown := acctest.Plain(found).(map[string]any)
		if shown["name"] != "Shown" {
			t.Errorf("%s shows the name %v", kind, shown["name"])
		}
		if kind == "pipe" && (shown["scaling"].(map[string]any)["replicas"] != 9.0 || shown["updated_at"] != env.Object(mockapi.Pipe, mockapi.KafkaPipeID)["updatedAt"]) {
			t.Errorf("the pipe shows %v, updated at %v", shown["scaling"], shown["updated_at"])
		}
	}

	env.SetVariants(mockapi.Variants{"refuse_empty_patch=405"})
	c.Must(firstConfigs())
	for _, kind := range []string{"service", "api_key"} {
		if found, err := c.LookUp(kind, ids[kind]); err == nil {
			t.Errorf("a hidden %s shows %s", kind, found)
		}
	}
}
