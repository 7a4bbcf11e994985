package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An endpoint is an API of its own that listens.
type endpoint struct {
	*mockapi.Server
	url   string
	close func()
}

// listen starts an API with n pipes at a free port of the loopback interface.
func listen(ctx context.Context, n int) (*endpoint, error) {
	api := mockapi.New()
	api.AddPipes(n)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: api, ConnState: api.ConnState, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return &endpoint{Server: api, url: "http://" + listener.Addr().String(), close: func() { _ = server.Close() }}, nil
}
