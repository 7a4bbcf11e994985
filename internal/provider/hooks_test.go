package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// otherOrganization is a second organization. Its objects are those of the
// mock API's only one: a hooked environment maps its paths there.
const otherOrganization = "00000000-0000-4000-8000-000000000002"

// A call is a request on its way to the mock API.
type call struct {
	operation string // its operationId; a read of a service or key is their update
	path      string
	body      string
	request   *http.Request
	pass      func(http.ResponseWriter) // has the mock API respond
}

// writes tells whether a call changes something.
func (c call) writes() bool { return c.request.Method != http.MethodGet && c.body != "{}" }

// recordPass has the mock API respond to a recorder.
func recordPass(c call) *httptest.ResponseRecorder {
	recorded := httptest.NewRecorder()
	c.pass(recorded)
	return recorded
}

// fail responds with an error in place of the mock API.
func (c call) fail(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, faultBody)
}

// A hook sees each call before the mock API does. It returns true where it has
// responded itself.
type hook func(w http.ResponseWriter, c call) bool

// newHookedEnv is an environment with a hook, which may be called for several
// requests at a time.
func newHookedEnv(t *testing.T, h hook, options ...mockapi.Option) *env {
	t.Helper()
	server := mockapi.New(options...)
	listening := httptest.NewServer(h.before(server))
	t.Cleanup(listening.Close)
	return &env{Server: server, url: listening.URL}
}

// before is a handler that calls the hook before the mock API.
func (h hook) before(server *mockapi.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		path := r.URL.Path
		inner := r.Clone(r.Context())
		inner.URL.Path = strings.Replace(path, otherOrganization, mockapi.OrganizationID, 1)
		inner.URL.RawPath = ""
		pass := func(w http.ResponseWriter) {
			inner.Body = io.NopCloser(bytes.NewReader(body))
			server.ServeHTTP(w, inner)
		}
		c := call{operationOf(r), path, string(body), r, pass}
		if !h(w, c) {
			pass(w)
		}
	})
}

// inMemory is a network without sockets, for tests in synctest bubbles: their
// clock does not advance while a goroutine waits for a socket.
type inMemory struct{ http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	recorded := httptest.NewRecorder()
	aborted := make(chan bool, 1)
	go func() {
		defer func() {
			problem := recover()
			if problem != nil && problem != any(http.ErrAbortHandler) {
				panic(problem)
			}
			aborted <- problem != nil
		}()
		m.ServeHTTP(recorded, r)
	}()
	select {
	case aborted := <-aborted:
		if aborted {
			return nil, syscall.ECONNRESET
		}
		return recorded.Result(), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func operationOf(r *http.Request) string {
	path := r.URL.Path
	switch {
	case r.Method == http.MethodPut:
		return "updatePipeSettings"
	case strings.HasSuffix(path, "/scaling"):
		return "scalePipe"
	case strings.Contains(path, "/keys/"):
		return "updateKey"
	case r.Method == http.MethodPatch:
		return "updateService"
	case strings.HasSuffix(path, "/backups"):
		return "listBackups"
	}
	return "getPipe"
}

// stale is a hook under which the responses to a service show its lists as
// they were before the last write: that write's own response, and the next
// reads.
func stale(reads int) hook {
	var mu sync.Mutex
	var shown map[string]any // the result that stale responses repeat
	left := 0
	return func(w http.ResponseWriter, c call) bool {
		if c.operation != "updateService" {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		recorded := recordPass(c)
		var envelope map[string]any
		if recorded.Code != http.StatusOK || json.Unmarshal(recorded.Body.Bytes(), &envelope) != nil {
			copyResponse(w, recorded, recorded.Body.Bytes())
			return true
		}
		result := envelope["result"].(map[string]any)
		if c.writes() {
			left = reads + 1
		}
		if left > 0 && shown != nil {
			left--
			for _, list := range []string{"ipAccessList", "privateEndpointIds"} {
				result[list] = shown[list]
			}
		} else {
			shown = result
		}
		body, _ := json.Marshal(envelope)
		copyResponse(w, recorded, body)
		return true
	}
}

func copyResponse(w http.ResponseWriter, recorded *httptest.ResponseRecorder, body []byte) {
	w.Header().Set("Content-Type", recorded.Header().Get("Content-Type"))
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(body)
}

// writesTo are the bodies that an operation was sent, without reads.
func (w *env) writesTo(operation string) []string {
	var bodies []string
	for _, body := range w.Sent(operation) {
		if body != "{}" {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// expectWrites checks all that an operation was sent, without reads.
func (w *env) expectWrites(t *testing.T, operation string, want ...string) {
	t.Helper()
	if err := w.sends(operation, want...)(nil); err != nil {
		t.Error(err)
	}
}

// sources are the addresses in an object's access list.
func (w *env) sources(kind mockapi.Kind, id string) map[string]string {
	list := map[string]string{}
	entries, _ := w.Object(kind, id)["ipAccessList"].([]any)
	for _, entry := range entries {
		entry := entry.(mockapi.Object)
		description, _ := entry["description"].(string)
		list[entry["source"].(string)] = description
	}
	return list
}

// stop interrupts a provider, as Terraform does on Ctrl-C.
func stop(t *testing.T, server tfprotov6.ProviderServer) {
	t.Helper()
	if _, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Error(err)
	}
}

// coreOf is a core for an environment; each walk is a new provider process.
func (w *env) coreOf(t *testing.T, settings map[string]any) *core {
	t.Helper()
	return &core{
		t: t, schemas: schemasOf(t), states: map[string]*instance{},
		connect: func() tfprotov6.ProviderServer { return w.connected(t, settings) },
	}
}

// must applies configurations without faults.
func (c *core) must(all configs) []string {
	c.t.Helper()
	changed, err := c.run(all)
	if err != nil {
		c.t.Fatal(err)
	}
	return changed
}

// nothing checks that configurations plan no change.
func (c *core) nothing(all configs) {
	c.t.Helper()
	if changed := c.must(all); len(changed) > 0 {
		c.t.Errorf("the next plan changes %v", changed)
	}
}

// warnings runs the CLI and returns what it warns of, one by one and not
// folded.
func (tf *cli) warnings(args ...string) []diagnostic {
	tf.t.Helper()
	out, _ := tf.run(append(args, "-json")...)
	var all []diagnostic
	for line := range strings.Lines(out) {
		var event struct{ Diagnostic *diagnostic }
		if json.Unmarshal([]byte(line), &event) == nil && event.Diagnostic != nil && event.Diagnostic.Severity == "warning" {
			all = append(all, *event.Diagnostic)
		}
	}
	return all
}

// empty checks that nothing is left to plan.
func (tf *cli) empty() {
	tf.t.Helper()
	if out, code := tf.run("plan", "-detailed-exitcode"); code != 0 {
		tf.t.Errorf("the next plan ended with %d:\n%s", code, out)
	}
}

// change replaces the configuration below the provider block.
func (tf *cli) change(w *env, config string) {
	tf.t.Helper()
	tf.configure(requirement + w.provider() + config)
}
