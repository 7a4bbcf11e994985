package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Config configures a Client.
type Config struct {
	Transport  transport.Config
	ReadMethod string // of services and keys: "PATCH" with {} (default), or "GET"
	// AlsoHidden are more statuses, besides 400, 405 and 422, that hide a service or key:
	// the error is [ErrHidden], and the read is not repeated.
	AlsoHidden []int
	// UpdateTimeout is how long an accepted change may take to show.
	UpdateTimeout time.Duration
}

// A Client calls the operations of the API. It is safe for concurrent use.
type Client struct {
	*shared
	fresh freshness
}

// shared is what a client has in common with its [Client.Fresh], [Client.AsReturned] and [Client.LastRead].
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
	return transport.Request{Operation: operation, Method: http.MethodPatch, Path: []string{kind, id}, ID: id}
}

// readRequest reads a service or a key. The documentation shows no operation for
// that, but an update that changes nothing returns the object.
func (c *Client) readRequest(operation, kind, id string) transport.Request {
	r := updateRequest(operation, kind, id)
	r.IsFinal = c.meansHidden
	if r.Method = c.config.ReadMethod; r.Method == http.MethodPatch {
		r.Body = []byte("{}")
	}
	return r
}

// meansHidden reports whether a read with this status means a hidden service or key.
func (c *Client) meansHidden(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity}, status) ||
		slices.Contains(c.config.AlsoHidden, status)
}

// doOrLeaveOut sends an update. If the API refuses it, leaveOut drops from its body what was only sent along. If it
// reports that there was any, the update is sent again.
func (c *Client) doOrLeaveOut(ctx context.Context, r transport.Request, b *transport.RetryBudget, leaveOut func() bool) (transport.Response, error) {
	resp, err := c.transport.Do(ctx, r, b)
	if first := err; isInvalid(err) && leaveOut() {
		if resp, err = c.transport.Do(ctx, r, b); err != nil && transport.IsOutcomeUnknown(first) {
			err = partlyApplied(err)
		}
	}
	return resp, err
}

// fetch reads an object.
func fetch[T any](ctx context.Context, c *Client, r transport.Request, b *transport.RetryBudget) (*T, error) {
	resp, err := c.transport.Do(ctx, r, b)
	if err != nil {
		return nil, err
	}
	value, err := decode(*new(T), resp)
	if backups, isList := any(value).(*Backups); isList && err == nil {
		backups.HasMore = resp.HasMore()
	}
	return value, err
}

// fetchOrHidden reads an object. The error is [ErrHidden] if the status is final: see readRequest.
func fetchOrHidden[T any](ctx context.Context, c *Client, r transport.Request, b *transport.RetryBudget) (*T, error) {
	value, err := fetch[T](ctx, c, r, b)
	if err != nil && r.IsFinal != nil && r.IsFinal(failureOf(err).Status) {
		err = hiddenError{err}
	}
	return value, err
}

func decode[T any](before T, resp transport.Response) (*T, error) {
	if err := resp.Decode(&before); err != nil {
		return nil, err
	}
	return &before, nil
}

// afterUpdate returns an object after an update, whose members are those of the response, else
// those from before: a response may leave out members. A null is a value. If the response shows
// nothing of the object, the error is an [UnshownError].
func afterUpdate[T any](before T, resp transport.Response) (*T, error) {
	if showsNothing[T](resp) {
		return nil, &UnshownError{Message: resp.Message}
	}
	return decode(before, resp)
}

// showsNothing reports whether a result has no documented member besides the id, or is an operation,
// with an id, a name, a state and a time of its own.
func showsNothing[T any](resp transport.Response) bool {
	var shown T
	if resp.Result != nil && json.Unmarshal(resp.Result, &shown) != nil {
		return false
	}
	ignored := []string{"id"}
	if resp.OtherID() != "" {
		ignored = append(ignored, "name", "state", "createdAt")
	}
	for field, value := range reflect.ValueOf(shown).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		member, isMember := reflect.TypeAssert[interface{ IsZero() bool }](value)
		if isMember && !member.IsZero() && !slices.Contains(ignored, name) {
			return false
		}
	}
	return true
}

// ReadsByUpdate reports whether services and keys are read by an empty update.
func (c *Client) ReadsByUpdate() bool { return c.config.ReadMethod == http.MethodPatch }

// KeyID is the id of the credentials that the client uses.
func (c *Client) KeyID() string { return c.config.Transport.KeyID }

// Fresh returns a client whose reads do not use the cache, and update it. Hidden objects
// are not asked for again.
func (c *Client) Fresh() *Client { return &Client{c.shared, alwaysRead} }

// AsReturned returns a client whose reads show what the API returned to a read, and never
// the result of a write: an object that was written since is read again.
func (c *Client) AsReturned() *Client { return &Client{c.shared, asReturned} }

// LastRead returns a client whose reads show the result of the last read that found the object, even
// if a write came after it. They send nothing. The error is [ErrNotRead] if there was none, or if the cache was
// emptied since, because a write may have changed more than it shows.
func (c *Client) LastRead() *Client { return &Client{c.shared, lastRead} }

// Stop is that of [transport.Client].
func (c *Client) Stop() { c.transport.Stop() }
