package api

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Config configures a Client.
type Config struct {
	Transport  transport.Config
	ReadMethod string // of services and keys: "PATCH" with {} (default), or "GET"
	// HidesRefused says that an API that refuses to read a service or key does not return it:
	// the error is [ErrHidden], and the read is not repeated.
	HidesRefused bool
	// UpdateTimeout is how long an accepted change may take to show.
	UpdateTimeout time.Duration
}

// A Client calls the operations of the API. It is safe for concurrent use.
type Client struct {
	*shared
	isFresh      bool // reads do not use the cache
	isAsReturned bool // reads do not use the result of a write
}

// shared is what a client has in common with its [Client.Fresh] and [Client.AsReturned].
type shared struct {
	transport *transport.Client
	config    Config // with defaults

	pipes    cache[Pipe]
	services cache[Service]
	keys     cache[Key]
	backups  cache[Backups]
}

// New returns a client. It sends nothing.
func New(config Config) *Client {
	config.ReadMethod = cmp.Or(config.ReadMethod, http.MethodPatch)
	return &Client{shared: &shared{transport: transport.New(config.Transport, LoggedMembers), config: config}}
}

// updateRequest updates a service or a key; kind is the segment of its path.
func updateRequest(operation, kind, id string) transport.Request {
	return transport.Request{Operation: operation, Method: http.MethodPatch, Path: []string{kind, id}, ID: id, Writes: true}
}

// RefusalsOfReads are the statuses of an API that does not offer the read of a service or key.
var RefusalsOfReads = []int{
	http.StatusBadRequest, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity,
	http.StatusInternalServerError, http.StatusNotImplemented,
}

// readRequest reads a service or a key. The documentation shows no operation for
// that, but an update that changes nothing returns the object.
func (c *Client) readRequest(operation, kind, id string) transport.Request {
	r := transport.Request{Operation: operation, Method: c.config.ReadMethod, Path: []string{kind, id}, ID: id}
	if c.config.HidesRefused {
		r.Final = RefusalsOfReads
	}
	if r.Method == http.MethodPatch {
		r.Body = []byte("{}")
	}
	return r
}

// fetch reads an object.
func fetch[T any](ctx context.Context, c *Client, r transport.Request, b *transport.RetryBudget) (*T, error) {
	resp, err := c.transport.Do(ctx, r, b)
	if err != nil {
		return nil, err
	}
	value, err := decode(*new(T), resp)
	if object, ok := any(value).(interface{ wasRead(transport.Response) }); ok && err == nil {
		object.wasRead(resp)
	}
	return value, err
}

// fetchOrHidden reads an object. The error is [ErrHidden] if the status is final: see readRequest. A rate limit
// is none of these.
func fetchOrHidden[T any](ctx context.Context, c *Client, r transport.Request, b *transport.RetryBudget) (*T, error) {
	value, err := fetch[T](ctx, c, r, b)
	if err != nil && !transport.IsRateLimit(err) && slices.Contains(r.Final, failureOf(err).Status) {
		err = hiddenError{err}
	}
	return value, err
}

// emptyIfLeftOut makes a list or an expiry that a read leaves out null: many APIs leave out what is empty. What the
// response to an update leaves out is not changed by it.
func emptyIfLeftOut[T any](v *Value[T]) {
	if v.IsZero() {
		*v = NullOf[T]()
	}
}

func decode[T any](before T, resp transport.Response) (*T, error) {
	if err := resp.Decode(&before); err != nil {
		return nil, err
	}
	return &before, nil
}

// afterUpdate returns an object after an update, whose members are those of the response, else
// those from before: a response may leave out members. A null is a value. It returns nil if the response is bare.
func afterUpdate[T any](before T, resp transport.Response, sentName Value[string]) (*T, error) {
	if resp.Result == nil {
		return nil, nil
	}
	shown, err := decode(*new(T), resp)
	if err != nil || isBare(shown, sentName) {
		return nil, err
	}
	return decode(before, resp)
}

// isBare reports whether a response shows no more of an object than its id and name. A name that was sent is more.
func isBare(object any, sentName Value[string]) bool {
	var members Object
	data, _ := json.Marshal(object)
	_ = json.Unmarshal(data, &members) // was an object
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool {
		return name == "id" || name == "name" && !sentName.IsKnown()
	})
	return len(members) == 0
}

// ReadsByUpdate reports whether services and keys are read by an empty update.
func (c *Client) ReadsByUpdate() bool { return c.config.ReadMethod == http.MethodPatch }

// KeyID is the id of the credentials that the client uses.
func (c *Client) KeyID() string { return c.config.Transport.KeyID }

// Fresh returns a client whose reads do not use the cache, and update it. Hidden objects
// are not asked for again.
func (c *Client) Fresh() *Client { return &Client{shared: c.shared, isFresh: true} }

// AsReturned returns a client whose reads show what the API returned to a read, and never the result of a write.
func (c *Client) AsReturned() *Client { return &Client{shared: c.shared, isAsReturned: true} }
