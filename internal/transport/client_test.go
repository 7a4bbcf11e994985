package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestPathPrefixAndEscapedIDs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ prefix, pipe, want string }{
		{"", pipeID, "/v1/organizations/%s/services/%s/pipes/" + pipeID},
		{"/", pipeID, "/v1/organizations/%s/services/%s/pipes/" + pipeID},
		{"/db", pipeID, "/db/v1/organizations/%s/services/%s/pipes/" + pipeID},
		{"/db/", pipeID, "/db/v1/organizations/%s/services/%s/pipes/" + pipeID},
		{"/a%2Fb", pipeID, "/a%%2Fb/v1/organizations/%s/services/%s/pipes/" + pipeID},
		{"", "a/../b?c#d e", "/v1/organizations/%s/services/%s/pipes/a%%2F..%%2Fb%%3Fc%%23d%%20e"},
		{"", "ä%2F", "/v1/organizations/%s/services/%s/pipes/%%C3%%A4%%252F"},
	} {
		t.Run(test.prefix+" "+test.pipe, func(t *testing.T) {
			t.Parallel()
			var got atomic.Value
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got.Store(r.RequestURI)
				_, _ = io.WriteString(w, enveloped(`{}`))
			}))
			t.Cleanup(server.Close)
			c := newTestClient(t, server.URL+test.prefix)
			if err := do(t.Context(), c, getPipe(test.pipe)); err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf(test.want, organizationID, serviceID); got.Load() != want {
				t.Errorf("path %s, want %s", got.Load(), want)
			}
		})
	}
}

func TestIDsThatAreNoneAreNotSent(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", ".", ".."} {
		c := withoutNetwork(t, converse(t).respond)
		err := do(t.Context(), c, getPipe(id))
		if e := asError(t, err); e.Status != 0 || !strings.Contains(e.Message, "not an id") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestRedirectsAreRefused(t *testing.T) {
	t.Parallel()
	var strangers atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	t.Cleanup(other.Close)
	elsewhere, err := url.Parse(other.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header().Set("Location", other.URL+"/login?token=hidden")
				w.WriteHeader(status)
			})
			err := do(t.Context(), c, scalePipe(pipeID))
			e := asError(t, err)
			if e.Status != status || !strings.Contains(e.Message, elsewhere.Host) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("error %v", err)
			}
			if requests.Load() != 1 || strangers.Load() != 0 {
				t.Errorf("%d requests, %d to the other host", requests.Load(), strangers.Load())
			}
		})
	}
}

func TestResponsesHaveALimit(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		padding := strings.Repeat(" ", 1<<20)
		for range 33 {
			if _, err := io.WriteString(w, padding); err != nil {
				return
			}
		}
	})
	err := do(t.Context(), c, getPipe(pipeID))
	if e := asError(t, err); !strings.Contains(e.Message, "larger than 32 MiB") || requests.Load() != 1 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

func TestOtherSuccessStatuses(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 202, 203} {
		c := withoutNetwork(t, converse(t, returns(reply(status, enveloped(`{}`)))).respond)
		if err := do(t.Context(), c, getPipe(pipeID)); err != nil {
			t.Errorf("%d: %v", status, err)
		}
	}
	c := withoutNetwork(t, converse(t, returns(reply(204, ""))).respond)
	err := do(t.Context(), c, getPipe(pipeID))
	if e := asError(t, err); e.Status != 204 || e.Message != "the response is empty" {
		t.Errorf("204: %v", err)
	}
}

// TestServersThatWillNotDoEndAtOnce: no later attempt meets another server.
func TestServersThatWillNotDoEndAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start func(*httptest.Server)
		want  string
	}{
		"untrusted certificate": {(*httptest.Server).StartTLS, "certificate"},
		"no TLS":                {(*httptest.Server).Start, "HTTP response to HTTPS client"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int32
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			test.start(server)
			t.Cleanup(server.Close)
			c := newTestClient(t, strings.Replace(server.URL, "http://", "https://", 1))
			err := scale(t.Context(), c)
			if e := asError(t, err); e.OutcomeUnknown || !strings.Contains(err.Error(), test.want) || connections.Load() != 1 {
				t.Errorf("%v after %d connections", err, connections.Load())
			}
		})
	}
}

// TestCertificateOfAnotherHost: a certificate that is trusted still has to be
// the API's own.
func TestCertificateOfAnotherHost(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	c := newTestClient(t, strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
	transport := c.http.Transport.(*http.Transport)
	transport.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	err := scale(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "not localhost") || requests.Load() > 0 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

func TestHTTP2OverTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 || r.TLS.Version < 0x0303 {
			t.Errorf("%s, TLS %x", r.Proto, r.TLS.Version)
		}
		_, _ = io.WriteString(w, enveloped(`{}`))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	c := newTestClient(t, server.URL)
	transport := c.http.Transport.(*http.Transport)
	transport.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	if err := do(t.Context(), c, getPipe(pipeID)); err != nil {
		t.Fatal(err)
	}
}

// TestConnectionsAreKept: requests that come in waves find the connections of
// the wave before.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	const parallel, waves = 10, 8
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(40 * time.Millisecond) // long enough for the whole wave to be on its way
		_, _ = io.WriteString(w, enveloped(`[]`))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	c := newTestClient(t, server.URL)
	for range waves {
		var wave sync.WaitGroup
		for range parallel {
			wave.Go(func() {
				if err := do(t.Context(), c, listBackups()); err != nil {
					t.Error(err)
				}
			})
		}
		wave.Wait()
	}
	// A connection may come back while another is being made, hence not ten
	// exactly; two idle ones, as is usual, would make it about fifty.
	if n := connections.Load(); n > 2*parallel {
		t.Errorf("%d connections for %d requests at a time", n, parallel)
	}
}

func TestContextEndsARequest(t *testing.T) {
	t.Parallel()
	for _, r := range []Request{getPipe(pipeID), scalePipe(pipeID)} {
		t.Run(r.Operation, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan struct{}, 1)
			c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				arrived <- struct{}{}
				<-r.Context().Done()
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-arrived
				cancel()
			}()
			err := do(ctx, c, r)
			if e := asError(t, err); !errors.Is(err, context.Canceled) || e.Operation != r.Operation {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	for set, want := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Second: time.Second} {
		t.Run(want.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				c := withoutNetwork(t, func(r *http.Request) (stub, error) {
					requests++
					httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
					started := time.Now()
					<-r.Context().Done()
					if took := time.Since(started); took != want {
						t.Errorf("an attempt took %s", took)
					}
					return stub{}, r.Context().Err()
				}, func(config *Config) { config.RequestTimeout, config.MaxRetries = set, 1 })
				e := asError(t, scale(t.Context(), c))
				if !e.OutcomeUnknown || !strings.HasSuffix(e.Message, "within "+want.String()) || requests != 2 {
					t.Errorf("%+v after %d requests", e, requests)
				}
			})
		})
	}
}

func TestNegativeRetriesAreNone(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, "https://api.example", func(config *Config) { config.MaxRetries = -1 })
	if c.maxRetries != 0 {
		t.Errorf("%d retries", c.maxRetries)
	}
}
