package mockapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUpdatePipeSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants Variants
		second   string
		threads  any // db_max_threads, whose default is 8, after {"db_max_threads":5} and second
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
			object(t, s, settingsPath, `{"db_max_threads":5}`)
			response := object(t, s, settingsPath, test.second)
			settings := object(t, s, pipePath, "")["settings"].(Object)
			if settings["db_max_threads"] != test.threads {
				t.Errorf("db_max_threads is %v, want %v", settings["db_max_threads"], test.threads)
			}
			if test.variants.SparseSettingsResponse {
				same(t, "response", response, test.second)
			} else if diff := cmp.Diff(settings, response); diff != "" {
				t.Errorf("(-read +response):\n%s", diff)
			}
		})
	}
}

func TestIgnoreNullsOfScaling(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{IgnoreNulls: true}))
	object(t, s, scalingPath, `{"replicas":7}`)
	same(t, "scaling", object(t, s, scalingPath, `{"replicas":null,"concurrency":1}`)["scaling"],
		`{"replicas":7,"concurrency":1,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`)
}

// A refused setting is shown by a GET, and a PUT that leaves it out keeps it.
func TestRefuseForeignSettings(t *testing.T) {
	t.Parallel()
	for id, setting := range map[string]struct{ foreign, own, value string }{
		KafkaPipeID:         {"object_storage_concurrency", "streaming_max_insert_wait_ms", "600"},
		KinesisPipeID:       {"object_storage_concurrency", "streaming_max_insert_wait_ms", "600"},
		ObjectStoragePipeID: {"streaming_max_insert_wait_ms", "object_storage_max_file_count", "600"},
		PostgresPipeID:      {"object_storage_concurrency", "db_max_threads", "1"},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := New(WithVariants(Variants{RefuseForeignSettings: true, SettingsPut: Forget}))
			path := servicePath + "/pipes/" + id
			before := object(t, s, path, "")["settings"].(Object)
			message := refused(t, s, 400, path+"/settings", `{"db_max_threads":1,"object_storage_concurrency":4,"streaming_max_insert_wait_ms":600}`)
			contains(t, message, setting.foreign+" is only supported for ")
			if diff := cmp.Diff(before, object(t, s, path, "")["settings"]); diff != "" {
				t.Errorf("the refused PUT changed (-before +after):\n%s", diff)
			}
			settings := object(t, s, path+"/settings", `{"`+setting.own+`":`+setting.value+`}`)
			if settings[setting.foreign] == nil || settings[setting.foreign] != before[setting.foreign] {
				t.Errorf("%s is %v after a PUT that cannot send it", setting.foreign, settings[setting.foreign])
			}
		})
	}
}

// A PUT takes settings in the form in which a GET shows them, also one that
// openapi.yaml does not have, and in no other undocumented form.
func TestUndocumentedSettings(t *testing.T) {
	t.Parallel()
	extra, refuses := Variants{ExtraMembers: true}, Variants{RefuseExtraSetting: true}
	for _, test := range []struct {
		variants Variants
		body     string
		stored   string // after an accepted PUT
		refused  string // in the error
	}{
		{variants: extra, body: `{"db_future_setting":9007199254740995}`, stored: `{"db_max_threads":8,"db_future_setting":9007199254740995}`},
		{variants: extra, body: `{"db_max_threads":5}`, stored: `{"db_max_threads":5,"db_future_setting":9007199254740993}`},
		{variants: extra, body: `{"db_other_setting":1}`, refused: "db_other_setting"},
		{variants: Variants{}, body: `{"db_max_threads":5}`, stored: `{"db_max_threads":5}`},
		{variants: Variants{}, body: `{"db_future_setting":1}`, refused: "db_future_setting"},
		{variants: refuses, body: `{"db_max_threads":5,"db_future_setting":9007199254740993}`, refused: "db_future_setting"},
		{variants: Variants{RefuseExtraSetting: true, ExtraMembers: true}, body: `{"db_future_setting":9007199254740993}`, refused: "db_future_setting"},
		{variants: Variants{RefuseExtraSetting: true, SettingsPut: Forget}, body: `{"db_max_threads":5}`, stored: `{"db_max_threads":5,"db_future_setting":9007199254740993}`},
		{variants: Variants{Numbers: Quoted}, body: `{"db_max_threads":"8"}`, stored: `{"db_max_threads":8}`},
		{variants: Variants{Numbers: Quoted}, body: `{"db_max_threads":5}`, stored: `{"db_max_threads":5}`},
		{variants: Variants{Numbers: Quoted}, body: `{"db_max_threads":"9"}`, refused: "db_max_threads"},
		{
			variants: Variants{Numbers: Quoted, ExtraMembers: true}, body: `{"db_future_setting":"9007199254740993"}`,
			stored: `{"db_max_threads":8,"db_future_setting":9007199254740993}`,
		},
	} {
		s := New(WithVariants(test.variants))
		if test.refused != "" {
			contains(t, refused(t, s, 400, settingsPath, test.body), test.refused)
			continue
		}
		object(t, s, settingsPath, test.body)
		same(t, test.body, only(storedAt(s, settingsPath), Object{"db_max_threads": 0, "db_future_setting": 0}), test.stored)
	}

	s := New()
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["settings"].(Object)["db_other_setting"] = "on" })
	object(t, s, settingsPath, `{"db_other_setting":"off"}`)
}

