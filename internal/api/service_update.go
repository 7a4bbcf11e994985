package api

import "context"

// A ServiceUpdate says how a service should be (specification, "Update service
// basic details"). What is absent is left alone.
type ServiceUpdate struct {
	Name                           Value[string] `json:"name,omitzero"`
	ReleaseChannel                 Value[string] `json:"releaseChannel,omitzero"`
	TransparentDataEncryptionKeyID Value[string] `json:"transparentDataEncryptionKeyId,omitzero"`

	// Endpoints are the ones to change.
	Endpoints []EndpointSwitch `json:"-"`
	// IPAccessList is the list as it should be, whole.
	IPAccessList Value[[]AccessEntry] `json:"ipAccessList,omitzero"`
	// PrivateEndpointIDs is the list as it should be, whole.
	PrivateEndpointIDs Value[[]string] `json:"privateEndpointIds,omitzero"`
}

// An EndpointSwitch turns a service's endpoint of one protocol on or off.
type EndpointSwitch struct {
	Protocol string `json:"protocol"`
	Enabled  bool   `json:"enabled"`
}

// UpdateService brings a service to want and returns the newest service.
func (c *Client) UpdateService(ctx context.Context, serviceID string, want ServiceUpdate) (*Service, error) {
	return nil, errUnwritten
}
