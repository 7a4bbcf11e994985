package mockapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestCredentialsAreCheckedFirst(t *testing.T) {
	t.Parallel()
	s := New()
	for name, authorize := range map[string]func(*http.Request){
		"none":           func(r *http.Request) { r.Header.Del("Authorization") },
		"wrong secret":   func(r *http.Request) { r.SetBasicAuth("mock-key-id", "other") },
		"wrong id":       func(r *http.Request) { r.SetBasicAuth("other", "mock-key-secret") },
		"empty":          func(r *http.Request) { r.SetBasicAuth("", "") },
		"another scheme": func(r *http.Request) { r.Header.Set("Authorization", "Bearer mock-key-secret") },
		"not base64":     func(r *http.Request) { r.Header.Set("Authorization", "Basic mock-key-id:mock-key-secret") },
	} {
		for _, path := range []string{pipePath, "/v1/organizations/" + unknownID + "/keys/no-uuid", "/"} {
			r := request("PATCH", path, "{")
			authorize(r)
			if w := serve(s, r); w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("%s, %s: %d %v", name, path, w.Code, w.Header())
			}
		}
	}
}

// An unknown object is reported before anything that is wrong with the body.
func TestUnknownObjects(t *testing.T) {
	t.Parallel()
	const elsewhere = "/v1/organizations/" + unknownID
	for variants, status := range map[Variants]int{{}: 404, {Gone: true}: 410} {
		s := New(WithVariants(variants))
		for path, body := range map[string]string{
			organizationPath + "/services/" + unknownID:                         `{"unknown":"member"}`,
			organizationPath + "/services/" + unknownID + "/backups":            "",
			organizationPath + "/services/" + unknownID + "/pipes/" + unknownID: "",
			organizationPath + "/keys/" + unknownID:                             `{"unknown":"member"}`,
			organizationPath + "/keys/" + ServiceID:                             `{}`,
			otherServicePath + "/pipes/" + KafkaPipeID:                          "",
			unknownPipe:               "",
			unknownPipe + "/scaling":  `{"unknown":"member"}`,
			unknownPipe + "/settings": `{"unknown":"member"}`,
		} {
			refused(t, s, status, path, body)
		}
		for _, path := range []string{pipePath, backupsPath} {
			refused(t, s, http.StatusNotFound, strings.Replace(path, organizationPath, elsewhere, 1), "")
		}
		refused(t, s, http.StatusNotFound, elsewhere+"/keys/"+APIKeyID, `{}`)
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := New()
	for _, path := range []string{
		"/", "/v1", "/v2" + strings.TrimPrefix(pipePath, "/v1"), organizationPath, organizationPath + "/services",
		servicePath + "/", pipePath + "/", "/" + pipePath, pipePath + "/state", servicePath + "/pipes", servicePath + "/pipes/a%2Fb",
	} {
		refused(t, s, http.StatusNotFound, path, "")
	}
	for path, allowed := range map[string]string{
		servicePath: "PATCH", backupsPath: "GET", pipePath: "GET", scalingPath: "PATCH", settingsPath: "PUT", keyPath: "PATCH",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			w := serve(s, request(method, path, ""))
			if method != allowed && (w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allowed) {
				t.Errorf("%s %s: %d, Allow %q", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
}

func TestIDsAreUUIDsOf36Characters(t *testing.T) {
	t.Parallel()
	s := New()
	for _, id := range []string{
		"x",
		"22222222222242228222111111111111",
		"%7B22222222-2222-4222-8222-111111111111%7D",
		"urn:uuid:22222222-2222-4222-8222-111111111111",
		"22222222-2222-4222-8222-11111111111",
		"22222222-2222-4222-8222-1111111111111",
		"22222222-2222-4222-8222-11111111111g",
		"2222222222-22-4222-8222-111111111111",
		"..",
	} {
		for path, name := range map[string]string{
			servicePath + "/pipes/" + id:                                      "pipeId",
			organizationPath + "/services/" + id + "/pipes/" + KafkaPipeID:    "serviceId",
			"/v1/organizations/" + id + "/services/" + ServiceID + "/backups": "organizationId",
		} {
			contains(t, refused(t, s, http.StatusBadRequest, path, ""), name)
		}
		refused(t, s, http.StatusBadRequest, organizationPath+"/keys/"+id, "{}")
	}
}

func TestIDsInEitherCase(t *testing.T) {
	t.Parallel()
	s := New()
	const lower, upper = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
	for stored, sent := range map[string]string{lower: upper, upper: lower} {
		s.AddService(Object{"id": stored})
		s.AddPipe(sent, Object{"id": stored})
		setBackups(s, sent, Object{"id": stored})
		path := organizationPath + "/services/" + sent
		if pipe := object(t, s, path+"/pipes/"+sent, ""); pipe["id"] != stored || pipe["serviceId"] != stored {
			t.Errorf("%s: pipe %v of %v", sent, pipe["id"], pipe["serviceId"])
		}
		if backups := result[[]any](t, s, path+"/backups", ""); len(backups) != 1 {
			t.Errorf("%s: %d backups", sent, len(backups))
		}
		s.Forget(Pipe, sent)
		refused(t, s, http.StatusNotFound, path+"/pipes/"+stored, "")
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	s := New()
	for status, contentTypes := range map[int][]string{
		200: {"application/json", "application/json; charset=utf-8", "application/json;", "Application/JSON"},
		415: {"", "json", "text/plain", "application/x-www-form-urlencoded", "application/merge-patch+json"},
	} {
		for _, contentType := range contentTypes {
			r := request("PATCH", keyPath, "{}")
			r.Header.Set("Content-Type", contentType)
			if w := serve(s, r); w.Code != status {
				t.Errorf("%q: %d, want %d", contentType, w.Code, status)
			}
		}
	}
}

func TestBodyIsOneJSONObject(t *testing.T) {
	t.Parallel()
	s := New()
	for want, bodies := range map[string][]string{
		"not JSON":                 {`{`, `{"name":}`, " ", `{"name":"a"`, `{"expireAt":0x10}`},
		"more than one JSON value": {`{} {}`, `{},`},
		"body: ":                   {`null`, `[]`, `"{}"`, `1`},
	} {
		for _, body := range bodies {
			for _, path := range []string{servicePath, keyPath, scalingPath, settingsPath} {
				contains(t, refused(t, s, http.StatusBadRequest, path, body), want)
			}
		}
	}
	errorMessage(t, serve(s, request("GET", pipePath, `{}`)), http.StatusBadRequest)
	empty := request("PATCH", keyPath, "")
	empty.Header.Set("Content-Type", "application/json")
	errorMessage(t, serve(s, empty), http.StatusBadRequest)
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	s := New()
	const limit = 1048576
	fits := `{"name":"` + strings.Repeat("x", limit-len(`{"name":""}`)) + `"}`
	object(t, s, keyPath, fits)
	contains(t, refused(t, s, http.StatusRequestEntityTooLarge, keyPath, fits+" "), "1048576 bytes")
	if got := len(s.Requests()[1].Body); got != limit {
		t.Errorf("%d bytes are recorded", got)
	}
}

func TestBodyThatEndsTooEarly(t *testing.T) {
	t.Parallel()
	s := New()
	unchanged(t, s)
	r := request("PATCH", keyPath, "{}")
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"name":"x"}`), brokenReader{}))
	errorMessage(t, serve(s, r), http.StatusBadRequest)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }
