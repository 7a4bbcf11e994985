package mockapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Every write can be acted on while the client does not get its response.
func TestFaultAfterActing(t *testing.T) {
	t.Parallel()
	for _, write := range []struct{ operation, method, path, body, marker string }{
		{"scalePipe", "PATCH", pipePath + "/scaling", `{"replicas":9}`, `"replicas":9`},
		{"updatePipeSettings", "PUT", pipePath + "/settings", `{"db_max_threads":33}`, `"db_max_threads":33`},
		{"updateService", "PATCH", servicePath, `{"name":"Acted"}`, `"name":"Acted"`},
		{"updateKey", "PATCH", keyPath, `{"name":"Acted"}`, `"name":"Acted"`},
	} {
		for _, fault := range []Fault{{Status: 502}, {Kind: FaultHTML, Status: 502}, {Kind: FaultReset}, {Kind: FaultHang}, {Kind: FaultCut}} {
			for _, acted := range []bool{false, true} {
				if fault.Kind == FaultCut && !acted {
					continue // it always acts
				}
				t.Run(fmt.Sprintf("%s/%s%d,%v", write.operation, fault.Kind, fault.Status, acted), func(t *testing.T) {
					t.Parallel()
					s := New()
					played := fault // shared by two subtests
					played.Operation, played.Times, played.AfterActing = write.operation, 1, acted
					remove := s.Fail(played)
					s.After(write.operation, 1, remove) // ends a hang
					ctx, cancel := context.WithCancel(t.Context())
					if cancel(); acted {
						ctx = t.Context()
					}
					if status := lost(s, request(write.method, write.path, write.body).WithContext(ctx)); status == http.StatusOK {
						t.Errorf("status %d", status)
					}
					var stored []byte
					for kind, id := range map[Kind]string{Pipe: KafkaPipeID, Service: ServiceID, Key: APIKeyID} {
						object, _ := json.Marshal(s.Object(kind, id))
						stored = append(stored, object...)
					}
					if got := strings.Contains(string(stored), write.marker); got != acted {
						t.Errorf("acted: %v", got)
					}
				})
			}
		}
	}
}

// lost sends a request whose response may be lost: the status is then 0.
func lost(s *Server, r *http.Request) (status int) {
	w := httptest.NewRecorder()
	defer func() {
		if aborted := recover(); aborted != nil {
			status = 0
		}
	}()
	s.ServeHTTP(w, r)
	return w.Code
}
