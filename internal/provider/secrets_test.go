package provider

import (
	"archive/zip"
	"crypto/tls"
	"encoding/base64"
	"io"
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

// TestSecretsOfRunsThatFail: neither a log at its chattiest nor what a run
// says or leaves behind holds a secret, whatever goes wrong on the way.
func TestSecretsOfRunsThatFail(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	basic := base64.StdEncoding.EncodeToString([]byte(mockapi.KeyID + ":" + mockapi.KeySecret))
	tf := env.CLI(t, "")
	// A plan holds its configuration, so that is no place for a secret.
	tf.WriteFile("main.tf", acctest.Requirement+strings.Replace(env.ProviderBlock(), `key_secret      = "`+mockapi.KeySecret+`"`, "", 1)+
		lookUpPipe(mockapi.ObjectStoragePipeID)+scalingConfig(mockapi.ObjectStoragePipeID, "concurrency = 5")+
		serviceConfig(mockapi.ServiceID, `name = "Logged"`)+keyConfig(mockapi.APIKeyID, `name = "Logged"`))
	tf.Setenv("TF_LOG=TRACE", "DBPLATFORM_KEY_SECRET="+mockapi.KeySecret, "DBPLATFORM_MAX_RETRIES=1")

	var said strings.Builder
	said.WriteString(tf.Must("plan", "-out=plan"))
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
		said.WriteString(failed)
		remove()
	}
	acctest.Contains(t, said.String(), "Error: Unable to", "not ***", "redirects to elsewhere.example")
	out := said.String() + tf.Apply() + tf.Must("show") + tf.Must("plan")

	if !strings.Contains(out, `connectionString`) {
		t.Error("there was nothing to hide")
	}
	for _, secret := range []string{mockapi.KeySecret, basic, pipeSecret, "encryption-key-1"} {
		for line := range strings.Lines(out) {
			if strings.Contains(line, secret) {
				t.Errorf("%q is in: %.300s", secret, line)
				break
			}
		}
	}
	for name, content := range left(t, tf.Dir) {
		for _, secret := range []string{mockapi.KeySecret, basic} {
			if strings.Contains(content, secret) {
				t.Errorf("%q is in %s", secret, name)
			}
		}
	}
}

// pipeSecret is what the mock API's object-storage pipe has as its connection
// string.
const pipeSecret = "not-a-real-key"

// left are the files of a state and of plans, plans taken apart.
func left(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup", "plan"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		contents[name] = string(content)
	}
	archive, err := zip.OpenReader(filepath.Join(dir, "plan"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, file := range archive.File {
		part, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		contents["plan: "+file.Name] = string(content)
	}
	return contents
}

// TestCredentialsStayHome: what is not the API, or cannot prove that it is,
// sees no request, and is named.
func TestCredentialsStayHome(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		newest uint16 // version of TLS
		want   string
	}{
		"unknown certificate": {tls.VersionTLS13, "certificate signed by unknown authority"},
		"TLS 1.1":             {tls.VersionTLS11, "protocol version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: test.newest}
			server.StartTLS()
			t.Cleanup(server.Close)
			env := underTest.EnvOf(mockapi.New(), server.URL)
			c := env.Core(t, map[string]any{"max_retries": 0})
			_, err := c.Run(firstConfigs())
			if err == nil {
				t.Fatal("no error")
			}
			acctest.Contains(t, err.Error(), "Unable to adopt", "no response from 127.0.0.1", test.want)
			if n := requests.Load(); n > 0 {
				t.Errorf("%d requests arrived", n)
			}
		})
	}
}
