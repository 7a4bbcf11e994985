package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// checkWrite checks a write against the plan of the resource that is being
// applied.
func (l *lawTest) checkWrite(c acctest.Call) {
	u := l.update
	operation := map[string]string{"service": "updateService", "pipe_scaling": "scalePipe", "pipe_settings": "updatePipeSettings", "api_key": "updateKey"}
	if u == nil || operation[u.kind.name] != c.Operation {
		l.errorf("%s was sent %s, which no plan is about", c.Operation, c.Body)
		return
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(c.Body), &body); err != nil {
		l.errorf("%s was sent %s: %v", c.Operation, c.Body, err)
		return
	}
	if c.Operation == "updatePipeSettings" {
		l.checkSettings(c, body)
		return
	}
	if c.Body == u.unknown && u.changesLists(body) {
		l.errorf("%s was sent again without a look at what the first one did", c.Body)
	}
	for member, value := range body {
		name := snake(member)
		switch {
		case c.Operation == "updateService" && (name == "ip_access_list" || name == "private_endpoint_ids"):
			l.checkList(name, value.(map[string]any))
			continue
		case name == "endpoints":
			for _, endpoint := range value.([]any) {
				endpoint := endpoint.(map[string]any)
				protocol := endpoint["protocol"].(string)
				before, _ := u.prior["endpoints_enabled"].(map[string]any)
				planned, _ := u.planned["endpoints_enabled"].(map[string]any)
				if planned[protocol] != endpoint["enabled"] || before[protocol] == planned[protocol] {
					l.errorf("the endpoint %v was sent, with %v before and %v planned", endpoint, before, planned)
				}
			}
			continue
		case name == "ip_access_list", name == "roles":
			if got, want := entriesOf(value), u.merged(name); !maps.Equal(got, want) {
				l.errorf("%s was sent as %v, not %v", name, got, want)
			}
		case value == nil && name == "expire_at":
			value = ""
		}
		if want := u.planned[name]; name != "ip_access_list" && name != "roles" && !reflect.DeepEqual(value, want) {
			l.errorf("%s was sent as %v, not %v", name, value, want)
		}
		if !u.changes(name) {
			l.errorf("%s was sent (%v), which the plan does not change", name, value)
		}
	}
}

// merged is a list of a key after an update: what the plan changes is as planned,
// and everything else as the API shows it. If it does not show the list, or an
// empty one, the list is as planned.
func (u *lawUpdate) merged(name string) map[string]string {
	merged, prior, planned := entriesOf(u.shownKey[camel(name)]), entriesOf(u.prior[name]), entriesOf(u.planned[name])
	if u.creates || len(merged) == 0 {
		return planned
	}
	for source, description := range planned {
		if before, had := prior[source]; !had || before != description {
			merged[source] = description
		}
	}
	for source := range prior {
		if _, stays := planned[source]; !stays {
			delete(merged, source)
		}
	}
	if len(merged) == 0 {
		return planned
	}
	return merged
}

