package mockapi

import (
	"strings"
	"testing"
)

const postgresPath = servicePath + "/pipes/" + PostgresPipeID

func TestRefuseForeignSettings(t *testing.T) {
	t.Parallel()
	for id, refuses := range map[string]string{
		KafkaPipeID: "object_storage_concurrency", KinesisPipeID: "object_storage_concurrency",
		ObjectStoragePipeID: "streaming_max_insert_wait_ms", PostgresPipeID: "object_storage_concurrency",
	} {
		s := New(WithVariants(Variants{RefuseForeignSettings: true, SettingsPut: Merge}))
		path := servicePath + "/pipes/" + id
		before := s.Object(Pipe, id)
		message := refused(t, s, 400, "PUT", path+"/settings", `{"db_max_threads":1,"object_storage_concurrency":4,"streaming_max_insert_wait_ms":600}`)
		if !strings.Contains(message, refuses+" is only supported for ") {
			t.Errorf("%s: %s", id, message)
		}
		sameObjects(t, before, s.Object(Pipe, id))
		if settings := result[Object](t, s, "GET", path, "")["settings"].(Object); settings[refuses] == nil {
			t.Errorf("%s: a GET does not show %s", id, refuses)
		}
		s.SetVariants(Variants{RefuseForeignSettings: true, SettingsPut: Forget})
		if settings := result[Object](t, s, "PUT", path+"/settings", `{"db_max_threads":1}`); settings[refuses] != before["settings"].(Object)[refuses] {
			t.Errorf("%s: %s is %v after a PUT that cannot send it", id, refuses, settings[refuses])
		}
		own := map[string]string{KafkaPipeID: "streaming_max_insert_wait_ms", KinesisPipeID: "streaming_max_insert_wait_ms", ObjectStoragePipeID: "object_storage_max_file_count"}[id]
		if own != "" {
			result[Object](t, s, "PUT", path+"/settings", `{"`+own+`":600}`)
		}
	}
}

func TestRefuseExtraSetting(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{RefuseExtraSetting: true}))
	if got := result[Object](t, s, "GET", pipePath, "")["settings"].(Object)["db_future_setting"]; got != int64(9007199254740993) {
		t.Errorf("a GET shows %v", got)
	}
	for _, both := range []bool{false, true} {
		s.SetVariants(Variants{RefuseExtraSetting: true, ExtraMembers: both})
		if message := refused(t, s, 400, "PUT", pipePath+"/settings", `{"db_max_threads":1,"db_future_setting":9007199254740993}`); !strings.Contains(message, "db_future_setting") {
			t.Errorf("the setting is not named: %s", message)
		}
	}
	s.SetVariants(Variants{RefuseExtraSetting: true, SettingsPut: Forget})
	if settings := result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":1}`); settings["db_future_setting"] == nil {
		t.Error("a setting that cannot be sent is forgotten")
	}
}

func TestPostgresSettings(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 405} {
		s := New(WithVariants(Variants{PostgresSettings: status}))
		refused(t, s, status, "PUT", postgresPath+"/settings", `{"db_max_threads":1}`)
		if settings := result[Object](t, s, "GET", postgresPath, "")["settings"].(Object); len(settings) == 0 {
			t.Error("a GET shows no settings")
		}
		result[Object](t, s, "PATCH", postgresPath+"/scaling", `{"replicas":3}`)
		result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":1}`)
	}
}

func TestReadOnlyKey(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{ReadOnlyKey: true}))
	for path, body := range map[string]string{servicePath: `{}`, keyPath: `{}`, pipePath + "/scaling": `{"replicas":3}`} {
		refused(t, s, 403, "PATCH", path, body)
	}
	refused(t, s, 403, "PATCH", servicePath, `{"name":"x"}`)
	refused(t, s, 403, "PUT", pipePath+"/settings", `{"db_max_threads":1}`)
	result[Object](t, s, "GET", pipePath, "")
	result[[]any](t, s, "GET", servicePath+"/backups", "")
}

