package mockapi

import (
	"strings"
	"testing"
)

// Members of another type than openapi.yaml has.
func TestMembersOfAnotherType(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants Variants
		path     string
		parts    []string // of the body
	}{
		"quantities": {Variants{ScalingQuantities: true}, pipePath, []string{
			`"replicaCpuMillicores":"250m"`, `"replicaMemoryGb":"1.5Gi"`, `"replicas":2}`, `"status":200}`,
		}},
		"quantities over quotes": {Variants{ScalingQuantities: true, Numbers: Quoted}, pipePath, []string{
			`"replicaCpuMillicores":"250m"`, `"replicaMemoryGb":"1.5Gi"`, `"replicas":"2"}`,
		}},
		"quotes": {Variants{Numbers: Quoted}, pipePath, []string{
			`"replicaCpuMillicores":"250"`, `"replicaMemoryGb":"1.5"`, `"db_max_threads":"8"`, `"object_storage_use_cluster_function":true`, `"status":200}`,
		}},
		"quotes, service":  {Variants{Numbers: Quoted}, servicePath, []string{`"port":"3306"`, `"maxTotalMemoryGb":"48.5"`, `"numReplicas":"3"`}},
		"quotes, backups":  {Variants{Numbers: Quoted}, servicePath + "/backups", []string{`"sizeInBytes":"9007199254740993"`, `"durationInSeconds":"1200"`}},
		"decimals":         {Variants{BackupNumbers: BackupDecimal}, servicePath + "/backups", []string{`"sizeInBytes":9007199254740993.0`, `"durationInSeconds":1200.0`}},
		"halves":           {Variants{BackupNumbers: BackupHalf}, servicePath + "/backups", []string{`"sizeInBytes":9007199254740993.5`, `"durationInSeconds":1200.5`}},
		"halves of a pipe": {Variants{BackupNumbers: BackupHalf}, pipePath, []string{`"replicas":2}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method, body := "GET", ""
			if test.path == servicePath {
				method, body = "PATCH", "{}"
			}
			w := send(New(WithVariants(test.variants)), method, test.path, body)
			if w.Code != 200 {
				t.Errorf("status %d", w.Code)
			}
			for _, part := range test.parts {
				if !strings.Contains(w.Body.String(), part) {
					t.Errorf("no %s in %s", part, w.Body)
				}
			}
		})
	}
}

// Only the shown types are of another kind: what does not fit openapi.yaml
// otherwise is still refused.
func TestTypesAreCheckedBeforeTheyAreChanged(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{Numbers: Quoted, ScalingQuantities: true, BackupNumbers: BackupHalf}))
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["scaling"].(Object)["replicas"] = "two" })
	refused(t, s, 501, "GET", pipePath, "")
}

// A settings PUT takes quoted numbers as they are shown, and no others.
func TestQuotedSettingsCanBeSentBack(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{Numbers: Quoted}))
	result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":"8","db_max_insert_threads":5}`)
	same(t, "stored", s.Object(Pipe, KafkaPipeID)["settings"].(Object)["db_max_threads"], `8`)
	same(t, "stored", s.Object(Pipe, KafkaPipeID)["settings"].(Object)["db_max_insert_threads"], `5`)
	refused(t, s, 400, "PUT", pipePath+"/settings", `{"db_max_threads":"9"}`)
	s.SetVariants(Variants{})
	refused(t, s, 400, "PUT", pipePath+"/settings", `{"db_max_threads":"8"}`)

	s.SetVariants(Variants{Numbers: Quoted, ExtraMembers: true})
	result[Object](t, s, "PUT", pipePath+"/settings", `{"db_future_setting":"9007199254740993"}`)
	same(t, "extra", s.Object(Pipe, KafkaPipeID)["settings"].(Object)["db_future_setting"], `9007199254740993`)
}

func TestBackupStatus(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{BackupStatus: true}))
	var shown []string
	for _, backup := range result[[]any](t, s, "GET", servicePath+"/backups", "") {
		backup := backup.(Object)
		finished, _ := backup["finishedAt"].(string)
		shown = append(shown, backup["status"].(string)+" "+backup["type"].(string)+" "+finished)
	}
	const want = `done full 2025-07-02T01:20:00Z
done full 2025-07-03T01:25:30Z
in_progress full 
done full 2025-07-01T03:46:40Z
error full 2025-07-05T01:00:20Z
in_progress full 0001-01-01T00:00:00Z`
	if got := strings.Join(shown, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	same(t, "no backups", result[[]any](t, s, "GET", otherServicePath+"/backups", ""), `[]`)
	s.SetVariants(Variants{})
	if backups := result[[]any](t, s, "GET", servicePath+"/backups", ""); len(backups) != 4 || backups[0].(Object)["status"] != nil {
		t.Errorf("plain: %v", backups)
	}
	setBackups(s, ServiceID, Object{"id": unknownID, "status": "error"})
	if backups := result[[]any](t, s, "GET", servicePath+"/backups", ""); backups[0].(Object)["status"] != "error" {
		t.Errorf("a status of its own: %v", backups)
	}
}

func TestUsedAtMoves(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{UsedAtMoves: true}))
	first := result[Object](t, s, "PATCH", keyPath, `{}`)["usedAt"]
	if second := result[Object](t, s, "PATCH", keyPath, `{}`)["usedAt"]; first == second {
		t.Errorf("usedAt stays %v", first)
	}
	s.SetVariants(Variants{})
	third := result[Object](t, s, "PATCH", keyPath, `{}`)["usedAt"]
	if fourth := result[Object](t, s, "PATCH", keyPath, `{}`)["usedAt"]; third != fourth {
		t.Errorf("plain: usedAt moves from %v to %v", third, fourth)
	}
}
