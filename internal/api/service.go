package api

import (
	"context"
	"encoding/json"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A Service is a hosted database. EncryptionKey is a secret. Memory is in GB.
type Service struct {
	ID                              Value[string]        `json:"id,omitzero"`
	Name                            Value[string]        `json:"name,omitzero"`
	DBVersion                       Value[string]        `json:"dbVersion,omitzero"`
	Endpoints                       Value[[]Endpoint]    `json:"endpoints,omitzero"`
	MinTotalMemoryGB                Value[float64]       `json:"minTotalMemoryGb,omitzero"`
	MaxTotalMemoryGB                Value[float64]       `json:"maxTotalMemoryGb,omitzero"`
	MinReplicaMemoryGB              Value[float64]       `json:"minReplicaMemoryGb,omitzero"`
	MaxReplicaMemoryGB              Value[float64]       `json:"maxReplicaMemoryGb,omitzero"`
	NumReplicas                     Value[int64]         `json:"numReplicas,omitzero"`
	IdleScaling                     Value[bool]          `json:"idleScaling,omitzero"`
	IdleTimeoutMinutes              Value[int64]         `json:"idleTimeoutMinutes,omitzero"`
	IPAccessList                    Value[[]AccessEntry] `json:"ipAccessList,omitzero"`
	CreatedAt                       Value[string]        `json:"createdAt,omitzero"`
	EncryptionKey                   Value[string]        `json:"encryptionKey,omitzero"`
	EncryptionAssumedRoleIdentifier Value[string]        `json:"encryptionAssumedRoleIdentifier,omitzero"`
	IAMRole                         Value[string]        `json:"iamRole,omitzero"`
	PrivateEndpointIDs              Value[[]string]      `json:"privateEndpointIds,omitzero"`
	AvailablePrivateEndpointIDs     Value[[]string]      `json:"availablePrivateEndpointIds,omitzero"`
	DataWarehouseID                 Value[string]        `json:"dataWarehouseId,omitzero"`
	IsPrimary                       Value[bool]          `json:"isPrimary,omitzero"`
	IsReadonly                      Value[bool]          `json:"isReadonly,omitzero"`
	BYOCID                          Value[string]        `json:"byocId,omitzero"`
	HasTransparentDataEncryption    Value[bool]          `json:"hasTransparentDataEncryption,omitzero"`
	TransparentDataEncryptionKeyID  Value[string]        `json:"transparentDataEncryptionKeyId,omitzero"`
	EncryptionRoleID                Value[string]        `json:"encryptionRoleId,omitzero"`

	ReleaseChannel Value[string] `json:"releaseChannel,omitzero"` // in no documented response
}

// UnmarshalJSON spells the release channel as documented.
func (s *Service) UnmarshalJSON(data []byte) error {
	type plain Service
	err := json.Unmarshal(data, (*plain)(s))
	s.ReleaseChannel.value = spelled(s.ReleaseChannel.value, ReleaseChannels)
	return err
}

func (s *Service) wasRead(transport.Response) {
	if !isBare(s, Value[string]{}) {
		emptyIfLeftOut(&s.IPAccessList)
		emptyIfLeftOut(&s.PrivateEndpointIDs)
	}
}

// ServiceNameMaxLength is in characters, which are alphanumeric or white space.
const ServiceNameMaxLength = 50

// ReleaseChannels are the values of a service's release channel.
var ReleaseChannels = []string{"slow", "default", "fast"}

// An Endpoint is an address of a service. No documented response has Enabled.
type Endpoint struct {
	Protocol Value[string] `json:"protocol,omitzero"`
	Host     Value[string] `json:"host,omitzero"`
	Port     Value[int64]  `json:"port,omitzero"`
	Username Value[string] `json:"username,omitzero"`
	Enabled  Value[bool]   `json:"enabled,omitzero"`
}

// An AccessEntry allows an address or a range. A Description that is left out, null or "" is none.
type AccessEntry struct {
	Source      string        `json:"source"`
	Description Value[string] `json:"description,omitzero"`
}

// Text is the description, "" for none, in the normal form (NFC) that Terraform gives to texts.
func (e AccessEntry) Text() string { return norm.NFC.String(e.Description.value) }

// Service reads a service by the client's method. If the API will not return it, the
// error is [ErrHidden], and it is not asked again. Reads are shared like a pipe's.
func (c *Client) Service(ctx context.Context, serviceID string) (*Service, error) {
	return c.services.at(serviceID).read(ctx, c, c.readRequest("read service", "services", serviceID))
}

// A ServiceUpdate changes a service (updateService). What is left out is not changed.
type ServiceUpdate struct {
	Name                           Value[string]    `json:"name,omitzero"`
	ReleaseChannel                 Value[string]    `json:"releaseChannel,omitzero"`
	TransparentDataEncryptionKeyID Value[string]    `json:"transparentDataEncryptionKeyId,omitzero"`
	Endpoints                      []EndpointSwitch `json:"endpoints,omitempty"` // only the ones to change

	IPAccessList       ListUpdate[AccessEntry] `json:"-"`
	PrivateEndpointIDs ListUpdate[string]      `json:"-"`

	isCreation bool // it adds an entry, and fails if the service has that
}

// An EndpointSwitch turns a service's endpoint of one protocol on or off.
type EndpointSwitch struct {
	Protocol string `json:"protocol"`
	Enabled  bool   `json:"enabled"`
}

// EntryUpdate is the update of one entry of a service's access list: everything at its address, and nothing else.
// Without before, it adds the entry, or fails with [ErrExists]; without after, it removes it.
func EntryUpdate(before, after *AccessEntry) ServiceUpdate {
	return ServiceUpdate{IPAccessList: oneEntry(before, after), isCreation: before == nil}
}

// PrivateEndpointUpdate is, likewise, the update of one private endpoint.
func PrivateEndpointUpdate(before, after *string) ServiceUpdate {
	return ServiceUpdate{PrivateEndpointIDs: oneEntry(before, after), isCreation: before == nil}
}

// oneEntry always sets Before: without it, After would be the whole list.
func oneEntry[E any](before, after *E) ListUpdate[E] {
	return ListUpdate[E]{Before: ValueOf(atMostOne(before)), After: ValueOf(atMostOne(after))}
}

func atMostOne[E any](e *E) []E {
	if e == nil {
		return nil
	}
	return []E{*e}
}

// A servicePatch is the body of updateService: the update, with its lists as changes.
type servicePatch struct {
	ServiceUpdate
	IPAccessList       listChange[AccessEntry] `json:"ipAccessList,omitzero"`
	PrivateEndpointIDs listChange[string]      `json:"privateEndpointIds,omitzero"`
}

// A listChange is how updateService changes a list.
type listChange[E any] struct {
	Add    []E `json:"add,omitempty"`
	Remove []E `json:"remove,omitempty"`
}

// IsZero reports whether there is nothing to change.
func (c listChange[E]) IsZero() bool { return len(c.Add) == 0 && len(c.Remove) == 0 }

// listChanges are the changes of a service's lists.
type listChanges [2]listChange[AccessEntry]

// The lists of a service: the access list, and the private endpoints as entries.
const accessList, endpointList = 0, 1

// body returns the JSON of a PATCH, {} for nothing to change.
func (u ServiceUpdate) body(changes listChanges) []byte {
	entries, endpoints := changes[accessList], changes[endpointList]
	body, _ := json.Marshal(servicePatch{ // strings and booleans can always be written
		u,
		listChange[AccessEntry]{withoutNullTexts(entries.Add), withoutNullTexts(entries.Remove)},
		listChange[string]{asIDs(endpoints.Add), asIDs(endpoints.Remove)},
	})
	return body
}

// IsZero reports whether there is nothing to change.
func (c listChanges) IsZero() bool { return c[accessList].IsZero() && c[endpointList].IsZero() }

// changesBesideLists reports whether the update changes anything besides the lists.
func (u ServiceUpdate) changesBesideLists() bool { return !isEmpty(u.body(listChanges{})) }

func isEmpty(body []byte) bool { return string(body) == "{}" }

// asEntries returns private endpoints as entries without a description.
func asEntries(ids Value[[]string]) Value[[]AccessEntry] {
	entries := Value[[]AccessEntry]{state: ids.state}
	for _, id := range ids.value {
		entries.value = append(entries.value, AccessEntry{Source: id})
	}
	return entries
}

func asIDs(entries []AccessEntry) []string {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.Source
	}
	return ids
}

// withoutNullTexts returns entries without descriptions that are null.
func withoutNullTexts(entries []AccessEntry) []AccessEntry {
	entries = slices.Clone(entries)
	for i := range entries {
		if entries[i].Description.IsNull() {
			entries[i].Description = Value[string]{}
		}
	}
	return entries
}
