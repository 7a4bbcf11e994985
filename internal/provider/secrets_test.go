package provider

import (
	"archive/zip"
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const pipeSecret = "not-a-real-key" // of the connection string of a pipe in the mock API

var basicAuth = base64.StdEncoding.EncodeToString([]byte(mockapi.KeyID + ":" + mockapi.KeySecret))

// newEnvWithSecrets has a URL with secrets, too.
func newEnvWithSecrets(t *testing.T) *acctest.Env {
	t.Helper()
	env := newEnv(t)
	env.Change(mockapi.Pipe, mockapi.ObjectStoragePipeID, func(pipe mockapi.Object) {
		source := pipe["source"].(mockapi.Object)["objectStorage"].(mockapi.Object)
		source["url"] = "https://u5er:pa55word@storage.example/*.csv?sig=s1gnature&page=7"
	})
	return env
}

func expectNoSecrets(t *testing.T, out string) {
	t.Helper()
	acctest.Contains(t, out, `url\":\"***\"`)
	for _, secret := range []string{mockapi.KeySecret, basicAuth, pipeSecret, "u7Qm-orders-1", "u5er", "pa55word", "s1gnature"} {
		if at := strings.Index(out, secret); at >= 0 {
			t.Errorf("%q is in: %.300s", secret, out[max(0, at-200):])
		}
	}
}

// Neither errors nor a log at TRACE hold a secret, whatever goes wrong.
func TestSecretsOfRunsThatFail(t *testing.T) {
	t.Setenv("TF_LOG_PROVIDER", "TRACE")
	env := newEnvWithSecrets(t)
	configs := acctest.Configs{"pipe_scaling": onPipe(mockapi.ObjectStoragePipeID, map[string]any{"concurrency": 5})}
	maps.Copy(configs, onService(map[string]any{"name": "Logged"}))
	maps.Copy(configs, onKey(map[string]any{"name": "Logged"}))
	var out bytes.Buffer
	c := env.Core(t, map[string]any{"max_retries": 1})
	c.Context = tflogtest.RootLogger(t.Context(), &out)
	for _, fault := range []mockapi.Fault{
		{Operation: "getPipe", Times: 2, Status: 500, Body: `{"error":"no ` + basicAuth + `","connectionString":"` + pipeSecret + `"}`},
		{Operation: "getPipe", Times: 1, Status: 400, Body: `{"connectionString":"` + pipeSecret},
		{Operation: "updateService", Times: 1, Status: 401, Body: "Basic " + basicAuth + " is not " + mockapi.KeySecret},
		{Operation: "updateKey", Times: 1, Kind: mockapi.FaultErrorEnvelope, Status: 403, Body: mockapi.KeySecret},
		{Operation: "scalePipe", Times: 1, Kind: mockapi.FaultRedirect, Header: http.Header{"Location": {"https://u:" + basicAuth + "@elsewhere.example/"}}},
		{Operation: "scalePipe", Times: 1, Kind: mockapi.FaultCut},
	} {
		remove := env.Fail(fault)
		_, err := c.Run(configs)
		if passes := fault.Kind == mockapi.FaultCut; passes != (err == nil) {
			t.Errorf("%+v: %v", fault, err)
		}
		fmt.Fprintln(&out, err, c.Warnings)
		remove()
	}
	c.ExpectNoChanges(configs)
	acctest.Contains(t, out.String(), "Unable to adopt", "left out because it mentions a secret", "redirects to elsewhere.example", "connectionString")
	expectNoSecrets(t, out.String())
}

// A state of an older provider has an attribute that is gone.
func TestEncryptionKeyLeavesTheState(t *testing.T) {
	t.Parallel()
	upgraded, err := newEnv(t).Connect(t, nil).UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: "dbplatform_service", RawState: &tfprotov6.RawState{JSON: []byte(`{"service_id":"` + mockapi.ServiceID + `","encryption_key":"u7Qm-orders-1"}`)},
	})
	if err != nil || len(upgraded.Diagnostics) > 0 || bytes.Contains(upgraded.UpgradedState.MsgPack, []byte("u7Qm-orders-1")) {
		t.Errorf("%v, %v", upgraded, err)
	}
}

// Neither what a run prints, with its log, nor what it leaves behind holds a secret.
func TestSecretsInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnvWithSecrets(t)
	tf := env.CLI(t, "")
	// A plan holds its configuration, so that is no place for a secret.
	tf.WriteFile("main.tf", acctest.Requirement+strings.Replace(env.ProviderBlock(), `key_secret      = "`+mockapi.KeySecret+`"`, "", 1)+
		lookUpPipe(mockapi.ObjectStoragePipeID)+serviceConfig(mockapi.ServiceID, `name = "Logged"`))
	tf.Setenv("TF_LOG=TRACE", "DBPLATFORM_KEY_SECRET="+mockapi.KeySecret)
	expectNoSecrets(t, tf.Must("plan", "-out=plan")+tf.Must("apply", "plan"))
	acctest.Lacks(t, tf.Must("show"), mockapi.KeySecret, basicAuth, pipeSecret, "u7Qm-orders-1")
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
				if err != nil {
					t.Error(err)
				}
				acctest.Lacks(t, string(content), mockapi.KeySecret, basicAuth, "u7Qm-orders-1")
			}
		}
	}
}

// What follows a response that is longer than announced is not logged either.
func TestSecretsBehindAResponseInTerraform(t *testing.T) {
	t.Parallel()
	env := underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
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
	acctest.Contains(t, out, `encryptionKey\":\"***`, `\"numReplicas\":3`, `\"protocol\":\"mysql\"`)
	acctest.Lacks(t, out, "u7Qm-orders-1")
}

// A server that cannot prove that it is the API gets no request, and is named.
func TestCredentialsAreNotSentToOthers(t *testing.T) {
	t.Parallel()
	for want, newest := range map[string]uint16{
		": x509: certificate signed by unknown authority": tls.VersionTLS13, ": remote error: tls: protocol version not supported": tls.VersionTLS11,
	} {
		var requests atomic.Int32
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: newest}
		server.StartTLS()
		t.Cleanup(server.Close)
		_, err := underTest.EnvOf(nil, server.URL).Core(t, map[string]any{"max_retries": 0}).Run(firstConfigs())
		acctest.Contains(t, fmt.Sprint(err), "Unable to adopt", "127.0.0.1:", want)
		if n := requests.Load(); n > 0 {
			t.Errorf("%d requests arrived", n)
		}
	}
}
