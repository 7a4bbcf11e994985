package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// rewritten serves the responses of a mock API after a change to them.
func rewritten(t *testing.T, mock http.Handler, rewrite func(*http.Request, *httptest.ResponseRecorder)) (baseURL string) {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(bytes.NewReader(body))
		recorder := httptest.NewRecorder()
		mock.ServeHTTP(recorder, request)
		request.Body = io.NopCloser(bytes.NewReader(body))
		rewrite(request, recorder)
		maps.Copy(w.Header(), recorder.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(recorder.Body.Bytes())
	}))
}

// A compressed response, and one with a byte order mark, is read.
func TestNotationsOfResponses(t *testing.T) {
	t.Parallel()
	baseURL := rewritten(t, mockapi.New(), func(_ *http.Request, response *httptest.ResponseRecorder) {
		var compressed bytes.Buffer
		w := gzip.NewWriter(&compressed)
		_, _ = w.Write(append([]byte("\ufeff"), response.Body.Bytes()...))
		_ = w.Close()
		response.Body = &compressed
		response.Header().Set("Content-Encoding", "gzip")
	})
	out, err := runTest(t.Context(), t, baseURL, nil)
	if err != nil || strings.Contains(out, "is left out") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A response without an envelope is not quoted: an object may have secrets.
func TestObjectsAreNotQuoted(t *testing.T) {
	t.Parallel()
	baseURL := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"encryptionKey":"a secret"}`)
	}))
	out, _ := runTest(t.Context(), t, baseURL, nil)
	if contains(t, out, "200 without an object in the envelope"); strings.Contains(out, "a secret") {
		t.Error(out)
	}
}

// A change that is accepted with another status than 200, also without a body, is
// restored, and does not count as late.
func TestOtherStatusOfChanges(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusAccepted, http.StatusNoContent} {
		mock := mockapi.New()
		before := objects(mock)
		out, err := runTest(t.Context(), t, rewritten(t, mock, func(request *http.Request, response *httptest.ResponseRecorder) {
			if body, _ := io.ReadAll(request.Body); !isRead(request.Method, body) && response.Code == http.StatusOK {
				if response.Code = status; status == http.StatusNoContent {
					response.Body.Reset()
				}
			}
		}), writes(nil))
		if err != nil {
			t.Errorf("%d: %v\n%s", status, err, out)
		}
		expectFlags(t, out, nil)
		expectRestored(t, mock, before, out)
	}
}

// A run bears an API whose next read does not show what the one before it did.
func TestUnsteadyReads(t *testing.T) {
	t.Parallel()
	mock := mockapi.New()
	before := objects(mock)
	var shown []byte // first
	reads := 0
	out, err := runTest(t.Context(), t, rewritten(t, mock, func(request *http.Request, response *httptest.ResponseRecorder) {
		if body, _ := io.ReadAll(request.Body); kindOf(strings.TrimPrefix(request.URL.Path, "/v1/organizations/"+mockapi.OrganizationID)) != "service" || !isRead(request.Method, body) || response.Code != http.StatusOK {
			return
		}
		if reads++; shown == nil {
			shown = bytes.Clone(response.Body.Bytes())
		}
		if reads%2 == 0 {
			response.Body = bytes.NewBuffer(bytes.Clone(shown))
		}
	}), writes(env{"DBPLATFORM_TEST_PIPE_ID": "", "DBPLATFORM_TEST_API_KEY_ID": ""}))
	if contains(t, out, "shows in some reads and not in others"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	expectRestored(t, mock, before, out)
}

// A person who waits for the rate limit is told.
func TestWaitIsShown(t *testing.T) {
	t.Parallel()
	lifted := false
	out, err := runTest(t.Context(), t, rewritten(t, mockapi.New(), func(_ *http.Request, response *httptest.ResponseRecorder) {
		if !lifted {
			lifted, response.Code = true, http.StatusTooManyRequests
			response.Header().Set("Retry-After", "2")
		}
	}), nil)
	if contains(t, out, "waiting 2s for the rate limit"); err != nil {
		t.Error(err)
	}
}

// A setting that no PUT can repeat is not put at risk: an API that replaces all
// settings would lose it.
func TestSettingsAtRisk(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]int64{"a PUT would leave out db_max_threads": 999, "settings are refused with 400": 8} {
		mock := mockapi.New(mockapi.WithVariants(mockapi.Variants{SettingsPut: mockapi.Forget}))
		mock.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
			pipe["settings"].(mockapi.Object)["db_max_threads"] = value
		})
		before := objects(mock)
		baseURL := serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			body, _ := io.ReadAll(request.Body)
			if bytes.Contains(body, []byte("db_max_threads")) {
				http.Error(w, `{"error":"db_max_threads is invalid"}`, http.StatusBadRequest)
				return
			}
			request.Body = io.NopCloser(bytes.NewReader(body))
			mock.ServeHTTP(w, request)
		}))
		out, err := runTest(t.Context(), t, baseURL, writes(env{"DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID}))
		if contains(t, out, want); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		expectRestored(t, mock, before, out)
	}
}
