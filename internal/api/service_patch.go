package api

import "slices"

// A servicePatch is the body of updateService.
type servicePatch struct {
	details
	IPAccessList       listChange[AccessEntry] `json:"ipAccessList,omitzero"`
	PrivateEndpointIDs listChange[string]      `json:"privateEndpointIds,omitzero"`
}

// details are the members of a servicePatch that can be sent again.
type details struct {
	Name                           Value[string]    `json:"name,omitzero"`
	ReleaseChannel                 Value[string]    `json:"releaseChannel,omitzero"`
	TransparentDataEncryptionKeyID Value[string]    `json:"transparentDataEncryptionKeyId,omitzero"`
	Endpoints                      []EndpointSwitch `json:"endpoints,omitempty"`
}

func (d details) isEmpty() bool {
	return d.Name.IsAbsent() && d.ReleaseChannel.IsAbsent() &&
		d.TransparentDataEncryptionKeyID.IsAbsent() && len(d.Endpoints) == 0
}

func (p servicePatch) changesLists() bool {
	return !p.IPAccessList.IsZero() || !p.PrivateEndpointIDs.IsZero()
}

func (p servicePatch) isEmpty() bool { return !p.changesLists() && p.details.isEmpty() }

// A plannedPatch is a PATCH of one step.
type plannedPatch struct {
	servicePatch
	touchesChanged bool          // of an address that is there
	takes          []AccessEntry // removes these, although their address stays
}

func (u *serviceUpdate) plan(s step) plannedPatch {
	entries, ids := lists(u.service)
	access := differenceOf(u.want.IPAccessList, entries, addressOf, identityOf)
	endpoints := differenceOf(u.want.PrivateEndpointIDs, ids, itself, itself)
	p := plannedPatch{servicePatch: servicePatch{
		details:            u.pending,
		IPAccessList:       access.change(s),
		PrivateEndpointIDs: endpoints.change(s),
	}}
	p.IPAccessList.Add = sendable(p.IPAccessList.Add)
	p.IPAccessList.Remove = u.renamed(sendable(p.IPAccessList.Remove))
	switch s {
	case addChanged:
		p.touchesChanged = len(access.changed) > 0
	case replaceChanged, removeOutdated:
		p.takes = access.outdated
		p.touchesChanged = len(p.takes) > 0
	case skipChanged:
	}
	return p
}

// renamed writes those entries in their other notation that a removal has not
// reached.
func (u *serviceUpdate) renamed(entries []AccessEntry) []AccessEntry {
	for i, entry := range entries {
		if u.attempted[entry.Source] {
			entries[i].Source = otherNotation(entry.Source)
		}
	}
	return entries
}

// after returns the service that a patch should result in.
func (u *serviceUpdate) after(patch servicePatch) *Service {
	service := *u.service
	entries, ids := lists(u.service)
	if !patch.IPAccessList.IsZero() {
		entries = without(entries, patch.IPAccessList.Remove, identityOf)
		entries = without(entries, patch.IPAccessList.Add, addressOf)
		service.IPAccessList = ValueOf(append(entries, patch.IPAccessList.Add...))
	}
	if !patch.PrivateEndpointIDs.IsZero() {
		ids = without(ids, slices.Concat(patch.PrivateEndpointIDs.Remove, patch.PrivateEndpointIDs.Add), itself)
		service.PrivateEndpointIDs = ValueOf(append(ids, patch.PrivateEndpointIDs.Add...))
	}
	for _, detail := range []struct {
		from Value[string]
		to   *Value[string]
	}{
		{patch.Name, &service.Name},
		{patch.ReleaseChannel, &service.ReleaseChannel},
		{patch.TransparentDataEncryptionKeyID, &service.TransparentDataEncryptionKeyID},
	} {
		if !detail.from.IsAbsent() {
			*detail.to = detail.from
		}
	}
	return &service
}
