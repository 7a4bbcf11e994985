package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// program is a run of the program in the background.
type program struct {
	stdout *bytes.Buffer
	stderr *syncBuffer
	stop   func() error // ends the run as a signal does
}

// syncBuffer takes the log of requests that are still served.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// announced tells when the program has said where it listens, which is the
// one thing that it writes, and at once.
type announced struct {
	*bytes.Buffer
	done chan struct{}
}

func (a announced) Write(p []byte) (int, error) {
	defer close(a.done)
	return a.Buffer.Write(p)
}

func start(t *testing.T, args ...string) program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	started := program{stdout: &bytes.Buffer{}, stderr: &syncBuffer{}}
	out := announced{started.stdout, make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, args, out, started.stderr) }()
	started.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = started.stop() })
	select {
	case <-out.done:
	case err := <-ended:
		t.Fatalf("the program ended: %v; %s", err, started.stderr)
	case <-time.After(10 * time.Second):
		t.Fatalf("the program says nothing; %s", started.stderr)
	}
	return started
}

// get reads the kafka pipe as a client does.
func get(t *testing.T, s seed) (status int, header http.Header, body string) {
	t.Helper()
	return getPipe(t, s, s.KafkaPipeID)
}

func getPipe(t *testing.T, s seed, id string) (status int, header http.Header, body string) {
	t.Helper()
	url := s.BaseURL + "/v1/organizations/" + s.OrganizationID + "/services/" + s.ServiceID + "/pipes/" + id
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(s.KeyID, s.KeySecret)
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

func TestJSON(t *testing.T) {
	t.Parallel()
	p := start(t, "-json", "-variant", "numbers=decimal", "-variant", "extra_members", "-rate", "1/1h", "-latency", "1ms")
	if lines := strings.Count(p.stdout.String(), "\n"); lines != 1 {
		t.Errorf("%d lines: %s", lines, p.stdout)
	}
	var ids map[string]string
	if err := json.Unmarshal(p.stdout.Bytes(), &ids); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"organization_id":        mockapi.OrganizationID,
		"key_id":                 mockapi.KeyID,
		"key_secret":             mockapi.KeySecret,
		"service_id":             mockapi.ServiceID,
		"other_service_id":       mockapi.OtherServiceID,
		"kafka_pipe_id":          mockapi.KafkaPipeID,
		"object_storage_pipe_id": mockapi.ObjectStoragePipeID,
		"kinesis_pipe_id":        mockapi.KinesisPipeID,
		"postgres_pipe_id":       mockapi.PostgresPipeID,
		"api_key_id":             mockapi.APIKeyID,
		"other_api_key_id":       mockapi.OtherAPIKeyID,
	} {
		if ids[name] != want {
			t.Errorf("%s: %q, want %q", name, ids[name], want)
		}
	}
	var s seed
	if err := json.Unmarshal(p.stdout.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	status, _, body := get(t, s)
	if status != http.StatusOK || !strings.Contains(body, `"replicas":2.0`) || !strings.Contains(body, "db_future_setting") {
		t.Errorf("%d %s", status, body)
	}
	if status, header, _ := get(t, s); status != http.StatusTooManyRequests || header.Get("Retry-After") != "3600" {
		t.Errorf("past the rate: %d %v", status, header)
	}
	if err := p.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	for _, part := range []string{"method=GET path=/v1/organizations/", ` body="" status=200`, "status=429"} {
		if !strings.Contains(p.stderr.String(), part) {
			t.Errorf("no %s in the log: %s", part, p.stderr)
		}
	}
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	p := start(t)
	greeting := p.stdout.String()
	attribute := func(name string) string {
		t.Helper()
		found := regexp.MustCompile(`(?m)^  ` + name + ` += "(.*)"$`).FindStringSubmatch(greeting)
		if found == nil {
			t.Fatalf("no %s in:\n%s", name, greeting)
		}
		return found[1]
	}
	s := seed{
		BaseURL:        attribute("base_url"),
		OrganizationID: attribute("organization_id"),
		KeyID:          attribute("key_id"),
		KeySecret:      attribute("key_secret"),
		ServiceID:      attribute("service_id"),
		KafkaPipeID:    attribute("pipe_id"),
	}
	if status, _, body := get(t, s); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	for _, part := range []string{
		mockapi.ServiceID, mockapi.OtherServiceID, mockapi.KafkaPipeID, mockapi.ObjectStoragePipeID, mockapi.KinesisPipeID, mockapi.PostgresPipeID,
		mockapi.APIKeyID, mockapi.OtherAPIKeyID, `source = "dbplatform/dbplatform"`, `provider "dbplatform" {`, `resource "dbplatform_pipe_scaling" "example" {`,
	} {
		if !strings.Contains(greeting, part) {
			t.Errorf("no %s in:\n%s", part, greeting)
		}
	}
}

// Pipes that are asked for are there, under the ids that are printed.
func TestMorePipes(t *testing.T) {
	t.Parallel()
	var s seed
	if err := json.Unmarshal(start(t, "-json", "-pipes", "10").stdout.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.MorePipeIDs) != 10 {
		t.Fatalf("%d further pipes: %s", len(s.MorePipeIDs), s.MorePipeIDs)
	}
	for _, id := range s.MorePipeIDs {
		if status, _, body := getPipe(t, s, id); status != http.StatusOK || !strings.Contains(body, `"kafka":{`) {
			t.Errorf("%s: %d %s", id, status, body)
		}
	}

	greeting := start(t, "-pipes", "10").stdout.String()
	for i, id := range s.MorePipeIDs {
		if line := fmt.Sprintf("\n    pipe-%02d = %q\n", i+1, id); !strings.Contains(greeting, line) {
			t.Errorf("no %q in:\n%s", line, greeting)
		}
	}
	if greeting := start(t).stdout.String(); strings.Contains(greeting, "locals") {
		t.Errorf("pipes that nobody asked for:\n%s", greeting)
	}
}

// Every option that takes a value shows one in its help, as it is typed.
func TestHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-help"}, io.Discard, &out); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	described := regexp.MustCompile(`(?m)^ {2}-([\w-]+) (\S+)\n(.*)$`).FindAllStringSubmatch(out.String(), -1)
	if len(described) != 8 {
		t.Errorf("%d options take a value:\n%s", len(described), out.String())
	}
	for _, option := range described {
		name, example := option[1], regexp.MustCompile(`-`+option[1]+` ([\w=:./,-]*\w)`).FindStringSubmatch(option[3])
		if example == nil {
			t.Errorf("-%s has no example: %s", name, option[3])
			continue
		}
		if _, err := parse([]string{"-" + name, example[1]}, io.Discard); err != nil {
			t.Errorf("-%s %s: %v", name, example[1], err)
		}
	}
}

