package mockapi

import (
	"maps"
	"net/http"
)

func (s *Server) getPipe(target *record, _ Object) (any, *problem) {
	return target.pipe(), nil
}

// lateScaling is what a scaling looks like for the next reads.
type lateScaling struct {
	scaling any // nil: left out
	reads   int
}

// pipe is the pipe as it is answered, whose scaling may lag behind.
func (o *record) pipe() Object {
	pipe := clone(o.document)
	if o.late == nil {
		return pipe
	}
	if pipe["scaling"] = o.late.scaling; o.late.scaling == nil {
		delete(pipe, "scaling")
	}
	if o.late.reads--; o.late.reads < 0 {
		o.late = nil
	}
	return pipe
}

func (s *Server) scalePipe(target *record, body Object) (any, *problem) {
	scaling := child(target.document, "scaling")
	old := clone(scaling)
	s.readings.overlay(scaling, body, old, target.defaults["scaling"].(Object))
	if len(body) > 0 {
		s.store.touch(target.document)
		target.late = s.readings.late(old)
	}
	return target.pipe(), nil
}

// late is how a scaling lags behind after it was changed from old.
func (r Readings) late(old Object) *lateScaling {
	late := &lateScaling{reads: r.LateReads}
	switch r.Late {
	case LateOld:
		late.scaling = old
	case LateZero:
		zeros := Object{}
		for name := range old {
			zeros[name] = int64(0)
		}
		late.scaling = zeros
	case LateAbsent:
	default:
		return nil
	}
	return late
}

// updatePipeSettings refuses an empty body, which an API of this kind is known
// to do and the specification does not exclude.
func (s *Server) updatePipeSettings(target *record, body Object) (any, *problem) {
	if len(body) == 0 {
		return nil, refuse(http.StatusBadRequest, "body: at least one setting is required")
	}
	old := child(target.document, "settings")
	defaults := target.defaults["settings"].(Object)
	settings := Object{}
	switch s.readings.SettingsPut {
	case Replace:
		settings = clone(defaults)
	case Merge:
		settings = clone(old)
	case Forget:
	}
	s.readings.overlay(settings, body, old, defaults)
	target.document["settings"] = settings
	s.store.touch(target.document)
	return clone(settings), nil
}

// overlay puts what was sent over members. A null takes the member's default,
// or where nulls are ignored its old value.
func (r Readings) overlay(members, sent, old, defaults Object) {
	instead := defaults
	if r.IgnoreNulls {
		instead = old
	}
	for name, value := range sent {
		if value == nil {
			value = instead[name]
		}
		if members[name] = value; value == nil {
			delete(members, name)
		}
	}
}

// extraSetting is a setting that the specification does not know. Its value is
// past what a float64 holds.
const (
	extraSetting      = "db_future_setting"
	extraSettingValue = int64(9_007_199_254_740_993)
)

// offerExtraSetting gives a pipe the extra setting, or takes it away.
func (o *record) offerExtraSetting(offered bool) {
	for _, holder := range []Object{o.document, o.defaults} {
		settings, isObject := holder["settings"].(Object)
		_, offers := settings[extraSetting]
		switch {
		case !isObject: // a test has taken them away
		case !offered:
			delete(settings, extraSetting)
		case !offers:
			settings[extraSetting] = extraSettingValue
		}
	}
}

// withoutOwnSettings is a settings body without those settings that the
// contract does not know but the pipe has: a server that has them takes them.
func (o *record) withoutOwnSettings(operation *operation, body Object) Object {
	if operation.id != "updatePipeSettings" {
		return body
	}
	known := maps.Clone(body)
	for name := range child(o.document, "settings") {
		if _, described := operation.body.Properties[name]; !described {
			delete(known, name)
		}
	}
	return known
}
