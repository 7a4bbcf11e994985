package api

import "context"

// A Key is an API key of the organization (specification, "API key"). Its
// secret is never part of it.
type Key struct {
	ID           Value[string]        `json:"id,omitzero"`
	Name         Value[string]        `json:"name,omitzero"`
	Roles        Value[[]string]      `json:"roles,omitzero"`
	KeySuffix    Value[string]        `json:"keySuffix,omitzero"`
	CreatedAt    Value[string]        `json:"createdAt,omitzero"`
	ExpireAt     Value[string]        `json:"expireAt,omitzero"`
	UsedAt       Value[string]        `json:"usedAt,omitzero"`
	IPAccessList Value[[]AccessEntry] `json:"ipAccessList,omitzero"`

	// State can be written; whether an answer carries it is not specified.
	State Value[string] `json:"state,omitzero"`
}

// A KeyUpdate holds the members of a key to change (specification, "Update
// key"). What is absent is left alone. Lists are whole. ExpireAt is null for a
// key that never expires.
type KeyUpdate struct {
	Name         Value[string]        `json:"name,omitzero"`
	Roles        Value[[]string]      `json:"roles,omitzero"`
	ExpireAt     Value[string]        `json:"expireAt,omitzero"`
	State        Value[string]        `json:"state,omitzero"`
	IPAccessList Value[[]AccessEntry] `json:"ipAccessList,omitzero"`
}

// Key reads an API key. The API has no operation for it; an update that
// changes nothing answers with the object (specification, "Update key"). Where
// the API refuses that, errors.Is finds ErrReadRefused in the error. Reads are
// shared as those of a pipe are.
func (c *Client) Key(ctx context.Context, keyID string) (*Key, error) {
	return nil, errUnwritten
}

// UpdateKey sends the members of change that are not absent (specification,
// "Update key") and returns the newest key.
func (c *Client) UpdateKey(ctx context.Context, keyID string, change KeyUpdate) (*Key, error) {
	return nil, errUnwritten
}
