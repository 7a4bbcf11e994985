package mockapi

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// updateService changes a draft, so that a refused request changes nothing.
func (s *Server) updateService(target *storedObject, body Object) *problem {
	if refusal := s.variants.refuseEmpty(body); refusal != nil {
		return refusal
	}
	draft := clone(target.document)
	for name, value := range body {
		switch value.(type) {
		case Object, []any: // changes of a list, below
		default:
			draft[name] = value
		}
	}
	draft["name"] = s.variants.storedText(draft["name"])
	if change, ok := body["ipAccessList"].(Object); ok {
		edited, refusal := s.variants.editEntries(list(draft, "ipAccessList"), change)
		if refusal != nil {
			return refusal
		}
		draft["ipAccessList"] = edited
	}
	if change, ok := body["privateEndpointIds"].(Object); ok {
		edited, refusal := s.variants.editIDs(list(draft, "privateEndpointIds"), change)
		if refusal != nil {
			return refusal
		}
		draft["privateEndpointIds"] = edited
	}
	for _, change := range list(body, "endpoints") {
		switchEndpoint(draft, change.(Object))
	}
	if id, ok := body["transparentDataEncryptionKeyId"]; ok && id != target.document["transparentDataEncryptionKeyId"] {
		draft["hasTransparentDataEncryption"] = true
		draft["encryptionKey"] = "encryption-key-" + uuid.NewString()
	}
	target.document = draft
	return nil
}

// switchEndpoint enables or disables an endpoint. The set of protocols is
// open, so a new protocol is given an address.
func switchEndpoint(service, change Object) {
	if change["protocol"] == nil {
		return // it names no endpoint
	}
	endpoints := list(service, "endpoints")
	at := slices.IndexFunc(endpoints, func(endpoint any) bool {
		return endpoint.(Object)["protocol"] == change["protocol"]
	})
	if at < 0 {
		at = len(endpoints)
		endpoints = append(endpoints, Object{
			"protocol": change["protocol"],
			"host":     fmt.Sprintf("%v.%v.db.example", change["protocol"], service["id"]),
			"port":     int64(9000 + at),
			"username": "default",
			"enabled":  false,
		})
		service["endpoints"] = endpoints
	}
	if enabled, ok := change["enabled"]; ok {
		endpoints[at].(Object)["enabled"] = enabled
	}
}

func (s *Server) showService(target *storedObject) any {
	service := clone(s.visible(target))
	if !s.variants.Has("echo_write_only") {
		delete(service, "releaseChannel")
	}
	if _, ok := service["endpoints"].([]any); !ok {
		return service
	}
	service["endpoints"] = slices.DeleteFunc(list(service, "endpoints"), func(endpoint any) bool {
		return endpoint.(Object)["enabled"] == false && !s.variants.Has("endpoints_always_listed")
	})
	for _, endpoint := range list(service, "endpoints") {
		if !s.variants.Has("echo_write_only") {
			delete(endpoint.(Object), "enabled")
		}
	}
	return service
}

// refuseEmpty refuses a body without members, which is the read of an object (refuse_empty_patch).
func (v Variants) refuseEmpty(body Object) *problem {
	status := v.number("refuse_empty_patch")
	if len(body) > 0 || status == 0 {
		return nil
	}
	return refuse(status, "body: at least one member is required")
}
