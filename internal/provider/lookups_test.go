package provider

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func lookUpService(id string) string {
	return fmt.Sprintf("data \"dbplatform_service\" \"this\" {\n  service_id = %q\n}\n", id)
}

func lookUpKey(id string) string {
	return fmt.Sprintf("data \"dbplatform_api_key\" \"this\" {\n  key_id = %q\n}\n", id)
}

// Every attribute of a service, as literals.
func TestServiceLookUp(t *testing.T) {
	t.Parallel()
	const template = `{
		"service_id":%q,"name":"Orders","db_version":"25.3",
		"endpoints":{"mysql":{"host":"orders.db.example","port":3306,"username":"orders"}},
		"min_total_memory_gb":24,"max_total_memory_gb":48.5,"min_replica_memory_gb":8,"max_replica_memory_gb":16.25,
		"num_replicas":3,"idle_scaling":true,"idle_timeout_minutes":15,
		"ip_access_list":{"10.0.0.0/8":"private network","192.0.2.7":"office"},
		"created_at":"2025-03-01T09:30:00Z","encryption_key":"encryption-key-1",
		"encryption_assumed_role_identifier":"arn:aws:iam::111122223333:role/encryption",
		"iam_role":"arn:aws:iam::111122223333:role/orders",
		"private_endpoint_ids":["vpce-0a1b2c3d","vpce-4e5f6a7b"],
		"available_private_endpoint_ids":["vpce-0a1b2c3d","vpce-4e5f6a7b","vpce-8c9d0e1f"],
		"data_warehouse_id":"warehouse-1","is_primary":true,"is_readonly":false,"byoc_id":"byoc-1",
		"has_transparent_data_encryption":true,"transparent_data_encryption_key_id":"tde-key-1",
		"encryption_role_id":"encryption-role-1","release_channel":%s,"endpoints_enabled":%s
	}`
	for name, test := range map[string]struct {
		variants mockapi.Variants
		channel  string
		enabled  string
	}{
		"as documented":               {mockapi.Variants{}, "null", "null"},
		"with what is not documented": {mockapi.Variants{EchoWriteOnly: true}, `"default"`, `{"mysql":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, mockapi.WithVariants(test.variants))
			expectLookUp(t, env, "service", map[string]string{"service_id": mockapi.ServiceID}, fmt.Sprintf(template, mockapi.ServiceID, test.channel, test.enabled))
			env.ExpectOnlyReads(t)
		})
	}
}

// Every attribute of a key, as literals.
func TestAPIKeyLookUp(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	expectLookUp(t, env, "api_key", map[string]string{"key_id": mockapi.APIKeyID}, fmt.Sprintf(`{
		"key_id":%q,"name":"Deployment","roles":["admin","developer"],"expire_at":"2031-01-01T00:00:00Z","state":null,
		"ip_access_list":{"198.51.100.0/24":"runners","2001:db8::1":"bastion"},
		"key_suffix":"x7Kq","created_at":"2025-03-02T10:00:00Z","used_at":"2025-07-20T08:15:30Z"
	}`, mockapi.APIKeyID))
	env.ExpectOnlyReads(t)
}

// What the API leaves out of an object is null.
func TestLookUpSparse(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{Missing: mockapi.AsAbsent}))
	id := env.AddKey(mockapi.Object{})
	expectLookUp(t, env, "api_key", map[string]string{"key_id": id}, fmt.Sprintf(`{
		"key_id":%q,"name":null,"roles":null,"expire_at":null,"state":null,"ip_access_list":null,
		"key_suffix":null,"created_at":null,"used_at":null
	}`, id))
}

// A look-up and a resource of the same object share a read. A look-up has no
// warnings and keeps what is sensitive, and its end sends nothing.
func TestLookUpSharesReads(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, serviceConfig(mockapi.ServiceID, "")+lookUpService(mockapi.ServiceID))
	acctest.Lacks(t, tf.Must("plan"), "Warning: Adopting", "Warning: Removed")
	if n := len(env.Requests()); n != 1 {
		t.Errorf("a plan of a resource and a look-up of one service took %d requests", n)
	}

	tf.Configure(lookUpService(mockapi.ServiceID) + lookUpKey(mockapi.APIKeyID))
	tf.Apply()
	acctest.Lacks(t, tf.Must("destroy", "-auto-approve"), "Warning: Removed", "Warning: API key")
	env.ExpectOnlyReads(t)

	tf.Configure(lookUpService(mockapi.ServiceID) + "output \"key\" { value = data.dbplatform_service.this.encryption_key }\n")
	acctest.Contains(t, tf.Fails("plan"), "Output refers to sensitive values")
}

// A refusal names the cause, and says what the key needs.
func TestLookUpRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants mockapi.Variants
		kind     string
		ids      map[string]string
		want     []string
	}{
		"key that may not update": {
			mockapi.Variants{ReadOnlyKey: true},
			"service",
			map[string]string{"service_id": mockapi.ServiceID},
			[]string{"Unable to read service " + mockapi.ServiceID, "HTTP 403", "it needs a role that may update this service"},
		},
		"API that refuses it": {
			mockapi.Variants{RefuseEmptyPatch: http.StatusBadRequest},
			"api_key",
			map[string]string{"key_id": mockapi.APIKeyID},
			[]string{"Unable to read API key " + mockapi.APIKeyID, "HTTP 400", "at least one member is required", "cannot be looked up", "as variables"},
		},
		"unknown object": {
			mockapi.Variants{},
			"api_key",
			map[string]string{"key_id": notThere},
			[]string{"Unable to read API key", "HTTP 404", "Check key_id, and that organization_id", `AttributeName("key_id")`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newEnv(t, mockapi.WithVariants(test.variants)).Core(t, nil).LookUp(test.kind, test.ids)
			acctest.Contains(t, fmt.Sprint(err), test.want...)
		})
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

	env.SetVariants(mockapi.Variants{RefuseEmptyPatch: http.StatusMethodNotAllowed})
	c.Must(firstConfigs())
	for _, kind := range []string{"service", "api_key"} {
		if found, err := c.LookUp(kind, ids[kind]); err == nil {
			t.Errorf("a hidden %s shows %s", kind, found)
		}
	}
}
