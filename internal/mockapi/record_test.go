package mockapi

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(WithClock(func() time.Time { return now }))
	send(s, scalingPath, `{"replicas": 3}`)
	send(s, "/nowhere", "")
	send(s, keyPath, `{"roles":[]}`)
	contentType := http.Header{"Content-Type": {"application/json"}}
	want := []Request{
		{Operation: "scalePipe", Method: "PATCH", Path: scalingPath, Body: []byte(`{"replicas": 3}`), Status: 200, Header: contentType, Time: now},
		{Operation: "", Method: "GET", Path: "/nowhere", Body: []byte{}, Status: 404, Header: http.Header{}, Time: now},
		{Operation: "updateKey", Method: "PATCH", Path: keyPath, Body: []byte(`{"roles":[]}`), Status: 400, Header: contentType, Time: now},
	}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Error(diff)
	}
	s.ResetRequests()
	if got := s.Requests(); len(got) != 0 {
		t.Errorf("after the reset: %v", got)
	}
}

func TestSent(t *testing.T) {
	t.Parallel()
	s := New()
	send(s, keyPath, "{ \"name\" : \"a b\",\n \"expireAt\": null }")
	send(s, servicePath, `{}`)
	send(s, keyPath, `{"b":1,"a":2}`)
	send(s, keyPath, `no JSON {`)
	if diff := cmp.Diff([]string{`{"name":"a b","expireAt":null}`, `{"b":1,"a":2}`, `no JSON {`}, s.Sent("updateKey")); diff != "" {
		t.Error(diff)
	}
	if got := s.Sent("scalePipe"); len(got) != 0 {
		t.Errorf("scalePipe: %v", got)
	}
}

func TestLogMasksSecrets(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := New(WithLogger(slog.New(slog.NewJSONHandler(&out, nil))))
	send(s, pipePath, "")
	send(s, keyPath, `{"name":"seen","apiSecret": "hidd\"en","Password":"hidden","note":"mock-key-secret"}`)
	contains(t, out.String(), `"method":"GET"`, `"path":"`+pipePath+`"`, `"status":200`, `"duration":`,
		`"body":"{\"name\":\"seen\",\"apiSecret\": \"***\",\"Password\":\"***\",\"note\":\"***\"}","status":400`)
	for _, secret := range []string{"mock-key-secret", "hidd"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%s is logged: %s", secret, out.String())
		}
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		s.Latency(time.Minute)
		start := time.Now()
		object(t, s, pipePath, "")
		if took := time.Since(start); took != time.Minute {
			t.Errorf("responded after %v", took)
		}
	})
}

// Everything at once, for the race detector. No write is lost.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := New()
	ids := s.AddPipes(20)
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() {
			path := servicePath + "/pipes/" + id
			send(s, path+"/scaling", fmt.Sprintf(`{"replicas":%d}`, i%10+1))
			send(s, path+"/settings", fmt.Sprintf(`{"db_max_threads":%d}`, i))
			send(s, servicePath, fmt.Sprintf(`{"ipAccessList":{"add":[{"source":"192.0.2.%d"}]}}`, 100+i))
			send(s, path, "")
		})
		group.Go(func() {
			s.Change(Key, APIKeyID, func(key Object) { key["name"] = id })
			s.Object(Pipe, id)
			s.SetVariants(Variants{Shuffle: i%2 == 0, ExtraMembers: i%3 == 0})
			remove := s.Fail(Fault{Operation: "listBackups", Status: 500})
			send(s, backupsPath, "")
			remove()
			s.LimitRate(1_000_000, time.Second, RateLimitSilent)
			s.Requests()
			s.Sent("scalePipe")
		})
	}
	group.Wait()
	for i, id := range ids {
		pipe := s.Object(Pipe, id)
		same(t, id, []any{pipe["scaling"].(Object)["replicas"], pipe["settings"].(Object)["db_max_threads"]}, fmt.Sprintf(`[%d,%d]`, i%10+1, i))
	}
	if got := len(list(s.Object(Service, ServiceID), "ipAccessList")); got != 22 {
		t.Errorf("%d access entries", got)
	}
}
