package api

import (
	"context"
	"encoding/json"
	"slices"

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

// Values of a key's state and roles.
var (
	KeyStates = []string{"enabled", "disabled"}
	KeyRoles  = []string{"admin", "developer", "query_endpoints"}
)

// UnmarshalJSON spells a state and roles as documented: some APIs return ADMIN.
func (k *Key) UnmarshalJSON(data []byte) error {
	type plain Key
	err := json.Unmarshal(data, (*plain)(k))
	k.State.value = spelled(k.State.value, KeyStates)
	k.Roles.value = slices.Clone(k.Roles.value)
	for i, role := range k.Roles.value {
		k.Roles.value[i] = spelled(role, KeyRoles)
	}
	return err
}

func (k *Key) wasRead(transport.Response) {
	if !isBare(k, Value[string]{}) {
		emptyIfLeftOut(&k.Roles)
		emptyIfLeftOut(&k.IPAccessList)
		emptyIfLeftOut(&k.ExpireAt)
	}
}

// A KeyUpdate is what to change about a key (updateKey). What is left out is not
// changed. ExpireAt is null for a key that never expires.
type KeyUpdate struct {
	Name, ExpireAt, State Value[string]

	Roles        ListUpdate[string]
	IPAccessList ListUpdate[AccessEntry]
}

// Key reads an API key, as Service reads a service.
func (c *Client) Key(ctx context.Context, keyID string) (*Key, error) {
	return c.keys.at(keyID).read(ctx, c, c.readRequest("read key", "keys", keyID))
}

// UpdateKey sends the members of want that have a value (updateKey) and returns the new key:
// see afterUpdate. Lists are sent whole: a read right before the request, and another after
// a failure, shows what to merge them with, so that what someone else adds stays. Without a member to send it is a read.
func (c *Client) UpdateKey(ctx context.Context, keyID string, want KeyUpdate) (*Key, error) {
	changesLists := want.Roles.After.IsKnown() || want.IPAccessList.After.IsKnown()
	if !changesLists && !want.Name.IsKnown() && !want.ExpireAt.IsKnown() && !want.State.IsKnown() {
		return c.Key(ctx, keyID)
	}
	r, read := updateRequest("update key", "keys", keyID), c.readRequest("read key", "keys", keyID)
	r.Body = want.body(Key{})
	cached, budget := c.keys.at(keyID), c.transport.NewRetryBudget()
	if changesLists {
		r.MakeBody = func(ctx context.Context) ([]byte, error) {
			shown, err := cached.readToWrite(ctx, c, read, budget)
			return want.body(shown), err
		}
	}
	return cached.write(ctx, r.Operation, func() (*Key, error) {
		resp, err := c.transport.Do(ctx, r, budget)
		if err != nil {
			return nil, err
		}
		return afterUpdate(cached.latestOrZero(), resp, want.Name)
	})
}

// body returns the JSON of an update of a key that the API shows like this.
func (u KeyUpdate) body(shown Key) []byte {
	patch := Key{
		Name: u.Name, ExpireAt: u.ExpireAt, State: u.State,
		Roles: u.Roles.merged(shown.Roles), IPAccessList: u.IPAccessList.merged(shown.IPAccessList),
	}
	patch.IPAccessList.value = withoutNullTexts(patch.IPAccessList.value)
	body, _ := json.Marshal(patch) // strings can always be written
	return body
}
