package mockapi

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCredentials(t *testing.T) {
	t.Parallel()
	s := New()
	for name, authorize := range map[string]func(*http.Request){
		"none":           func(r *http.Request) { r.Header.Del("Authorization") },
		"wrong secret":   func(r *http.Request) { r.SetBasicAuth("mock-key-id", "other") },
		"wrong id":       func(r *http.Request) { r.SetBasicAuth("other", "mock-key-secret") },
		"empty":          func(r *http.Request) { r.SetBasicAuth("", "") },
		"another scheme": func(r *http.Request) { r.Header.Set("Authorization", "Bearer mock-key-secret") },
		"no base64":      func(r *http.Request) { r.Header.Set("Authorization", "Basic mock-key-id:mock-key-secret") },
	} {
		// Whatever else is wrong, nobody unknown is told.
		for _, path := range []string{pipePath, "/v1/organizations/" + unknownID + "/keys/no-uuid", "/"} {
			r := request("PATCH", path, "{")
			authorize(r)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("%s, %s: %d %v", name, path, w.Code, w.Header())
			}
		}
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	s := New()
	elsewhere := "/v1/organizations/" + unknownID
	for _, path := range []string{
		strings.Replace(pipePath, organizationPath, elsewhere, 1),
		strings.Replace(keyPath, organizationPath, elsewhere, 1),
		strings.Replace(servicePath, organizationPath, elsewhere, 1),
		organizationPath + "/services/" + unknownID,
		organizationPath + "/services/" + unknownID + "/backups",
		organizationPath + "/services/" + unknownID + "/pipes/" + KafkaPipeID,
		organizationPath + "/keys/" + unknownID,
		organizationPath + "/keys/" + ServiceID,
		servicePath + "/pipes/" + unknownID,
		servicePath + "/pipes/" + unknownID + "/scaling",
		servicePath + "/pipes/" + unknownID + "/settings",
		otherServicePath + "/pipes/" + KafkaPipeID,
	} {
		method := "PATCH"
		switch {
		case strings.HasSuffix(path, "/settings"):
			method = "PUT"
		case strings.HasSuffix(path, "/backups"), strings.HasSuffix(path, KafkaPipeID), strings.HasSuffix(path, "/pipes/"+unknownID):
			method = "GET"
		}
		body := `{"unknown":"member"}` // what does not exist is not found, whatever is sent
		if method == "GET" {
			body = ""
		}
		if message := refused(t, s, http.StatusNotFound, method, path, body); !strings.Contains(message, "not found") {
			t.Errorf("%s: %s", path, message)
		}
	}
}

