package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// start runs the program and returns what it prints first, at once: where it
// listens. stop ends it as a signal does, and returns its log, to which a request
// that hangs may still write.
func start(t *testing.T, args ...string) (printed string, stop func() *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, log := make(firstWrite, 1), &bytes.Buffer{}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, args, out, log) }()
	stop = sync.OnceValue(func() *bytes.Buffer {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the program ended with %v", err)
		}
		return log
	})
	t.Cleanup(func() { stop() })
	select {
	case printed = <-out:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing is printed")
	}
	return printed, stop
}

// firstWrite receives the first write.
type firstWrite chan string

func (w firstWrite) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// export returns a variable that the program prints.
func export(printed, name string) string {
	found := regexp.MustCompile(`(?m)^export DBPLATFORM_` + name + `=(.*)$`).FindStringSubmatch(printed)
	return append(found, "", "")[1]
}

// getPipe reads a pipe of the first service, with the variables that are printed.
func getPipe(t *testing.T, printed, id string) (status int, header http.Header, body string) {
	t.Helper()
	url := export(printed, "BASE_URL") + "/v1/organizations/" + export(printed, "ORGANIZATION_ID") + "/services/" + mockapi.ServiceID + "/pipes/" + id
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(export(printed, "KEY_ID"), export(printed, "KEY_SECRET"))
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(text)
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in:\n%s", part, text)
		}
	}
}

// What is printed leads to the server: variables, a configuration and ids, also those
// of additional pipes.
func TestGreeting(t *testing.T) {
	t.Parallel()
	greeting, _ := start(t, "-pipes", "10")
	for name, variable := range map[string]string{"base_url": "BASE_URL", "organization_id": "ORGANIZATION_ID", "key_id": "KEY_ID", "key_secret": "KEY_SECRET"} {
		contains(t, regexp.MustCompile(` += `).ReplaceAllString(greeting, " = "), "\n  "+name+" = \""+export(greeting, variable)+"\"\n")
	}
	for _, id := range []string{
		mockapi.ServiceID, mockapi.OtherServiceID, mockapi.KafkaPipeID, mockapi.ObjectStoragePipeID, mockapi.KinesisPipeID, mockapi.PostgresPipeID,
		mockapi.APIKeyID, mockapi.OtherAPIKeyID,
	} {
		contains(t, greeting, "  "+id+"  ")
	}
	more := regexp.MustCompile(`(?m)^ {4}pipe-\d\d = \{ id = "(.*)", replicas = 2 \}$`).FindAllStringSubmatch(greeting, -1)
	if len(more) != 10 {
		t.Fatalf("%d additional pipes:\n%s", len(more), greeting)
	}
	for _, id := range more {
		_, _, body := getPipe(t, greeting, id[1])
		contains(t, body, `"kafka":{`)
	}
	if none, _ := start(t); strings.Contains(none, "locals") {
		t.Errorf("without additional pipes:\n%s", none)
	}
}

// A reset brings back the objects of the start, those of -pipes included.
func TestReset(t *testing.T) {
	t.Parallel()
	printed, stop := start(t, "-pipes", "1")
	more := regexp.MustCompile(`id = "(5.*)", replicas = 2 \}`).FindStringSubmatch(printed)[1]
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r, _ := http.NewRequestWithContext(t.Context(), method, export(printed, "BASE_URL")+"/reset", http.NoBody)
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if isReset := response.StatusCode == http.StatusNoContent; isReset != (method == http.MethodPost) {
			t.Errorf("%s: %d", method, response.StatusCode)
		}
	}
	if status, _, body := getPipe(t, printed, more); status != http.StatusOK {
		t.Errorf("%d: %s", status, body)
	}
	contains(t, stop().String(), "→ POST /reset\n")
}

