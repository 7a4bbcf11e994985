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
	send(s, "PATCH", pipePath+"/scaling", `{"replicas": 3}`)
	send(s, "GET", "/nowhere", "")
	send(s, "PATCH", keyPath, `{"roles":[]}`)
	contentType := http.Header{"Content-Type": {"application/json"}}
	want := []Request{
		{Operation: "scalePipe", Method: "PATCH", Path: pipePath + "/scaling", Body: []byte(`{"replicas": 3}`), Status: 200, Header: contentType, Time: now},
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
	send(s, "PATCH", keyPath, "{ \"name\" : \"a b\",\n \"expireAt\": null }")
	send(s, "PATCH", servicePath, `{}`)
	send(s, "PATCH", keyPath, `{"b":1,"a":2}`)
	send(s, "PATCH", keyPath, `no JSON {`)
	if diff := cmp.Diff([]string{`{"name":"a b","expireAt":null}`, `{"b":1,"a":2}`, `no JSON {`}, s.Sent("updateKey")); diff != "" {
		t.Error(diff)
	}
	if got := s.Sent("scalePipe"); len(got) != 0 {
		t.Errorf("scalePipe: %v", got)
	}
}

func TestLargeBodiesAreRecordedInPart(t *testing.T) {
	t.Parallel()
	s := New()
	refused(t, s, http.StatusRequestEntityTooLarge, "PATCH", keyPath, `{"name":"`+strings.Repeat("x", 2<<20)+`"}`)
	if got := len(s.Requests()[0].Body); got != 1048576 {
		t.Errorf("%d bytes", got)
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	s := New()
	client, url := network(t, s)
	for range 3 {
		if _, err := over(t, client, "PATCH", url+keyPath, `{}`, 1<<20); err != nil {
			t.Fatal(err)
		}
		client.CloseIdleConnections()
	}
	if got := s.Connections(); got != 3 {
		t.Errorf("%d connections", got)
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := New(WithLogger(slog.New(slog.NewJSONHandler(&out, nil))))
	send(s, "GET", pipePath, "")
	send(s, "PATCH", keyPath, `{"name":"seen","apiSecret": "hidd\"en","Password":"hidden","note":"mock-key-secret"}`)
	for _, part := range []string{
		`"method":"GET"`, `"path":"` + pipePath + `"`, `"status":200`, `"duration":`,
		`"body":"{\"name\":\"seen\",\"apiSecret\": \"***\",\"Password\":\"***\",\"note\":\"***\"}","status":400`,
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %s in %s", part, out.String())
		}
	}
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
		result[Object](t, s, "GET", pipePath, "")
		if took := time.Since(start); took != time.Minute {
			t.Errorf("responded after %v", took)
		}
	})
}

// Everything at once, for the race detector; no write is lost.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := New()
	ids := s.AddPipes(20)
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() {
			path := servicePath + "/pipes/" + id
			send(s, "PATCH", path+"/scaling", fmt.Sprintf(`{"replicas":%d}`, i%10+1))
			send(s, "PUT", path+"/settings", fmt.Sprintf(`{"db_max_threads":%d}`, i))
			send(s, "PATCH", servicePath, fmt.Sprintf(`{"ipAccessList":{"add":[{"source":"192.0.2.%d"}]}}`, 100+i))
			send(s, "GET", path, "")
		})
		group.Go(func() {
			s.Change(Key, APIKeyID, func(key Object) { key["name"] = id })
			s.Object(Pipe, id)
			s.SetVariants(Variants{Shuffle: i%2 == 0, ExtraMembers: i%3 == 0})
			remove := s.Fail(Fault{Operation: "listBackups", Status: 500})
			send(s, "GET", servicePath+"/backups", "")
			remove()
			s.LimitRate(1_000_000, time.Second, RateLimitSilent)
			s.Requests()
			s.Sent("scalePipe")
		})
	}
	group.Wait()
	for i, id := range ids {
		pipe := s.Object(Pipe, id)
		if got := pipe["scaling"].(Object)["replicas"]; got != int64(i%10+1) {
			t.Errorf("pipe %d: replicas %v", i, got)
		}
		if got := pipe["settings"].(Object)["db_max_threads"]; got != int64(i) {
			t.Errorf("pipe %d: db_max_threads %v", i, got)
		}
	}
	if got := len(list(s.Object(Service, ServiceID), "ipAccessList")); got != 22 {
		t.Errorf("%d access entries", got)
	}
}