// The help lists everything that the options can play.
func TestHelpLists(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	_ = run(t.Context(), []string{"-help"}, io.Discard, &out)
	var names []string
	for _, variant := range mockapi.AllVariants() {
		names = append(names, variant.Name)
	}
	for _, fault := range mockapi.AllFaults()[1:] {
		names = append(names, string(fault.Kind))
	}
	for _, style := range mockapi.RateLimitStyles() {
		names = append(names, string(style))
	}
	for _, name := range names {
		if !regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(name) + `( |$)`).MatchString(out.String()) {
			t.Errorf("no %s in:\n%s", name, out.String())
		}
	}
}

// Faults, the style of the rate limit and the clock do what they are asked for.
func TestFaultsAndClock(t *testing.T) {
	t.Parallel()
	var s seed
	p := start(t, "-json", "-fault", "getPipe:plain,times=1", "-fault", ":html,status=404,skip=1,times=1",
		"-rate", "4/1h", "-rate-headers", "x-ratelimit-remaining", "-clock-skew", "24h")
	if err := json.Unmarshal(p.stdout.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		status    int
		body      string
		remaining string
	}{{404, "404 not found", "3"}, {200, "replicas", "2"}, {404, "<title>404 Not Found</title>", "1"}, {200, "replicas", "0"}, {429, "more than 4 requests", "0"}} {
		status, header, body := get(t, s)
		if remaining := header.Get("X-RateLimit-Remaining"); status != want.status || !strings.Contains(body, want.body) || remaining != want.remaining {
			t.Errorf("request %d: %d, remaining %s, %s", i, status, remaining, body)
		}
		if date, err := http.ParseTime(header.Get("Date")); err != nil || time.Until(date) < 23*time.Hour {
			t.Errorf("Date %s", header.Get("Date"))
		}
	}
}

func TestListVariants(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-list-variants"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, variant := range mockapi.AllVariants() {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(variant.Name) + ` +` + regexp.QuoteMeta(variant.Doc) + `$`).MatchString(out.String()) {
			t.Errorf("no %s", variant.Name)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-addr", "0.0.0.0:0"},
		{"-addr", ":0"},
		{"-addr", "192.0.2.1:80"},
		{"-addr", "example.com:80"},
		{"-addr", "127.0.0.1"},
		{"-addr", "127.0.0.1:http-or-so"},
		{"-variant", "numbers=octal"},
		{"-rate", "10"},
		{"-rate", "0/1s"},
		{"-rate", "x/1s"},
		{"-rate", "10/1"},
		{"-rate", "10/0s"},
		{"-rate-headers", "x-limit"},
		{"-fault", "getPipe"},
		{"-fault", "getPipe:explode"},
		{"-clock-skew", "much"},
		{"-latency", "soon"},
		{"-pipes", "many"},
		{"-pipes", "-1"},
		{"-pipes", "10001"},
		{"-unknown"},
		{"argument"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // what is accepted ends at once
		if err := run(ctx, args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v: accepted", args)
		}
	}
	if err := run(t.Context(), []string{"-help"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help: %v", err)
	}
}

func TestLoopbackAddresses(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"127.0.0.1:0", "127.8.8.8:80", "[::1]:0", "localhost:8080"} {
		if err := checkLoopback(addr); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestItEndsWhileRequestsHang(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	api := mockapi.New()
	api.Latency(time.Hour)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, api, 10*time.Millisecond) }()
	hung := make(chan error, 1)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err == nil {
			_ = response.Body.Close()
		}
		hung <- err
	}()
	for len(api.Requests()) == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if err := <-hung; err == nil {
		t.Error("the hanging request got a response")
	}
}
