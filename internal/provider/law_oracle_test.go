package provider

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An intent is what one resource's plan allows an apply to send.
type intent struct {
	kind           lawKind
	creates        bool
	prior, planned map[string]any
	config         map[string]any // as it was planned
}

// changes tells whether the plan changes an attribute.
func (i *intent) changes(name string) bool {
	if i.creates {
		return i.config[name] != nil
	}
	return !reflect.DeepEqual(i.prior[name], i.planned[name])
}

// judge holds a write against the plan of the resource that is being applied.
func (r *lawRun) judge(c call) {
	i := r.intent
	operation := map[string]string{"service": "updateService", "pipe_scaling": "scalePipe", "pipe_settings": "updatePipeSettings", "api_key": "updateKey"}
	if i == nil || operation[i.kind.name] != c.operation {
		r.fail("%s was sent %s, which no plan is about", c.operation, c.body)
		return
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(c.body), &body); err != nil {
		r.fail("%s was sent %s: %v", c.operation, c.body, err)
		return
	}
	if c.operation == "updatePipeSettings" {
		r.judgeSettings(c, body)
		return
	}
	for member, value := range body {
		name := snake(member)
		switch {
		case c.operation == "updateService" && (name == "ip_access_list" || name == "private_endpoint_ids"):
			r.judgeList(name, value.(map[string]any))
			continue
		case name == "endpoints":
			for _, endpoint := range value.([]any) {
				endpoint := endpoint.(map[string]any)
				protocol := endpoint["protocol"].(string)
				before, _ := i.prior["endpoints_enabled"].(map[string]any)
				planned, _ := i.planned["endpoints_enabled"].(map[string]any)
				if planned[protocol] != endpoint["enabled"] || before[protocol] == planned[protocol] {
					r.fail("the endpoint %v was sent, with %v before and %v planned", endpoint, before, planned)
				}
			}
			continue
		case name == "ip_access_list":
			if got, want := entriesOf(value), entriesOf(i.planned[name]); !reflect.DeepEqual(got, want) {
				r.fail("%s was sent as %v, not %v", name, got, want)
			}
		case value == nil && name == "expire_at":
			value = ""
		case name == "roles":
			slices.SortFunc(value.([]any), func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		if want := i.planned[name]; name != "ip_access_list" && !reflect.DeepEqual(value, want) {
			r.fail("%s was sent as %v, not %v", name, value, want)
		}
		if !i.changes(name) {
			r.fail("%s was sent (%v), which the plan does not change", name, value)
		}
	}
}

// judgeSettings allows a PUT to change what the plan changes. All else it has
// to repeat as the read right before has shown it.
func (r *lawRun) judgeSettings(c call, body map[string]any) {
	i := r.intent
	if r.latest != "getPipe" && r.latest != c.operation { // another attempt
		r.fail("a settings PUT came after %q, not right after a read", r.latest)
	}
	changed := false
	for name, value := range body {
		shown, isShown := r.settings[name]
		switch {
		case i.changes(name) && reflect.DeepEqual(value, i.planned[name]):
			changed = true
		case isShown && (reflect.DeepEqual(value, shown) || isNumber(value, shown)):
		case !isShown && reflect.DeepEqual(value, i.config[name]):
		default:
			r.fail("%s was sent as %v, with %v shown, %v before and %v planned", name, value, shown, i.prior[name], i.planned[name])
		}
	}
	if !changed {
		r.fail("%s changes nothing of the plan", c.body)
	}
}

// isNumber reports whether text is number: an API may write numbers in quotes,
// and an unknown member is sent back as it came.
func isNumber(text, number any) bool {
	s, ok := text.(string)
	if !ok {
		return false
	}
	n, err := strconv.ParseFloat(s, 64)
	return err == nil && n == number
}

// judgeList allows a change of a service's list for entries that the plan
// changes, and gives back what must not be missing.
func (r *lawRun) judgeList(name string, change map[string]any) {
	i := r.intent
	prior, planned, there := entriesOf(i.prior[name]), entriesOf(i.planned[name]), r.entries(name)
	plans := func(source string) bool {
		before, had := prior[source]
		after, has := planned[source]
		return i.prior[name] == nil || had != has || before != after // a list that was not known is replaced
	}
	for source, description := range entriesOf(change["add"]) {
		_, isThere := there[source]
		_, had := prior[source]
		wanted, wants := planned[source]
		givesBack := had && wants && !isThere && !r.drifted[name+" "+source]
		adds := wants && description == wanted && plans(source)
		if !givesBack && !adds {
			r.fail("%s: %s (%q) was added, with %v before, %v planned and %v there", name, source, description, prior, planned, there)
		}
	}
	for source := range entriesOf(change["remove"]) {
		if !plans(source) {
			r.fail("%s: %s was removed, with %v before, %v planned", name, source, prior, planned)
		}
	}
}

// keeps checks, after an apply, that no entry is missing that was there before
// it and should stay, unless the error names it.
func (r *lawRun) keeps(before map[string]map[string]string, err error) {
	for name, old := range before {
		planned, there := entriesOf(r.intent.planned[name]), r.entries(name)
		for source := range old {
			_, wants := planned[source]
			_, isThere := there[source]
			bare := strings.TrimSuffix(strings.TrimSuffix(source, "/32"), "/128")
			if wants && !isThere && !r.drifted[name+" "+source] && (err == nil || !strings.Contains(err.Error(), bare)) {
				r.fail("%s: %s is missing, and the error is: %v", name, source, err)
			}
		}
	}
}

// lists are the lists that a kind can only add to and remove from.
func (k lawKind) lists() []string {
	switch k.name {
	case "service":
		return []string{"ip_access_list", "private_endpoint_ids"}
	case "api_key":
		return []string{"ip_access_list"}
	}
	return nil
}

// entries is a list of the object that is being applied, as the API has it.
func (r *lawRun) entries(name string) map[string]string {
	return entriesOf(r.w.Object(r.intent.kind.object, r.intent.kind.id)[camel(name)])
}

// entriesOf is a list in any form, as a map from what identifies an entry to
// its description.
func entriesOf(list any) map[string]string {
	entries := map[string]string{}
	switch list := list.(type) {
	case map[string]any:
		for source, description := range list {
			entries[api.CanonicalAddress(source)] = description.(string)
		}
	case []any:
		for _, one := range list {
			if entry, ok := one.(map[string]any); ok {
				description, _ := entry["description"].(string)
				entries[api.CanonicalAddress(entry["source"].(string))] = description
			} else {
				entries[one.(string)] = ""
			}
		}
	}
	return entries
}

// has checks that the API has what a configuration sets.
func (r *lawRun) has(k lawKind, config map[string]any) {
	object := r.w.Object(k.object, k.id)
	for name := range k.attributes {
		want := config[name]
		if want == nil {
			continue
		}
		var got any
		switch {
		case k.name == "pipe_scaling":
			got = object["scaling"].(mockapi.Object)[camel(name)]
		case k.name == "pipe_settings":
			got = object["settings"].(mockapi.Object)[name]
		case name == "endpoints_enabled":
			got = map[string]any{}
			for _, endpoint := range object["endpoints"].([]any) {
				endpoint := endpoint.(mockapi.Object)
				got.(map[string]any)[endpoint["protocol"].(string)] = endpoint["enabled"]
			}
		case name == "expire_at":
			text, _ := object["expireAt"].(string)
			got, _ = instant(text)
			want, _ = instant(want.(string))
			got, want = got.(time.Time).UTC(), want.(time.Time).UTC()
		case slices.Contains(k.lists(), name):
			got, want = entriesOf(object[camel(name)]), entriesOf(want)
		case name == "roles":
			got, want = sorted(object[name]), sorted(want)
		default:
			got = object[camel(name)]
		}
		if endpoints, ok := want.(map[string]any); ok { // the others are not managed
			for protocol, enabled := range endpoints {
				if got := got.(map[string]any)[protocol]; got != enabled && (enabled != false || got != nil) {
					r.fail("the endpoint %s is %v, not %v", protocol, got, enabled)
				}
			}
		} else if fmt.Sprint(got) != fmt.Sprint(want) {
			r.fail("%s.%s is %v, not %v", k.name, name, got, want)
		}
	}
}

// snake is a member's name as an attribute.
func snake(member string) string {
	var name strings.Builder
	for _, letter := range member {
		if letter >= 'A' && letter <= 'Z' {
			name.WriteByte('_')
		}
		name.WriteString(strings.ToLower(string(letter)))
	}
	return name.String()
}
