package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func TestPath(t *testing.T) {
	t.Parallel()
	const pipes = "/v1/organizations/" + organizationID + "/services/" + serviceID + "/pipes/"
	for _, test := range []struct{ prefix, id, want string }{
		{"", pipeID, pipes + pipeID},
		{"/a%2Fb", pipeID, "/a%2Fb" + pipes + pipeID},
		{"", "a/../b?c#d e", pipes + "a%2F..%2Fb%3Fc%23d%20e"},
		{"", "ä%2F", pipes + "%C3%A4%252F"},
	} {
		c := newTestClient(t, "https://api.example"+test.prefix, func(config *Config) {
			config.RoundTripper = roundTripper(func(r *http.Request) (*http.Response, error) {
				if got := r.URL.RequestURI(); got != test.want {
					t.Errorf("%s, %s: path %s, want %s", test.prefix, test.id, got, test.want)
				}
				id, secret, _ := r.BasicAuth()
				if id+secret+r.UserAgent() != "key-id"+keySecret+"terraform-provider-dbplatform/test" ||
					r.Header.Get("Accept") != "application/json" || (r.Header.Get("Content-Type") != "application/json") != (r.Body == http.NoBody) {
					t.Error(r.Header)
				}
				return success(r)
			})
		})
		put := getPipe(test.id)
		put.Body = []byte("{}")
		if err := errors.Join(do(t.Context(), c, getPipe(test.id)), do(t.Context(), c, put)); err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{"", ".", ".."} {
		want := fmt.Sprintf("get pipe: an id is empty or not an id: %q", id)
		if err := do(t.Context(), clientOf(t, inOrder(t)), getPipe(id)); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestRedirectsAreRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		for location, host := range map[string]string{
			"https://elsewhere.example/login?token=hidden": "elsewhere.example", "/login": "api.example", "mailto:hidden": "an unknown address",
			"https://elsewhere.example/%zz?token=hidden": "an unknown address",
		} {
			err := scale(t, clientOf(t, inOrder(t, returns(status, "", "Location", location))))
			if e := asError(t, err); e.Status != status || e.OutcomeUnknown || e.Message != "the API redirects to "+host+", and redirects are not followed" {
				t.Errorf("%+v", e)
			}
		}
	}
}

// TestUnreadableBodies: another attempt would not help. A 404 whose body cannot be
// read may come from a gateway.
func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	cut := func(r *http.Request) (*http.Response, error) {
		resp, err := breaksOff(r)
		resp.StatusCode, resp.Body = 404, io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
		return resp, err
	}
	for _, test := range []struct {
		respond roundTripper
		want    string
	}{
		{returns(404, strings.Repeat(" ", 8<<20+1)), "something other than the API responded: the response is larger than 8 MiB"},
		{cut, "something other than the API responded: unexpected EOF"},
		{returns(200, `{"result":{"name":"é"}}`, "Content-Encoding", "utf-8"), ""},
		{returns(200, strings.Repeat(" ", 8<<20-13)+`{"result":{}}`), ""},
	} {
		err := scale(t, clientOf(t, inOrder(t, test.respond), retries(0)))
		if (err == nil) != (test.want == "") || err != nil && asError(t, err).Message != test.want || IsNotFound(err) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func TestResponsesHaveALimit(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) { // a short body that is long once it is decompressed
		w.Header().Set("Content-Encoding", "gzip")
		compressed := gzip.NewWriter(w)
		_, _ = compressed.Write(bytes.Repeat([]byte(" "), 8<<20+1))
		if err := errors.Join(compressed.Flush(), http.NewResponseController(w).Flush()); err != nil {
			t.Error(err)
		}
		<-r.Context().Done() // there is more
	})
	server.Start()
	started := time.Now()
	if e := asError(t, read(t, newTestClient(t, server.URL))); e.Message != "the response is larger than 8 MiB" {
		t.Errorf("%+v", e)
	}
	checkTook(t, started, 0, 29*time.Second) // the rest is not waited for
}

// newServer returns a server that is not started, and counts its connections.
func newServer(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	t.Cleanup(server.Close)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	var connections atomic.Int32
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	return server, &connections
}

// TestWrongServersAreNotRetried: no later attempt would meet another server.
func TestWrongServersAreNotRetried(t *testing.T) {
	t.Parallel()
	unknown := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.example", IsNotFound: true}}
	if err := scale(t, clientOf(t, inOrder(t, fails(unknown)))); !strings.Contains(fmt.Sprint(err), "no such host") {
		t.Error(err)
	}
	server, connections := newServer(t, http.NotFound)
	server.StartTLS()
	err := scale(t, newTestClient(t, server.URL))
	if e := asError(t, err); e.OutcomeUnknown || !strings.Contains(err.Error(), "certificate") || connections.Load() != 1 {
		t.Errorf("%v after %d connections", err, connections.Load())
	}
}

// TestRefusalOfAProxy: an error says that it was the proxy that refused, without its words.
func TestRefusalOfAProxy(t *testing.T) {
	t.Parallel()
	proxy, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer connection.Close()
		_, _ = fmt.Fprintf(connection, "HTTP/1.1 407 no %s\r\n\r\n", r.Header.Get("Proxy-Authorization"))
	})
	proxy.Start()
	c := newTestClient(t, "https://api.example", retries(1))
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("user", "hidden")
	c.config.RoundTripper.(*http.Transport).Proxy = http.ProxyURL(address)
	if err = scale(t, c); !strings.Contains(err.Error(), ": proxyconnect: 407 Proxy Authentication Required (2 attempts in ") {
		t.Error(err)
	}
}

// TestConnectionsAreReused: also with -parallelism=100.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(10 * time.Millisecond) // all requests overlap
			_, _ = io.WriteString(w, `{"result":{}}`)
		})}
		go func() { _ = server.Serve(listener) }()
		c := newTestClient(t, "http://localhost")
		connections := c.config.RoundTripper.(*http.Transport)
		connections.DialContext = listener.dial
		succeed(t, c, 3000, 100)
		if n := listener.dialed.Load(); n != 100 {
			t.Errorf("%d connections for 100 requests at a time", n)
		}
		connections.CloseIdleConnections()
		_ = server.Close()
	})
}

// pipes are a listener without sockets, for virtual time.
type pipes struct {
	dialed   atomic.Int32
	accepted chan net.Conn
	closed   chan struct{}
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	p.dialed.Add(1)
	client, server := net.Pipe()
	p.accepted <- server
	return client, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-p.accepted:
		return connection, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }

func TestHTTP2OverTLS(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Error(r.Proto)
		}
		_, _ = io.WriteString(w, `{"result":{}}`)
	})
	server.EnableHTTP2 = true
	server.StartTLS()
	c := newTestClient(t, server.URL)
	used, trusting := c.config.RoundTripper.(*http.Transport), server.Client().Transport.(*http.Transport)
	used.TLSClientConfig = trusting.TLSClientConfig
	succeed(t, c, 1, 1)
	// Pings must notice a dead connection before an attempt ends.
	if p := used.HTTP2; p.SendPingTimeout <= 0 || p.PingTimeout <= 0 || p.SendPingTimeout+p.PingTimeout > 30*time.Second {
		t.Errorf("%+v, %+v", used, p)
	}
}
