package main

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An endpoint is an API that listens.
type endpoint struct {
	*mockapi.Server
	listener *httptest.Server
}

// listen starts an API with n pipes at a free port of the loopback interface.
func listen(n int, http2 bool) *endpoint {
	api := mockapi.New()
	api.AddPipes(n)
	listener := httptest.NewUnstartedServer(api)
	listener.Config.ConnState = api.ConnState
	if http2 {
		listener.EnableHTTP2 = true
		listener.StartTLS()
	} else {
		listener.Start()
	}
	return &endpoint{Server: api, listener: listener}
}

// trust writes the endpoint's certificate to a file that SSL_CERT_FILE can name.
func (e *endpoint) trust(path string) error {
	block := &pem.Block{Type: "CERTIFICATE", Bytes: e.listener.Certificate().Raw}
	return os.WriteFile(path, pem.EncodeToMemory(block), 0o600)
}

// stop ends an endpoint, and what it may still be answering.
func stop(listener *httptest.Server) {
	listener.CloseClientConnections()
	listener.Close()
}

// A vault keeps one state, as Terraform's http backend expects it.
type vault struct {
	mu    sync.Mutex
	state []byte
}

func (v *vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever sent it has gone
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case r.Method == http.MethodPost:
		v.state = body
	case v.state == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		_, _ = w.Write(v.state)
	}
}
