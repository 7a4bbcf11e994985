package api

import (
	"errors"
	"log/slog"
	"net/url"
	"time"
)

var errUnwritten = errors.New("not written yet")

// Config is what a Client needs to know.
type Config struct {
	// BaseURL is the API's address, from ParseBaseURL. Required.
	BaseURL *url.URL
	// OrganizationID is part of every path.
	OrganizationID string
	// KeyID and KeySecret are the credentials (specification,
	// "Authentication").
	KeyID, KeySecret string
	// RequestTimeout bounds one attempt; 0 means 30 s.
	RequestTimeout time.Duration
	// MaxRetries is how often a request is sent again after its first attempt;
	// waiting out a 429 does not count.
	MaxRetries int
	// RequestsPerSecond limits the whole client; 0 means no limit.
	RequestsPerSecond float64
	// UserAgent is sent with every request.
	UserAgent string
	// Logger receives one record per attempt; nil discards them.
	Logger *slog.Logger
}

// A Client calls the API. It is safe for concurrent use.
type Client struct {
	fresh bool
}

// New returns a client. It sends nothing.
func New(config Config) *Client { return &Client{} }

// Fresh returns the same client, with the same connections and the same
// memory, whose reads always ask the API and share what they find.
func (c *Client) Fresh() *Client {
	fresh := *c
	fresh.fresh = true
	return &fresh
}
