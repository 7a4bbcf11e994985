package acctest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing/iotest"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// OtherOrganization is a second organization. Environments with a hook have in
// it the same objects as in the first one, others have none.
const OtherOrganization = "00000000-0000-4000-8000-00000000000b"

// What a failed call responds with.
const (
	ErrorText      = "the cluster is in maintenance"
	ErrorRequestID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	ErrorBody      = `{"requestId":"` + ErrorRequestID + `","error":"` + ErrorText + `"}`
)

// A Hook sees each request before the mock API does, several at a time. It
// returns true if it has responded itself.
type Hook func(w http.ResponseWriter, c Call) bool

// A Call is a request on its way to the mock API.
type Call struct {
	Operation string // its operationId; a read of a service or key by PATCH is their update
	Path      string
	Body      string
	Request   *http.Request
	Pass      func(http.ResponseWriter) // has the mock API respond
}

// Writes reports whether the call changes something.
func (c Call) Writes() bool { return c.Request.Method != http.MethodGet && c.Body != "{}" }

// Record has the mock API respond to a recorder.
func (c Call) Record() *httptest.ResponseRecorder {
	recorded := httptest.NewRecorder()
	c.Pass(recorded)
	return recorded
}

// Fail responds with an error in place of the mock API.
func (c Call) Fail(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, ErrorBody)
}

// Respond sends a recorded response with another body.
func Respond(w http.ResponseWriter, recorded *httptest.ResponseRecorder, body []byte) {
	maps.Copy(w.Header(), recorded.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(body)
}

// before returns a handler that calls the hook before the mock API.
func (h Hook) before(server *mockapi.Server) http.Handler {
	if h == nil {
		return server
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		inner := r.Clone(r.Context())
		inner.URL.Path = strings.Replace(r.URL.Path, OtherOrganization, mockapi.OrganizationID, 1)
		inner.URL.RawPath = ""
		pass := func(w http.ResponseWriter) {
			inner.Body = io.NopCloser(bytes.NewReader(body))
			server.ServeHTTP(w, inner)
		}
		if !h(w, Call{mockapi.OperationOf(r), r.URL.Path, string(body), r, pass}) {
			pass(w)
		}
	})
}

// inMemory is a network without sockets.
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
		response := recorded.Result()
		switch {
		case aborted && recorded.Body.Len() == 0:
			return nil, syscall.ECONNRESET
		case aborted:
			response.Body = io.NopCloser(io.MultiReader(response.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
		}
		return response, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}