// The variants decide whether a pipe has the undocumented setting.
func TestPipesHaveTheExtraSetting(t *testing.T) {
	t.Parallel()
	s := New()
	s.Change(Pipe, KinesisPipeID, func(pipe Object) { pipe["settings"] = nil })
	for variants, want := range map[Variants]string{
		{}: `null`, {ExtraMembers: true}: `9007199254740993`, {RefuseExtraSetting: true}: `9007199254740993`,
	} {
		s.SetVariants(variants)
		same(t, "a GET", object(t, s, pipePath, "")["settings"].(Object)["db_future_setting"], want)
		added := s.AddPipe(ServiceID, Object{"settings": Object{}})
		same(t, "an added pipe", s.Object(Pipe, added)["settings"].(Object)["db_future_setting"], want)
		same(t, "settings that a test has removed", s.Object(Pipe, KinesisPipeID)["settings"], `null`)
	}
}

func TestSparsePatchResponse(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{SparsePatchResponse: true}))
	for _, test := range []struct{ path, body, want string }{
		{otherServicePath, `{"name":"x","releaseChannel":"fast","ipAccessList":{"add":[{"source":"a"}]}}`, `{"id":"11111111-1111-4111-8111-222222222222","name":"x","ipAccessList":[{"source":"a"}]}`},
		{otherServicePath, `{}`, `{"id":"11111111-1111-4111-8111-222222222222"}`},
		{keyPath, `{"name":"x"}`, `{"id":"33333333-3333-4333-8333-111111111111","name":"x"}`},
		{scalingPath, `{"replicas":3}`, `{"id":"22222222-2222-4222-8222-111111111111","scaling":{"replicas":3}}`},
	} {
		same(t, test.path, object(t, s, test.path, test.body), test.want)
	}
	if pipe := object(t, s, pipePath, ""); len(pipe) != 11 {
		t.Errorf("a GET is sparse: %v", pipe)
	}
}

// Variants that refuse whole operations, and what they still accept.
func TestRefusedOperations(t *testing.T) {
	t.Parallel()
	const rename, scale, put = `{"name":"x"}`, `{"replicas":3}`, `{"db_max_threads":1}`
	type requests map[string]string
	for name, test := range map[string]struct {
		variants          Variants
		status            int
		refused, accepted requests // bodies by path
	}{
		"postgres settings 404": {Variants{PostgresSettings: 404}, 404, requests{postgresPath + "/settings": put}, requests{postgresPath: "", postgresPath + "/scaling": scale, settingsPath: put}},
		"postgres settings 405": {Variants{PostgresSettings: 405}, 405, requests{postgresPath + "/settings": put}, requests{postgresPath: "", postgresPath + "/scaling": scale, settingsPath: put}},
		"read-only key":         {Variants{ReadOnlyKey: true}, 403, requests{servicePath: `{}`, keyPath: rename, scalingPath: scale, settingsPath: put}, requests{pipePath: ""}},
		"idle service":          {Variants{IdleService: true}, 424, requests{pipePath: "", backupsPath: "", servicePath: `{}`, scalingPath: scale, settingsPath: put}, requests{keyPath: `{}`}},
		"empty patch 400":       {Variants{RefuseEmptyPatch: 400}, 400, requests{servicePath: `{}`, keyPath: `{}`}, requests{scalingPath: `{}`, otherServicePath: rename, otherKeyPath: rename}},
		"empty patch 405":       {Variants{RefuseEmptyPatch: 405}, 405, requests{servicePath: `{}`, keyPath: `{}`}, requests{scalingPath: `{}`}},
		"empty patch 422":       {Variants{RefuseEmptyPatch: 422}, 422, requests{servicePath: `{}`, keyPath: `{}`}, requests{scalingPath: `{}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(WithVariants(test.variants))
			for path, body := range test.refused {
				message := refused(t, s, test.status, path, body)
				if test.variants.IdleService {
					contains(t, message, "FAILED_DEPENDENCY: ", "Current state: idle")
				}
			}
			for path, body := range test.accepted {
				object(t, s, path, body)
			}
		})
	}
	refused(t, New(WithVariants(Variants{IdleService: true})), 404, unknownPipe, "")
	result[[]any](t, New(WithVariants(Variants{ReadOnlyKey: true})), backupsPath, "")
}

func TestFrozenRoles(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{FrozenRoles: true}))
	key := object(t, s, keyPath, `{"name":"Renamed","roles":["query_endpoints"]}`)
	same(t, "roles", key["roles"], `["admin","developer"]`)
	if key["name"] != "Renamed" {
		t.Errorf("name %v", key["name"])
	}
	same(t, "roles later", object(t, s, keyPath, `{}`)["roles"], `["admin","developer"]`)
	refused(t, s, 400, keyPath, `{"roles":[]}`)
}
