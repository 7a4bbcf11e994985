package provider

import (
	"archive/zip"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Neither a log at TRACE nor what a run prints or leaves behind holds a secret,
// whatever goes wrong.
func TestSecretsOfRunsThatFail(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.Change(mockapi.Pipe, mockapi.ObjectStoragePipeID, func(pipe mockapi.Object) {
		source := pipe["source"].(mockapi.Object)["objectStorage"].(mockapi.Object)
		source["url"] = "https://u5er:pa55word@storage.example/*.csv?sig=s1gnature&page=7"
	})
	const pipeSecret = "not-a-real-key" // of the pipe's connection string
	basic := base64.StdEncoding.EncodeToString([]byte(mockapi.KeyID + ":" + mockapi.KeySecret))
	tf := env.CLI(t, "")
	// A plan holds its configuration, so that is no place for a secret.
	tf.WriteFile("main.tf", acctest.Requirement+strings.Replace(env.ProviderBlock(), `key_secret      = "`+mockapi.KeySecret+`"`, "", 1)+
		lookUpPipe(mockapi.ObjectStoragePipeID)+scalingConfig(mockapi.ObjectStoragePipeID, "concurrency = 5")+
		serviceConfig(mockapi.ServiceID, `name = "Logged"`)+keyConfig(mockapi.APIKeyID, `name = "Logged"`))
	tf.Setenv("TF_LOG=TRACE", "DBPLATFORM_KEY_SECRET="+mockapi.KeySecret, "DBPLATFORM_MAX_RETRIES=1")

	printed := []string{tf.Must("plan", "-out=plan")}
	for _, fault := range []mockapi.Fault{
		{Operation: "getPipe", Times: 2, Status: 500, Body: `{"error":"no ` + basic + `","connectionString":"` + pipeSecret + `"}`},
		{Operation: "getPipe", Times: 1, Status: 400, Body: `{"connectionString":"` + pipeSecret},
		{Operation: "updateService", Times: 1, Status: 401, Body: "Basic " + basic + " is not " + mockapi.KeySecret},
		{Operation: "updateKey", Times: 1, Kind: mockapi.FaultErrorEnvelope, Status: 409, Body: mockapi.KeySecret},
		{Operation: "scalePipe", Times: 1, Kind: mockapi.FaultRedirect, Header: http.Header{"Location": {"https://u:" + basic + "@elsewhere.example/"}}},
		{Operation: "scalePipe", Times: 1, Kind: mockapi.FaultCut},
	} {
		remove := env.Fail(fault)
		failed, _ := tf.Run("apply", "-auto-approve")
		printed = append(printed, failed)
		remove()
	}
	out := strings.Join(append(printed, tf.Apply(), tf.Must("plan")), "\n")
	acctest.Contains(t, out, "Error: Unable to", "not ***", "redirects to elsewhere.example", "connectionString", "https://***@storage.example/*.csv?sig=***")

	acctest.Lacks(t, tf.Must("show"), mockapi.KeySecret, basic, pipeSecret, "u7Qm-orders-1")
	for _, secret := range []string{mockapi.KeySecret, basic, pipeSecret, "u7Qm-orders-1", "u5er", "pa55word", "s1gnature"} {
		if at := strings.Index(out, secret); at >= 0 {
			t.Errorf("%q is in: %.300s", secret, out[max(0, at-200):])
		}
	}
	archive, err := zip.OpenReader(filepath.Join(tf.Dir, "plan"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, folder := range []fs.FS{os.DirFS(tf.Dir), archive} {
		for _, pattern := range []string{"plan", "tfplan", "*tfstate*"} {
			files, _ := fs.Glob(folder, pattern)
			for _, file := range files {
				content, err := fs.ReadFile(folder, file)
				if err != nil || strings.Contains(string(content), mockapi.KeySecret) || strings.Contains(string(content), basic) {
					t.Errorf("%s has a secret (%v)", file, err)
				}
			}
		}
	}
}

// What follows a response that is longer than announced is not logged either.
func TestSecretsBehindAResponse(t *testing.T) {
	t.Parallel()
	env := newHookedEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			body := c.Record().Body.String()
			_, _ = fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%[2]s", len(body), body)
		}
		return true
	})
	tf := env.CLI(t, serviceConfig(mockapi.ServiceID, `name = "Logged"`))
	tf.Setenv("TF_LOG=TRACE")
	out := tf.Must("plan")
	acctest.Contains(t, out, `encryptionKey\":\"***`, `\"numReplicas\":3`)
	acctest.Lacks(t, out, "u7Qm-orders-1")
}

// A server that cannot prove that it is the API gets no request, and is named.
func TestCredentialsAreNotSentToOthers(t *testing.T) {
	t.Parallel()
	for want, newest := range map[string]uint16{
		"certificate signed by unknown authority": tls.VersionTLS13, "protocol version": tls.VersionTLS11,
	} {
		var requests atomic.Int32
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: newest}
		server.StartTLS()
		t.Cleanup(server.Close)
		_, err := underTest.EnvOf(nil, server.URL).Core(t, map[string]any{"max_retries": 0}).Run(firstConfigs())
		acctest.Contains(t, fmt.Sprint(err), "Unable to adopt", "no response from 127.0.0.1", want)
		if n := requests.Load(); n > 0 {
			t.Errorf("%d requests arrived", n)
		}
	}
}
