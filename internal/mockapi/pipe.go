package mockapi

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
)

// lateScaling is what a scaling looks like in some responses after a change.
type lateScaling struct {
	scaling any // nil: left out
	reads   int // how many still show it
}

// showPipe is the pipe, whose scaling may be late.
func (s *Server) showPipe(target *storedObject) any {
	pipe := clone(s.visible(target))
	if s.variants.Has("undocumented_source") {
		pipe["source"] = Object{"pubsub": Object{}}
	}
	if target.late == nil {
		return pipe
	}
	if pipe["scaling"] = target.late.scaling; target.late.scaling == nil {
		delete(pipe, "scaling")
	}
	if target.late.reads--; target.late.reads < 0 {
		target.late = nil
	}
	return pipe
}

func (s *Server) showSettings(target *storedObject) any {
	settings, _ := s.visible(target)["settings"].(Object)
	return clone(settings)
}

// sources are the kinds of source that a pipe has.
func (o *storedObject) sources() []string {
	source, _ := o.document["source"].(Object)
	return slices.Sorted(maps.Keys(source))
}

func (s *Server) scalePipe(target *storedObject, body Object) *problem {
	body, refusal := s.variants.sized(body)
	if refusal != nil {
		return refusal
	}
	scaling := child(target.document, "scaling")
	old := clone(scaling)
	s.variants.overlay(scaling, body, old, target.defaults["scaling"].(Object))
	if len(body) > 0 {
		s.store.advance(target.document, "updatedAt")
		target.late = s.variants.lateScaling(old)
	}
	return nil
}

// sized is the body of a scaling, with the CPU that follows from the memory and the other way round.
func (v Variants) sized(sent Object) (Object, *problem) {
	const cpu, memory, perGb = "replicaCpuMillicores", "replicaMemoryGb", 250
	millicores, sendsCPU := sent[cpu]
	gb, sendsMemory := sent[memory]
	switch {
	case v.Value("replica_size") == "" || sendsCPU == sendsMemory:
		return sent, nil
	case v.Has("replica_size=both"):
		return nil, refuse(http.StatusBadRequest, "body: %s and %s must be set together", cpu, memory)
	}
	both := maps.Clone(sent)
	switch { // a null resets both
	case millicores != nil:
		gb = whole(float(millicores) / perGb)
	case gb != nil:
		millicores = whole(math.Round(float(gb) * perGb))
	}
	both[cpu], both[memory] = millicores, gb
	return both, nil
}

// float is a stored number.
func float(number any) float64 {
	if integer, ok := number.(int64); ok {
		return float64(integer)
	}
	return number.(float64)
}

// LateReads is how many reads after a change of the scaling show it late, besides the response.
func (v Variants) LateReads() int {
	if v.Value("late") == "" {
		return 0
	}
	return cmp.Or(v.number("late_reads"), 2)
}

// lateScaling is what a scaling looks like after it was changed from old; nil if it is not late.
func (v Variants) lateScaling(old Object) *lateScaling {
	late := &lateScaling{reads: v.LateReads()} // absent
	switch v.Value("late") {
	case "":
		return nil
	case "old":
		late.scaling = old
	case "zero":
		zeros := Object{}
		for name := range old {
			zeros[name] = int64(0)
		}
		late.scaling = zeros
	}
	return late
}

// updatePipeSettings refuses an empty body, as APIs of this kind do. openapi.yaml allows it.
func (s *Server) updatePipeSettings(target *storedObject, body Object) *problem {
	if len(body) == 0 {
		return refuse(http.StatusBadRequest, "body: at least one setting is required")
	}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if needed := s.variants.foreign(name, target.sources()); len(needed) > 0 {
			return refuse(http.StatusBadRequest, "BAD_REQUEST: %s is only supported for %s pipes", name, strings.Join(needed, " and "))
		}
	}
	old := child(target.document, "settings")
	defaults := target.defaults["settings"].(Object)
	settings := Object{}
	switch s.variants.Value("settings_put") {
	case "":
		settings = clone(defaults)
	case "merge":
		settings = clone(old)
	}
	s.variants.overlay(settings, body, old, defaults)
	for name, value := range old { // a setting that cannot be sent stays
		if len(s.variants.foreign(name, target.sources())) > 0 || s.variants.Has("refuse_extra_setting") && name == extraSetting {
			settings[name] = value
		}
	}
	target.document["settings"] = settings
	s.store.advance(target.document, "updatedAt")
	return nil
}

// foreign returns the kinds of source that a setting needs and the pipe does not
// have, if the server refuses such settings.
func (v Variants) foreign(name string, sources []string) []string {
	if !v.Has("refuse_foreign_settings") {
		return nil
	}
	request, _ := Schemas("updatePipeSettings")
	needed := Sources(Members(request)[name])
	isOfPipe := func(kind string) bool { return slices.Contains(sources, kind) && !v.Has("undocumented_source") }
	if slices.ContainsFunc(needed, isOfPipe) {
		return nil
	}
	return needed
}

// overlay sets members to what was sent. A null resets a member to its default,
// or to its old value if nulls are ignored.
func (v Variants) overlay(members, sent, old, defaults Object) {
	instead := defaults
	if v.Has("ignore_nulls") {
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

// extraSetting is a setting that openapi.yaml does not have. Its value is past
// what a float64 holds.
const (
	extraSetting      = "db_future_setting"
	extraSettingValue = int64(9_007_199_254_740_993)
)

// offerExtraSetting adds the extra setting to a pipe, or removes it.
func (o *storedObject) offerExtraSetting(v Variants) {
	for _, holder := range []Object{o.document, o.defaults} {
		settings, isObject := holder["settings"].(Object)
		_, offers := settings[extraSetting]
		switch {
		case !isObject: // a test has removed them
		case !v.Has("extra_members") && !v.Has("refuse_extra_setting"):
			delete(settings, extraSetting)
		case !offers:
			settings[extraSetting] = extraSettingValue
		}
	}
}

// documentedSettings is a settings body without the extra setting, which a client may send back.
func (v Variants) documentedSettings(body Object) Object {
	documented := maps.Clone(body)
	if v.Has("extra_members") && !v.Has("refuse_extra_setting") {
		delete(documented, extraSetting)
	}
	return documented
}
