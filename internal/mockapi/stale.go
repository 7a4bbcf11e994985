package mockapi

import (
	"net/http"
	"reflect"
	"time"
)

// version is an object as it was until a change.
type version struct {
	until    time.Time
	document Object
}

// stale is how old objects are in responses: the value of stale_pipes, stale_services or stale_keys.
func (v Variants) stale(kind Kind) time.Duration {
	age, _ := time.ParseDuration(v.Value("stale_" + string(kind) + "s")) // 0 without the variant
	return age
}

// keepVersion keeps what an object was before a change, if responses may still show that.
func (s *Server) keepVersion(target *storedObject, before Object) {
	if s.variants.stale(target.kind) > 0 && !reflect.DeepEqual(before, target.document) {
		target.versions = append(target.versions, version{s.now(), before})
	}
}

// visible is the object as responses show it now.
func (s *Server) visible(target *storedObject) Object {
	stale := s.variants.stale(target.kind)
	if stale == 0 {
		return target.document
	}
	moment := s.now().Add(-stale)
	for _, old := range target.versions {
		if old.until.After(moment) {
			return old.document
		}
	}
	return target.document
}

// loseRead refuses one read of an object after each accepted change, while responses do not
// show that change (lost_read).
func (s *Server) loseRead(c *call, target *storedObject, body Object) *problem {
	isRead := len(body) == 0 && c.operation.id != "listBackups"
	isBehind := target.late != nil || !reflect.DeepEqual(s.visible(target), target.document)
	if s.variants.Value("lost_read") == "" || !isRead || !target.losesRead || !isBehind {
		return nil
	}
	target.losesRead = false
	if s.variants.Has("lost_read=page") {
		return &problem{status: http.StatusNotFound, message: "The upstream server has no such page.", isPage: true}
	}
	return refuse(s.variants.number("lost_read"), "%s %s not found", target.kind, target.id())
}