// checkSettings allows a PUT to change what the plan changes. All else it has
// to repeat as the read right before has shown it.
func (l *lawTest) checkSettings(c acctest.Call, body map[string]any) {
	u := l.update
	if u.operation != "getPipe" && u.operation != c.Operation { // another attempt
		l.errorf("a settings PUT came after %q, not right after a read", u.operation)
	}
	changed := false
	for name, value := range body {
		shown, isShown := u.settings[name]
		switch {
		case u.changes(name) && reflect.DeepEqual(value, u.planned[name]):
			changed = true
		case isShown && (reflect.DeepEqual(value, shown) || isNumber(value, shown)):
		case !isShown && reflect.DeepEqual(value, u.config[name]):
		case l.variants.StalePipes > 0 && !u.changes(name): // as an older read showed it
		default:
			l.errorf("%s was sent as %v, with %v shown, %v before and %v planned", name, value, shown, u.prior[name], u.planned[name])
		}
	}
	if !changed {
		l.errorf("%s changes nothing of the plan", c.Body)
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

// checkList allows a change of a service's list for entries that the plan
// changes. An entry that this update had to remove may be put back.
func (l *lawTest) checkList(name string, change map[string]any) {
	u := l.update
	prior, planned, there := entriesOf(u.prior[name]), entriesOf(u.planned[name]), l.entries(name)
	isPlanned := func(source string) bool {
		before, had := prior[source]
		after, has := planned[source]
		return u.creates && u.prior[name] == nil || had != has || before != after // a creation replaces a list
	}
	added := entriesOf(change["add"])
	eachEntry(change["add"], func(source, description string) {
		_, isThere := there[source]
		wanted, wants := planned[source]
		canBeThere := l.isStale() || l.hidesObjects() || u.refused || u.uncertain || u.drifted
		putsBack := wants && u.removed[name][source+" "+description] && (!isThere || canBeThere)
		u.putsBack = u.putsBack || putsBack
		adds := wants && description == wanted && isPlanned(source)
		if !putsBack && !adds {
			l.errorf("%s: %s (%q) was added, with %v before, %v planned and %v there", name, source, description, prior, planned, there)
		}
	})
	eachEntry(change["remove"], func(source, description string) {
		u.removed[name][source+" "+description] = true
		_, stays := planned[source]
		_, isReplaced := added[source]
		u.removesKept = u.removesKept || stays
		switch {
		case !isPlanned(source):
			l.errorf("%s: %s was removed, with %v before, %v planned", name, source, prior, planned)
		case stays && !isReplaced && !u.conflict:
			l.errorf("%s: %s was removed alone, without a conflict before, and is planned as %v", name, source, planned)
		}
	})
	u.unconfirmed[name] = true
}

// recordOutcome notes what a fault hides: what a write of lists did, which must
// not be sent again before the service was read, or the object as such.
func (u *lawUpdate) recordOutcome(c acctest.Call, fault string) {
	if u.removedKept = u.removedKept || u.removesKept; u.removedKept && fault != "" && fault != "late" && fault != "drift" {
		u.faults++
	}
	u.removesKept = false
	switch {
	case c.Operation != "updateService":
	case !c.Writes():
		u.unknown, u.refused = "", u.refused || fault == "400"
	case fault == "lost" || fault == "cut" || fault == "503" || strings.HasPrefix(fault, "stop"):
		if u.uncertain = true; !u.putsBack { // putting an entry back twice does no harm
			u.unknown = c.Body
		}
	}
	u.putsBack = false
}

func (u *lawUpdate) changesLists(body map[string]any) bool {
	return slices.ContainsFunc(u.kind.lists(), func(name string) bool { return body[camel(name)] != nil })
}

// isStale reports whether responses of this update may show old lists.
func (l *lawTest) isStale() bool { return l.variants.StaleServices > 0 || l.update.wasLate }

// checkKept checks, after an apply, that no entry is missing that was there
// before it and should stay, unless the error names it. If responses are old
// and reads do not show the lists, nobody can know.
func (l *lawTest) checkKept(before map[string]map[string]string, err error) {
	if (l.hidesObjects() || l.update.refused) && l.isStale() {
		return
	}
	for name, old := range before {
		planned, there := entriesOf(l.update.planned[name]), l.entries(name)
		for source := range old {
			_, wants := planned[source]
			_, isThere := there[source]
			address := strings.TrimSuffix(strings.TrimSuffix(source, "/32"), "/128")
			isNamed := err != nil && strings.Contains(err.Error(), address)
			canPutBack := l.update.faults < 2 && !l.hidesObjects() && !l.update.refused && !l.isStale()
			if wants && !isThere && !l.drifted[name+" "+source] && (!isNamed || canPutBack) {
				l.errorf("%s: %s is missing, after %d faults, and the error is: %v", name, source, l.update.faults, err)
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
func (l *lawTest) entries(name string) map[string]string {
	return entriesOf(l.env.Object(l.update.kind.object, l.update.kind.id)[camel(name)])
}

// entriesOf is a list in any form, as a map from what identifies an entry to
// its description. An address that is listed twice has both descriptions.
func entriesOf(list any) map[string]string {
	all := map[string][]string{}
	eachEntry(list, func(source, description string) {
		if !slices.Contains(all[source], description) {
			all[source] = append(all[source], description)
		}
	})
	entries := map[string]string{}
	for source, descriptions := range all {
		slices.Sort(descriptions)
		entries[source] = strings.Join(descriptions, " | ")
	}
	return entries
}

func eachEntry(list any, visit func(source, description string)) {
	switch list := list.(type) {
	case map[string]any:
		for source, description := range list {
			visit(api.CanonicalAddress(source), description.(string))
		}
	case []any:
		for _, one := range list {
			if entry, ok := one.(map[string]any); ok {
				description, _ := entry["description"].(string)
				visit(api.CanonicalAddress(entry["source"].(string)), description)
			} else {
				visit(one.(string), "")
			}
		}
	}
}

// checkObject checks that the API has what a configuration sets.
func (l *lawTest) checkObject(k lawKind, config map[string]any) {
	object := l.env.Object(k.object, k.id)
	for name := range k.attributes {
		want := config[name]
		if want == nil || k.name == "service" && l.unknownLists[name] {
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
			if entries, _ := object[camel(name)].([]any); len(entries) == 0 && l.variants.Missing == mockapi.AsAbsent {
				continue // drift has emptied the list, which no read shows
			}
			got, want = entriesOf(object[camel(name)]), entriesOf(want)
		case name == "roles":
			got, want = sorted(object[name]), sorted(want)
		default:
			got = object[camel(name)]
		}
		if endpoints, ok := want.(map[string]any); ok { // the others are not managed
			for protocol, enabled := range endpoints {
				if got := got.(map[string]any)[protocol]; got != enabled && (enabled != false || got != nil) {
					l.errorf("the endpoint %s is %v, not %v", protocol, got, enabled)
				}
			}
		} else if fmt.Sprint(got) != fmt.Sprint(want) {
			l.errorf("%s.%s is %v, not %v", k.name, name, got, want)
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