func TestIdleService(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{IdleService: true}))
	for _, step := range [][3]string{
		{"GET", pipePath, ""},
		{"GET", servicePath + "/backups", ""},
		{"PATCH", servicePath, `{}`},
		{"PATCH", pipePath + "/scaling", `{"replicas":3}`},
		{"PUT", pipePath + "/settings", `{"db_max_threads":1}`},
	} {
		if message := refused(t, s, 424, step[0], step[1], step[2]); !strings.HasPrefix(message, "FAILED_DEPENDENCY: ") || !strings.HasSuffix(message, "Current state: idle") {
			t.Errorf("%s", message)
		}
	}
	result[Object](t, s, "PATCH", keyPath, `{}`)
	refused(t, s, 404, "GET", servicePath+"/pipes/"+unknownID, "")
	s.SetVariants(Variants{})
	result[Object](t, s, "GET", pipePath, "")
}

func TestFrozenRoles(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{FrozenRoles: true}))
	key := result[Object](t, s, "PATCH", keyPath, `{"name":"Renamed","roles":["query_endpoints"]}`)
	same(t, "roles", key["roles"], `["admin","developer"]`)
	if key["name"] != "Renamed" {
		t.Errorf("name %v", key["name"])
	}
	same(t, "roles later", result[Object](t, s, "PATCH", keyPath, `{}`)["roles"], `["admin","developer"]`)
	refused(t, s, 400, "PATCH", keyPath, `{"roles":[]}`)
}

func TestGone(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{Gone: true}))
	s.Forget(Key, APIKeyID)
	refused(t, s, 410, "PATCH", keyPath, `{}`)
	refused(t, s, 410, "GET", servicePath+"/pipes/"+unknownID, "")
	refused(t, s, 404, "GET", "/nowhere", "")
}

func TestBare429(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{Bare429: true, ErrorShape: ErrorHTML}))
	s.LimitRate(1, 1<<40, RateLimitSilent)
	send(s, "GET", pipePath, "")
	if w := send(s, "GET", pipePath, ""); w.Code != 429 || w.Body.String() != `{"error":"TOO_MANY_REQUESTS"}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTerseHTML(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{ErrorShape: ErrorTerseHTML, RefuseEmptyPatch: 422}))
	w := send(s, "PATCH", keyPath, `{}`)
	if w.Code != 422 || w.Body.String() != "<title>422</title><body>body: at least one member is required</body>\n" ||
		!strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestRemoveByAndRefusedAdditions(t *testing.T) {
	t.Parallel()
	const first = `{"source":"10.0.0.0/8","description":"private network"}`
	for name, test := range map[string]struct {
		variants     Variants
		change, want string // want "": 400
	}{
		"twice, removed by source": {Variants{EntryIdentity: Whole, RemoveBy: RemoveBySource}, `"add":[{"source":"192.0.2.7","description":"new"}],"remove":[{"source":"192.0.2.7","description":"office"}]`, `[` + first + `]`},
		"twice, removed by source first": {
			Variants{EntryIdentity: Whole, RemoveBy: RemoveBySource, RemoveBeforeAdd: true},
			`"add":[{"source":"192.0.2.7","description":"new"}],"remove":[{"source":"192.0.2.7","description":"office"}]`, `[` + first + `,{"source":"192.0.2.7","description":"new"}]`,
		},
		"once, removed whole":        {Variants{RemoveBy: RemoveByWhole}, `"remove":[{"source":"192.0.2.7"},` + first + `]`, `[{"source":"192.0.2.7","description":"office"}]`},
		"once, replaced and removed": {Variants{RemoveBy: RemoveByWhole}, `"add":[{"source":"192.0.2.7","description":"new"}],"remove":[{"source":"192.0.2.7","description":"office"}]`, `[` + first + `,{"source":"192.0.2.7","description":"new"}]`},
		"refused with 400":           {Variants{AddExisting: RefuseBadRequest}, `"add":[{"source":"192.0.2.7","description":"new"}]`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(WithVariants(test.variants))
			body := `{"name":"changed","ipAccessList":{` + test.change + `}}`
			if test.want == "" {
				before := s.Object(Service, ServiceID)
				refused(t, s, 400, "PATCH", servicePath, body)
				sameObjects(t, before, s.Object(Service, ServiceID))
				return
			}
			same(t, "list", result[Object](t, s, "PATCH", servicePath, body)["ipAccessList"], test.want)
		})
	}
}
