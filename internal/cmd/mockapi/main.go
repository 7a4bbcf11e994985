// Command mockapi runs the mock API for a person or a script. Each start begins
// with the same objects.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"text/template"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2) // the flag package has written what is wrong
	default:
		fmt.Fprintln(os.Stderr, "mockapi:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	options, err := parse(args, stderr)
	if err != nil {
		return err
	}
	api := options.server(options.log(stderr))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", options.addr)
	if err != nil {
		return err
	}
	var text bytes.Buffer // printed at once, so that no log gets between
	err = greeting.Execute(&text, map[string]any{"BaseURL": "http://" + listener.Addr().String(), "MorePipeIDs": api.AddPipes(int(options.pipes))})
	if err == nil {
		_, err = text.WriteTo(stdout)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return serve(ctx, listener, api, options.withReset(api, stderr))
}

// withReset serves POST /reset beside the API: the objects of the start come back.
func (o *options) withReset(api *mockapi.Server, log io.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/reset" {
			api.ServeHTTP(w, r)
			return
		}
		api.Reset()
		api.AddPipes(int(o.pipes))
		w.WriteHeader(http.StatusNoContent)
		fmt.Fprintln(log, "→ POST /reset")
	})
}

//go:embed greeting.tmpl
var greetingSource string

var greeting = template.Must(template.New("greeting").Funcs(template.FuncMap{"next": func(i int) int { return i + 1 }}).Parse(greetingSource))

// serve ends with ctx, and lets requests that are still served end first.
func serve(ctx context.Context, listener net.Listener, api *mockapi.Server, handler http.Handler) error {
	server := &http.Server{Handler: handler, ConnState: api.ConnState, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	const grace = 3 * time.Second
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(shutdown) != nil {
		return server.Close()
	}
	return nil
}

// checkLoopback refuses an address that others can reach: the credentials are
// public.
func checkLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("-addr %s: only a loopback address is allowed, such as 127.0.0.1:8080", addr)
	}
	return nil
}
