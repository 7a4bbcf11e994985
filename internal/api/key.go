package api

import (
	"context"
	"net/http"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A Key is an API key of the organization. Its secret is never part of it.
type Key struct {
	ID           Value[string]        `json:"id,omitzero"`
	Name         Value[string]        `json:"name,omitzero"`
	Roles        Value[[]string]      `json:"roles,omitzero"`
	KeySuffix    Value[string]        `json:"keySuffix,omitzero"`
	CreatedAt    Value[string]        `json:"createdAt,omitzero"`
	ExpireAt     Value[string]        `json:"expireAt,omitzero"`
	UsedAt       Value[string]        `json:"usedAt,omitzero"`
	IPAccessList Value[[]AccessEntry] `json:"ipAccessList,omitzero"`

	// State can be written; that a response has it is not documented.
	State Value[string] `json:"state,omitzero"`
}

// A KeyUpdate holds the members of a key to change (updateKey). What is absent
// is left alone. Lists are whole. ExpireAt is null for a key that never expires.
type KeyUpdate struct {
	Name         Value[string]        `json:"name,omitzero"`
	Roles        Value[[]string]      `json:"roles,omitzero"`
	ExpireAt     Value[string]        `json:"expireAt,omitzero"`
	State        Value[string]        `json:"state,omitzero"`
	IPAccessList Value[[]AccessEntry] `json:"ipAccessList,omitzero"`
}

// Key reads an API key. The API has no operation for it; an update that changes
// nothing (updateKey) returns the object. Where the API refuses that, errors.Is
// finds [transport.ErrReadRefused] in the error. Reads are shared as those of a
// pipe are.
func (c *Client) Key(ctx context.Context, keyID string) (*Key, error) {
	r := keyRequest(keyID)
	r.Operation, r.Effect, r.Body = "read key", transport.ReadOnly, []byte("{}")
	return c.keys.at(keyID).read(ctx, r.Operation, c.fresh, func(ctx context.Context) (*Key, error) {
		return fetch[Key](ctx, c, r, c.transport.NewBudget())
	})
}

// UpdateKey sends the members of change that are not absent (updateKey) and
// returns the newest key: the latest one, under what was sent, under what the
// response shows. Without a member to send it is a read.
func (c *Client) UpdateKey(ctx context.Context, keyID string, change KeyUpdate) (*Key, error) {
	r := keyRequest(keyID)
	r.Operation, r.Effect = "update key", transport.Idempotent
	body, err := encode(r.Operation, change)
	if err != nil {
		return nil, err
	}
	if body == nil {
		return c.Key(ctx, keyID)
	}
	r.Body = body
	return c.keys.at(keyID).write(ctx, r.Operation, func(latest *Key) (*Key, error) {
		resp, err := c.transport.Do(ctx, r, c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		return layered(latest, body, resp) // the body has the shape of a key
	})
}

// LatestKey is like LatestPipe.
func (c *Client) LatestKey(keyID string) *Key { return c.keys.at(keyID).newest() }

func keyRequest(keyID string) transport.Request {
	return transport.Request{Method: http.MethodPatch, Path: []string{"keys", keyID}, ID: keyID}
}
