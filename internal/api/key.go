package api

import (
	"context"
	"encoding/json"

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

	State Value[string] `json:"state,omitzero"` // in no documented response
}

// A KeyUpdate is what to change about a key (updateKey). What is absent is left
// alone. ExpireAt is null for a key that never expires.
type KeyUpdate struct {
	Name     Value[string] `json:"name,omitzero"`
	ExpireAt Value[string] `json:"expireAt,omitzero"`
	State    Value[string] `json:"state,omitzero"`

	Roles        ListUpdate[string]      `json:"-"`
	IPAccessList ListUpdate[AccessEntry] `json:"-"`
}

// A keyPatch is the body of updateKey. Its whole lists hide those of the update.
type keyPatch struct {
	KeyUpdate
	Roles        Value[[]string]      `json:"roles,omitzero"`
	IPAccessList Value[[]AccessEntry] `json:"ipAccessList,omitzero"`
}

// Key reads an API key, as Service reads a service.
func (c *Client) Key(ctx context.Context, keyID string) (*Key, error) {
	return c.keys.at(keyID).read(ctx, c, c.readRequest("read key", "keys", keyID))
}

// UpdateKey sends the members of want that are not absent (updateKey) and returns
// the newest key: the latest one, under what was sent, under what the response
// shows. Lists are merged into those that the key has, and are sent whole: after an
// unknown outcome the key is read again, so that what someone else adds meanwhile
// stays. Without a member to send it is a read.
func (c *Client) UpdateKey(ctx context.Context, keyID string, want KeyUpdate) (*Key, error) {
	changesLists := want.Roles.After.IsKnown() || want.IPAccessList.After.IsKnown()
	if !changesLists && !want.Name.IsKnown() && !want.ExpireAt.IsKnown() && !want.State.IsKnown() {
		return c.Key(ctx, keyID)
	}
	r := updateRequest("update key", "keys", keyID)
	r.Effect = transport.Idempotent
	return c.keys.at(keyID).write(ctx, r.Operation, func(latest Key) (_ *Key, err error) {
		if changesLists {
			r.Effect = transport.NonIdempotent // after an unknown outcome, the lists are merged again
			if latest, err = noneIfHidden(c.Key(ctx, keyID)); err != nil {
				return nil, err
			}
		}
		budget, mayBeApplied := c.transport.NewBudget(), false
		for {
			r.Body, _ = json.Marshal(want.patch(latest)) // strings can always be written
			resp, err := c.transport.Do(ctx, r, budget)
			if err == nil {
				return overlayResponse(latest, r.Body, resp)
			}
			if !changesLists || !transport.IsOutcomeUnknown(err) || !failureOf(err).Transient || budget.Wait(ctx, failureOf(err)) != nil {
				if mayBeApplied {
					err = partlyApplied(err)
				}
				return nil, err
			}
			mayBeApplied = true
			var unread error
			if latest, unread = noneIfHidden(fetch[Key](ctx, c, c.readRequest("read key", "keys", keyID), budget)); unread != nil {
				return nil, advised(err, "the key could not be read since")
			}
		}
	})
}

// patch is the update of a key that the API shows like this.
func (u KeyUpdate) patch(shown Key) keyPatch {
	p := keyPatch{u, u.Roles.merged(shown.Roles, stringKey, stringKey), u.IPAccessList.merged(shown.IPAccessList, addressOf, identityOf)}
	if entries, ok := p.IPAccessList.Get(); ok {
		p.IPAccessList = ValueOf(sendable(entries))
	}
	return p
}
