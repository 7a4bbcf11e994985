//go:build unix

package benchmarks

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// builtIn is the provider that has no process of its own.
const builtIn = "terraform_data"

// A workspace is a folder with a configuration, a state and a mock API of its own.
type workspace struct {
	*acctest.CLI
	provider string
	api      *acctest.Env
}

func newWorkspace(b *testing.B, provider string, pipes int) workspace {
	b.Helper()
	api := acctest.NewProvider(nil).NewEnv(b, nil)
	api.AddPipes(pipes)
	w := workspace{api.CLI(b, ""), provider, api}
	config := "testdata/plugin.tf"
	if provider == builtIn {
		config = "testdata/built-in.tf"
	}
	text, err := os.ReadFile(config)
	if err != nil {
		b.Fatal(err)
	}
	w.WriteFile("main.tf", string(text))
	w.WriteFile("cli.tfrc", "") // `init`, which a backend needs, does not work with dev_overrides
	w.installMeter(b)
	w.Setenv(
		"DBPLATFORM_BASE_URL="+api.URL,
		"DBPLATFORM_ORGANIZATION_ID="+mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID="+mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET="+mockapi.KeySecret,
		"TF_HTTP_ADDRESS="+serveState(b),
		fmt.Sprintf("TF_VAR_pipes=%d", pipes),
		meterProgram+"="+filepath.Join(w.Programs, "terraform-provider-"+provider),
	)
	w.Must("init", "-plugin-dir=plugins")
	return w
}

// installMeter puts the meter where `init` looks for the provider.
func (w workspace) installMeter(b *testing.B) {
	b.Helper()
	folder := filepath.Join(w.Dir, "plugins", "registry.terraform.io", "dbplatform", "dbplatform", "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
	self, err := os.Executable()
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err == nil {
		err = os.Symlink(self, filepath.Join(folder, "terraform-provider-dbplatform"))
	}
	if err != nil {
		b.Fatal(err)
	}
}

// serveState returns an address for Terraform's http backend. Terraform writes a
// local state in full after each resource, which would hide everything else.
func serveState(b *testing.B) string {
	b.Helper()
	var mu sync.Mutex
	var state []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost {
			state, _ = io.ReadAll(r.Body)
			return
		}
		_, _ = w.Write(state)
	}))
	b.Cleanup(server.Close)
	return server.URL
}
