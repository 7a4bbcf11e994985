package api

import "github.com/dbplatform/terraform-provider-dbplatform/internal/transport"

// A Client calls the operations of the API. It is safe for concurrent use.
type Client struct {
	transport *transport.Client
	keyID     string

	fresh    bool
	pipes    *objects[Pipe]
	services *objects[Service]
	keys     *objects[Key]
	backups  *objects[[]Backup]
}

// New returns a client. It sends nothing.
func New(config transport.Config) *Client {
	return &Client{
		transport: transport.New(config),
		keyID:     config.KeyID,
		pipes:     &objects[Pipe]{},
		services:  &objects[Service]{},
		keys:      &objects[Key]{},
		backups:   &objects[[]Backup]{},
	}
}

// KeyID is the id of the credentials that the client uses.
func (c *Client) KeyID() string { return c.keyID }

// Fresh returns the same client, with the same connections and cache, whose
// reads always ask the API and share what they find.
func (c *Client) Fresh() *Client {
	fresh := *c
	fresh.fresh = true
	return &fresh
}

// Stop ends all requests, including those that are waiting and those that come
// later: they return [context.Canceled].
func (c *Client) Stop() { c.transport.Stop() }
