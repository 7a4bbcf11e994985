package mockapi

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// lateScaling is what a scaling looks like for the next reads.
type lateScaling struct {
	scaling any // nil: left out
	reads   int
}

// showPipe is the pipe, whose scaling may be late.
func (s *Server) showPipe(target *record) any {
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

func (s *Server) showSettings(target *record) any {
	settings, _ := s.visible(target)["settings"].(Object)
	return clone(settings)
}

// sources are the kinds of source that a pipe has.
func (o *record) sources() []string {
	source, _ := o.document["source"].(Object)
	return slices.Sorted(maps.Keys(source))
}

func (s *Server) scalePipe(target *record, body Object) *problem {
	body, refusal := s.variants.sized(body)
	if refusal != nil {
		return refusal
	}
	scaling := child(target.document, "scaling")
	old := clone(scaling)
	s.variants.overlay(scaling, body, old, target.defaults["scaling"].(Object))
	if len(body) > 0 {
		s.store.touch(target.document)
		target.late = s.variants.lateScaling(old)
	}
	return nil
}

// sized is the body of a scaling with the CPU and memory that follow from each other.
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
	switch v.Value("late") {
	case "old":
		return &lateScaling{old, v.LateReads()}
	case "zero":
		zeros := Object{}
		for name := range old {
			zeros[name] = int64(0)
		}
		return &lateScaling{zeros, v.LateReads()}
	case "absent":
		return &lateScaling{nil, v.LateReads()}
	}
	return nil
}

// updatePipeSettings refuses an empty body, as APIs of this kind are known to
// do. openapi.yaml does not exclude it.
func (s *Server) updatePipeSettings(target *record, body Object) *problem {
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
	s.store.touch(target.document)
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
func (o *record) offerExtraSetting(v Variants) {
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

// documentedSettings is a settings body as openapi.yaml allows it. A client may
// also send back what a GET shows or has shown: unknown settings, which are left out
// here, and quoted numbers, which lose their quotes in body as well.
func (v Variants) documentedSettings(operation *operation, target *record, body Object) Object {
	known := maps.Clone(body)
	settings := Object{}
	for _, holder := range []Object{target.defaults, target.document} {
		held, _ := holder["settings"].(Object)
		maps.Copy(settings, held)
	}
	for name, stored := range settings {
		if _, described := operation.body.Properties[name]; !described && !v.Has("refuse_extra_setting") {
			delete(known, name)
		}
		number, isNumber := stored.(int64)
		if v.Has("numbers=quoted") && isNumber && body[name] == strconv.FormatInt(number, 10) {
			body[name] = number
			if described := operation.body.Properties[name]; described != nil {
				known[name] = number
			}
		}
	}
	return known
}
