package mockapi

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// presenter shows a result under the variants.
type presenter struct {
	Variants
	turn  int  // how often the object was shown; lists are shuffled by it
	omits bool // whether it leaves out empty members
}

// unordered are the lists whose order means nothing, by name: openapi.yaml gives
// none of these names two meanings.
var unordered = []string{"roles", "ipAccessList", "privateEndpointIds", "availablePrivateEndpointIds", "endpoints", "reversePrivateEndpointIds"}

// settingsMember is an object with an unknown member of its own: [extraSetting].
const settingsMember = "settings"

// present shows a whole result in the response to a body.
func (v Variants) present(operation *operation, result any, turn int, body Object) any {
	name := ""
	if operation.id == "updatePipeSettings" {
		name = settingsMember
	}
	return presenter{v, turn, v.omitsEmpty(body)}.value(name, operation.result, result)
}

// omitsEmpty reports whether the response to a body leaves out empty members. An empty body is a read.
func (v Variants) omitsEmpty(body Object) bool {
	if len(body) > 0 {
		return v.Has("omit_empty=updates") || v.Has("omit_empty=all")
	}
	return v.Has("omit_empty=reads") || v.Has("omit_empty=all")
}

// value shows the member name of an object. schema describes it, and is nil
// for a member that openapi.yaml does not have.
func (p presenter) value(name string, schema *openapi3.Schema, value any) any {
	switch value := value.(type) {
	case Object:
		return p.object(name, schema, value)
	case []any:
		return p.list(name, schema, value)
	case string:
		return p.text(name, value)
	case int64:
		return p.numeral(strconv.FormatInt(value, 10), value)
	case float64:
		return p.numeral(strconv.FormatFloat(value, 'f', -1, 64), value)
	}
	return value
}

func (p presenter) object(name string, schema *openapi3.Schema, stored Object) Object {
	var described map[string]*openapi3.Schema
	if schema != nil {
		described = properties(schema)
	}
	shown := make(Object, len(stored))
	for member, value := range stored {
		if !p.omits || !isEmpty(value) {
			shown[member] = p.value(member, described[member], value)
		}
	}
	for member, schema := range described {
		if shown[member] == nil && !p.omits {
			p.fill(shown, member, schema)
		}
	}
	if p.Has("missing=absent") {
		maps.DeleteFunc(shown, func(_ string, value any) bool {
			elements, isList := value.([]any)
			return value == nil || isList && len(elements) == 0
		})
	}
	if p.Has("extra_members") && name != settingsMember {
		shown["futureMember"] = Object{"of": name, "list": []any{int64(1), nil}}
	}
	return shown
}

func isEmpty(value any) bool {
	elements, isList := value.([]any)
	return isList && len(elements) == 0 || slices.Contains([]any{nil, "", int64(0), false}, value)
}

// fill shows a described member without a value.
func (p presenter) fill(shown Object, member string, schema *openapi3.Schema) {
	switch {
	case p.Has("missing=null") && schema.Type.Permits(openapi3.TypeNull):
		shown[member] = nil
	case p.Has("missing=empty") && schema.Type.Permits(openapi3.TypeArray):
		shown[member] = []any{}
	case p.Has("missing=empty") && schema.Type.Permits(openapi3.TypeString) && schema.Format == "":
		shown[member] = ""
	}
}

func (p presenter) list(name string, schema *openapi3.Schema, stored []any) []any {
	var described *openapi3.Schema
	if schema != nil && schema.Items != nil {
		described = schema.Items.Value
	}
	shown := make([]any, 0, len(stored))
	for _, element := range stored {
		shown = append(shown, p.value(name, described, element))
	}
	if p.Has("shuffle") && len(shown) > 1 && slices.Contains(unordered, name) {
		// A rotation by one more each time is another order each time.
		by := p.turn % len(shown)
		shown = slices.Concat(shown[by:], shown[:by])
	}
	return shown
}

// enums are the members of enums, by name: those of requests, and the undocumented status of a backup.
var enums = sync.OnceValue(func() []string {
	names := []string{"status"}
	for _, operation := range contract() {
		for name, member := range Members(operation.body) {
			if enumOf(member) != nil {
				names = append(names, name)
			}
		}
	}
	return names
})

func (p presenter) text(name, stored string) any {
	switch {
	case name == "expireAt" && p.Has("normalise_expiry"):
		return millis(stored)
	case name == "source": // of an IP access entry; a pipe's is an object
		return p.address(stored)
	case p.Has("capital_enums") && slices.Contains(enums(), name):
		return strings.ToUpper(stored)
	}
	return stored
}

// millis is a time in UTC with exactly three decimals of a second.
func millis(stored string) string {
	moment, err := time.Parse(time.RFC3339, stored)
	if err != nil {
		return stored
	}
	return moment.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// numeral shows a number, whose digits are given too.
func (p presenter) numeral(digits string, plain any) any {
	if p.Has("numbers=quoted") {
		return digits
	}
	if fraction, ok := plain.(float64); ok && p.Has("numbers=float32") {
		return float64(float32(fraction))
	}
	return plain
}

// sparse reduces a response to the id and what was sent, under the variants with that name.
func (v Variants) sparse(operation *operation, shown any, sent Object) any {
	response, _ := shown.(Object)
	switch {
	case operation.id == "updatePipeSettings":
		if v.Has("sparse_settings_response") {
			return only(response, sent)
		}
	case operation.method != "PATCH" || !v.Has("sparse_patch_response"):
	case operation.id == "scalePipe":
		scaling, _ := response["scaling"].(Object)
		return Object{"id": response["id"], "scaling": only(scaling, sent)}
	default:
		kept := only(response, sent)
		kept["id"] = response["id"]
		return kept
	}
	return shown
}

// only is object with just the members that were sent.
func only(object, sent Object) Object {
	kept := maps.Clone(object)
	maps.DeleteFunc(kept, func(name string, _ any) bool {
		_, ok := sent[name]
		return !ok
	})
	if kept == nil {
		kept = Object{}
	}
	return kept
}