// Every option has its effect, and each request is logged.
func TestOptions(t *testing.T) {
	t.Parallel()
	printed, stop := start(t, "-fault", "getPipe:plain,times=1", "-fault", "html,404,skip=1,times=1", "-variant", "numbers=quoted", "-variant", "extra_members",
		"-rate", "4/1h", "-rate-headers", "x-ratelimit-reset", "-clock-skew", "24h", "-latency", "20ms")
	began := time.Now()
	for i, want := range []struct {
		status int
		parts  []string
	}{
		{404, []string{"404 not found"}},
		{200, []string{`"replicas":"2"`, "db_future_setting"}},
		{404, []string{"<title>404 Not Found</title>"}},
		{200, nil},
		{429, []string{"more than 4 requests"}},
	} {
		status, header, body := getPipe(t, printed, mockapi.KafkaPipeID)
		if reset := header.Get("X-RateLimit-Reset"); status != want.status || (reset != "") != (status == 429) {
			t.Errorf("request %d: %d, reset %s", i, status, reset)
		}
		contains(t, body, want.parts...)
		if date, err := http.ParseTime(header.Get("Date")); err != nil || time.Until(date) < 23*time.Hour {
			t.Errorf("Date %s", header.Get("Date"))
		}
	}
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("five requests with a latency of 20ms took %s", took)
	}
	log := stop().String()
	contains(t, log, "→ GET /services/…1111/pipes/…1111 (404)\n→ GET /services/…1111/pipes/…1111\n", "…1111 (429)\n")
}

// A line of the log is one request, short or with -v in full.
func TestLog(t *testing.T) {
	t.Parallel()
	request := mockapi.Request{
		Method: "PATCH", Path: "/v1/organizations/" + mockapi.OrganizationID + "/keys/" + mockapi.OtherAPIKeyID,
		Body: []byte("{\"state\":\n \"disabled\"}"), Status: http.StatusOK,
	}
	long := request
	long.Body = []byte(`{"secret":"hidden","name":"` + strings.Repeat("é", 200) + `"}`)
	long.Status = http.StatusBadRequest
	for _, test := range []struct {
		options options
		request mockapi.Request
		want    string
	}{
		{options{}, request, "→ PATCH /keys/…2222 {\"state\": \"disabled\"}\n"},
		{options{}, long, `→ PATCH /keys/…2222 {"secret":"hidden","name":"` + strings.Repeat("é", 73) + "… (400)\n"},
		{options{}, mockapi.Request{Method: "GET", Path: "/"}, "→ GET / (no response)\n"},
		{options{verbose: true}, long, `→ PATCH ` + request.Path + ` {"secret":"hidden","name":"` + strings.Repeat("é", 200) + "\"} (400)\n"},
	} {
		var out bytes.Buffer
		test.options.log(&out)(test.request)
		if out.String() != test.want {
			t.Errorf("%s, not %s", &out, test.want)
		}
	}
}

// The help lists variants, faults and styles.
func TestHelp(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	if err := run(t.Context(), []string{"-help"}, io.Discard, &help); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	contains(t, help.String(), "\n  late=old ", mockapi.AllVariants()[0].Doc+"\n", "\n  other-id ", mockapi.AllFaults()[0].Doc+"\n", "\n  x-ratelimit-reset\n")
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for option, values := range map[string][]string{
		"-addr":         {"0.0.0.0:0", ":0", "192.0.2.1:80", "example.com:80", "127.0.0.1", "127.0.0.1:http-or-so"},
		"-variant":      {"numbers=octal"},
		"-rate":         {"10", "0/1s", "x/1s", "10/1", "10/0s"},
		"-rate-headers": {"x-limit"},
		"-fault":        {"getPipe", "getPipe:explode", "503@x%"},
		"-clock-skew":   {"much"},
		"-latency":      {"soon"},
		"-pipes":        {"many", "-1"},
		"-unknown":      {""},
		"-v":            {"argument"},
	} {
		for _, value := range values {
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // what is accepted ends at once
			if err := run(ctx, []string{option, value}, io.Discard, io.Discard); err == nil {
				t.Errorf("%s %s: accepted", option, value)
			}
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "127.8.8.8:80", "[::1]:0", "localhost:8080"} {
		if err := checkLoopback(addr); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// A request that does not end does not keep the program.
func TestEndsDespiteAHangingRequest(t *testing.T) {
	t.Parallel()
	printed, stop := start(t, "-fault", "hang")
	time.AfterFunc(100*time.Millisecond, func() { stop() })
	if status, _, body := getPipe(t, printed, mockapi.KafkaPipeID); status != 0 {
		t.Errorf("the hanging request got a response: %s", body)
	}
}