func TestRouting(t *testing.T) {
	t.Parallel()
	s := New()
	for _, path := range []string{
		"/", "/v1", "/v2" + strings.TrimPrefix(pipePath, "/v1"), organizationPath, organizationPath + "/services",
		servicePath + "/", pipePath + "/", "/" + pipePath, pipePath + "/state", servicePath + "/pipes", servicePath + "/pipes/a%2Fb",
	} {
		refused(t, s, http.StatusNotFound, "GET", path, "")
	}
	for path, allowed := range map[string]string{
		servicePath:              "PATCH",
		servicePath + "/backups": "GET",
		pipePath:                 "GET",
		pipePath + "/scaling":    "PATCH",
		pipePath + "/settings":   "PUT",
		keyPath:                  "PATCH",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			if method == allowed {
				continue
			}
			w := send(s, method, path, "")
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allowed {
				t.Errorf("%s %s: %d, Allow %q", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
}

func TestIDsAreUUIDsOf36Characters(t *testing.T) {
	t.Parallel()
	s := New()
	for _, id := range []string{
		"x",
		"22222222222242228222111111111111",
		"%7B22222222-2222-4222-8222-111111111111%7D",
		"urn:uuid:22222222-2222-4222-8222-111111111111",
		"22222222-2222-4222-8222-11111111111",
		"22222222-2222-4222-8222-1111111111111",
		"22222222-2222-4222-8222-11111111111g",
		"2222222222-22-4222-8222-111111111111",
		"..",
	} {
		for path, name := range map[string]string{
			servicePath + "/pipes/" + id:                                             "pipeId",
			organizationPath + "/services/" + id + "/pipes/" + KafkaPipeID:           "serviceId",
			"/v1/organizations/" + id + "/services/" + ServiceID + "/backups":        "organizationId",
			"/v1/organizations/" + OrganizationID + "/services/" + id + "/backups":   "serviceId",
			"/v1/organizations/" + unknownID + "/services/" + ServiceID + "/pipes/a": "pipeId",
		} {
			if message := refused(t, s, http.StatusBadRequest, "GET", path, ""); !strings.Contains(message, name) {
				t.Errorf("%s: the message does not name %s: %s", path, name, message)
			}
		}
		refused(t, s, http.StatusBadRequest, "PATCH", organizationPath+"/keys/"+id, "{}")
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	s := New()
	for contentType, want := range map[string]int{
		"application/json":                  200,
		"application/json; charset=utf-8":   200,
		"Application/JSON":                  200,
		"":                                  415,
		"text/plain":                        415,
		"application/x-www-form-urlencoded": 415,
		"application/merge-patch+json":      415,
		"application/json;":                 200,
		"json":                              415,
	} {
		r := request("PATCH", keyPath, "{}")
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: %d, want %d", contentType, w.Code, want)
		}
	}
}

func TestBodiesThatAreNoObject(t *testing.T) {
	t.Parallel()
	s := New()
	for body, want := range map[string]string{
		`{`:                 "not JSON",
		`{"name":}`:         "not JSON",
		`{} {}`:             "more than one JSON value",
		`{},`:               "more than one JSON value",
		`null`:              "body: ",
		`[]`:                "body: ",
		`"{}"`:              "body: ",
		`1`:                 "body: ",
		" ":                 "not JSON",
		`{"name":"a"`:       "not JSON",
		`{"expireAt":0x10}`: "not JSON",
	} {
		for path, method := range map[string]string{servicePath: "PATCH", keyPath: "PATCH", pipePath + "/scaling": "PATCH", pipePath + "/settings": "PUT"} {
			if message := refused(t, s, http.StatusBadRequest, method, path, body); !strings.Contains(message, want) {
				t.Errorf("%s %q: %s", path, body, message)
			}
		}
	}
	refused(t, s, http.StatusBadRequest, "GET", pipePath, `{}`)
}

func TestNoBody(t *testing.T) {
	t.Parallel()
	r := request("PATCH", keyPath, "")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	New().ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest {
		t.Errorf("no body: %d", w.Code)
	}
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	s := New()
	const limit = 1048576
	fits := `{"name":"` + strings.Repeat("x", limit-len(`{"name":""}`)) + `"}`
	result[Object](t, s, "PATCH", keyPath, fits)
	refused(t, s, http.StatusRequestEntityTooLarge, "PATCH", keyPath, fits+" ")
}

func TestBodyThatEndsTooEarly(t *testing.T) {
	t.Parallel()
	s := New()
	r := request("PATCH", keyPath, "{}")
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"name":"x"}`), brokenReader{}))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || s.Object(Key, APIKeyID)["name"] != "Deployment" {
		t.Errorf("%d, %v", w.Code, s.Object(Key, APIKeyID)["name"])
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// What is refused names the member and changes nothing, even where other
// members are right.
func TestRefusedBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ method, path, body, names string }{
		{"PATCH", servicePath, `{"id":"x"}`, `"id"`},
		{"PATCH", servicePath, `{"name":"ok","numReplicas":4}`, `"numReplicas"`},
		{"PATCH", servicePath, `{"name":null}`, "name"},
		{"PATCH", servicePath, `{"name":5}`, "name"},
		{"PATCH", servicePath, `{"name":"a-b"}`, "name"},
		{"PATCH", servicePath, `{"name":"a_b"}`, "name"},
		{"PATCH", servicePath, `{"name":"ä"}`, "name"},
		{"PATCH", servicePath, `{"name":"a\u00a0b"}`, "name"},
		{"PATCH", servicePath, `{"name":"ok","ipAccessList":[]}`, "ipAccessList"},
		{"PATCH", servicePath, `{"name":"ok","ipAccessList":null}`, "ipAccessList"},
		{"PATCH", servicePath, `{"ipAccessList":{"replace":[]}}`, `ipAccessList: property "replace"`},
		{"PATCH", servicePath, `{"ipAccessList":{"add":null}}`, "ipAccessList.add"},
		{"PATCH", servicePath, `{"ipAccessList":{"add":["10.0.0.0/8"]}}`, "ipAccessList.add.0"},
		{"PATCH", servicePath, `{"ipAccessList":{"add":[{"source":"a"},{"source":null}]}}`, "ipAccessList.add.1.source"},
		{"PATCH", servicePath, `{"ipAccessList":{"remove":[{"source":"a","description":null}]}}`, "ipAccessList.remove.0.description"},
		{"PATCH", servicePath, `{"ipAccessList":{"add":[{"cidr":"a"}]}}`, `"cidr"`},
		{"PATCH", servicePath, `{"privateEndpointIds":["a"]}`, "privateEndpointIds"},
		{"PATCH", servicePath, `{"privateEndpointIds":{"add":[1]}}`, "privateEndpointIds.add.0"},
		{"PATCH", servicePath, `{"privateEndpointIds":{"set":["a"]}}`, `"set"`},
		{"PATCH", servicePath, `{"releaseChannel":"FAST"}`, "releaseChannel"},
		{"PATCH", servicePath, `{"releaseChannel":""}`, "releaseChannel"},
		{"PATCH", servicePath, `{"releaseChannel":null}`, "releaseChannel"},
		{"PATCH", servicePath, `{"endpoints":{"mysql":true}}`, "endpoints"},
		{"PATCH", servicePath, `{"endpoints":[{"protocol":"mysql","enabled":"yes"}]}`, "endpoints.0.enabled"},
		{"PATCH", servicePath, `{"endpoints":[{"protocol":"mysql","port":1}]}`, `"port"`},
		{"PATCH", servicePath, `{"transparentDataEncryptionKeyId":null}`, "transparentDataEncryptionKeyId"},

		{"PATCH", keyPath, `{"name":null}`, "name"},
		{"PATCH", keyPath, `{"roles":null}`, "roles"},
		{"PATCH", keyPath, `{"roles":[]}`, "roles"},
		{"PATCH", keyPath, `{"name":"ok","roles":["admin","owner"]}`, "roles.1"},
		{"PATCH", keyPath, `{"roles":["Admin"]}`, "roles.0"},
		{"PATCH", keyPath, `{"roles":"admin"}`, "roles"},
		{"PATCH", keyPath, `{"state":"expired"}`, "state"},
		{"PATCH", keyPath, `{"state":null}`, "state"},
		{"PATCH", keyPath, `{"state":true}`, "state"},
		{"PATCH", keyPath, `{"expireAt":"tomorrow"}`, "expireAt"},
		{"PATCH", keyPath, `{"expireAt":"2030-01-01"}`, "expireAt"},
		{"PATCH", keyPath, `{"expireAt":"2030-02-30T00:00:00Z"}`, "expireAt"},
		{"PATCH", keyPath, `{"expireAt":"2030-01-01T00:00:00"}`, "expireAt"},
		{"PATCH", keyPath, `{"expireAt":"2030-01-01 00:00:00Z"}`, "expireAt"},
		{"PATCH", keyPath, `{"expireAt":1893456000}`, "expireAt"},
		{"PATCH", keyPath, `{"expireAt":" "}`, "expireAt"},
		{"PATCH", keyPath, `{"ipAccessList":null}`, "ipAccessList"},
		{"PATCH", keyPath, `{"ipAccessList":{"add":[]}}`, "ipAccessList"},
		{"PATCH", keyPath, `{"keySuffix":"x"}`, `"keySuffix"`},

		{"PATCH", pipePath + "/scaling", `{"replicas":3,"workers":1}`, `"workers"`},
		{"PATCH", pipePath + "/scaling", `{"scaling":{"replicas":3}}`, `"scaling"`},
		{"PATCH", pipePath + "/scaling", `{"replicas":"3"}`, "replicas"},
		{"PATCH", pipePath + "/scaling", `{"replicas":3.5}`, "replicas"},
		{"PATCH", pipePath + "/scaling", `{"replicas":true}`, "replicas"},
		{"PATCH", pipePath + "/scaling", `{"concurrency":0.1}`, "concurrency"},
		{"PATCH", pipePath + "/scaling", `{"replicaCpuMillicores":125.5}`, "replicaCpuMillicores"},
		{"PATCH", pipePath + "/scaling", `{"replicaMemoryGb":"1"}`, "replicaMemoryGb"},
		{"PATCH", pipePath + "/scaling", `{"replicas":9223372036854775808}`, "replicas"},
		{"PATCH", pipePath + "/scaling", `{"replicas":1e400}`, "Inf"},

		{"PUT", pipePath + "/settings", `{"db_max_threads":8,"db_future":1}`, `"db_future"`},
		{"PUT", pipePath + "/settings", `{"DB_MAX_THREADS":8}`, `"DB_MAX_THREADS"`},
		{"PUT", pipePath + "/settings", `{"db_max_threads":"8"}`, "db_max_threads"},
		{"PUT", pipePath + "/settings", `{"db_max_threads":1.5}`, "db_max_threads"},
		{"PUT", pipePath + "/settings", `{"db_parallel_view_processing":1}`, "db_parallel_view_processing"},
		{"PUT", pipePath + "/settings", `{"object_storage_use_cluster_function":"true"}`, "object_storage_use_cluster_function"},
		{"PUT", pipePath + "/settings", `{"db_min_insert_block_size_bytes":18446744073709551615}`, "db_min_insert_block_size_bytes"},
	} {
		t.Run(test.body, func(t *testing.T) {
			t.Parallel()
			s := New()
			before := []Object{s.Object(Service, ServiceID), s.Object(Key, APIKeyID), s.Object(Pipe, KafkaPipeID)}
			if message := refused(t, s, http.StatusBadRequest, test.method, test.path, test.body); !strings.Contains(message, test.names) {
				t.Errorf("the message does not name %s: %s", test.names, message)
			}
			for i, after := range []Object{s.Object(Service, ServiceID), s.Object(Key, APIKeyID), s.Object(Pipe, KafkaPipeID)} {
				sameObjects(t, before[i], after)
			}
		})
	}
}

func TestEveryFaultIsNamed(t *testing.T) {
	t.Parallel()
	message := refused(t, New(), http.StatusBadRequest, "PATCH", pipePath+"/scaling", `{"replicas":11,"concurrency":-1,"replicaMemoryGb":0.1}`)
	const want = "concurrency: number must be at least 0; replicaMemoryGb: number must be at least 0.5; replicas: number must be at most 10"
	if message != want {
		t.Errorf("got  %s\nwant %s", message, want)
	}
}
