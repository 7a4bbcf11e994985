package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// surveyOf looks at all responses of a run. unknown is the id of a pipe that should
// not exist.
func surveyOf(exchanges []*exchange, unknown string) survey {
	s, latest := survey{}, map[string]*exchange{}
	for _, e := range exchanges {
		isUnknown := strings.HasSuffix(e.path, unknown)
		switch {
		case e.status == http.StatusTooManyRequests:
		case isUnknown:
			s.unknown(e)
		case e.isWrite():
			s.refusal(e, latest[e.object()])
		default:
			s.read(e)
		}
		if e.isAccepted() && e.envelope != nil {
			s.accepted(e)
		}
		if !e.isWhole() || isUnknown {
			continue
		}
		kind := kindOf(e.path)
		_, result := mockapi.Schemas(map[string]string{"service": "updateService", "key": "updateKey", "pipe": "getPipe", "backup": "listBackups"}[kind])
		s.value(kind, result, e.envelope["result"])
		if before := latest[e.path]; before != nil {
			s.compare(kind, before.shown(""), e.shown(""))
		}
		latest[e.path] = e
	}
	s.missing()
	s.rateLimit(exchanges)
	s.changes(exchanges)
	return s
}

// kindOf returns what is at a path.
func kindOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case parts[0] == "keys":
		return "key"
	case len(parts) == 2:
		return "service"
	case parts[2] == "backups":
		return "backup"
	}
	return "pipe"
}

func (s survey) read(e *exchange) {
	kind, status := kindOf(e.path), strconv.Itoa(e.status)
	if kind != "service" && kind != "key" {
		return
	}
	p, text := readsByGet, kind+" refused with "+status
	if e.method == http.MethodPatch {
		p = readsByPatch
	}
	switch {
	case e.isAccepted() && p == readsByGet:
		s.add(p, kind+" returned", variant("read_by_get"))
	case e.isAccepted():
		s.add(p, kind+" returned")
	case p == readsByGet:
		s.add(p, text)
	case e.status == http.StatusFailedDependency:
		s.add(p, text+" (the service is idle)", variant("idle_service"))
	case e.status == http.StatusForbidden:
		s.add(p, text, variant("read_only_key"))
	case slices.Contains([]int{400, 405, 422, 500, 501}, e.status):
		s.add(p, text, variant("refuse_empty_patch="+status))
	default:
		s.add(p, text)
	}
}

// accepted looks at the envelope, and for members that were not sent.
func (s survey) accepted(e *exchange) {
	_, isNumber := e.envelope["status"].(json.Number)
	switch {
	case !isNumber:
		s.add(envelopes, "status is not a number", variant("loose_envelope"))
	case e.envelope["requestId"] == nil:
		s.add(envelopes, "no requestId", variant("loose_envelope"))
	default:
		s.add(envelopes, "as documented")
	}
	if e.method != http.MethodPatch || strings.HasSuffix(e.path, "/scaling") {
		return
	}
	for name := range e.shown("") {
		if _, isSent := e.sent[name]; !isSent && name != "id" {
			s.add(patchResults, "the whole object")
			return
		}
	}
	s.add(patchResults, "the id and the members that were sent, no others", variant("sparse_patch_response"))
}

func (s survey) unknown(e *exchange) {
	switch {
	case e.isAccepted():
		s.add(unknownPipe, "is returned")
		return
	case e.status == http.StatusGone:
		s.add(unknownPipe, "410", variant("gone"))
	default:
		s.add(unknownPipe, strconv.Itoa(e.status))
	}
	text, members := strings.TrimSpace(e.text), "JSON: "+listed(names(e.envelope))
	_, isNested := e.envelope["error"].(map[string]any)
	switch isPage := strings.HasPrefix(text, "<"); {
	case text == "":
		s.add(errorForms, "no body", variant("error_shape=empty"))
	case isPage && strings.HasPrefix(text, fmt.Sprintf("<title>%d</title>", e.status)):
		s.add(errorForms, "an HTML page whose title is the status", variant("error_shape=terse_html"))
	case isPage:
		s.add(errorForms, "an HTML page", variant("error_shape=html"))
	case e.envelope == nil:
		s.add(errorForms, "plain text", variant("error_shape=plain"))
	case isNested:
		s.add(errorForms, members+" with members", variant("error_shape=nested"))
	case e.envelope["error"] == nil && e.envelope["message"] != nil:
		s.add(errorForms, members, variant("error_shape=message"))
	default:
		s.add(errorForms, members)
	}
}

// compare looks at two reads of one object.
func (s survey) compare(kind string, before, after map[string]any) {
	for name, value := range before {
		list, _ := value.([]any)
		again, _ := after[name].([]any)
		switch {
		case len(list) < 2 || !equal(list, again):
		case reflect.DeepEqual(list, again):
			s.add(orders, "stays")
		default:
			s.add(orders, "changes from one read to the next", variant("shuffle"))
		}
	}
	switch isSame := equal(before["usedAt"], after["usedAt"]); {
	case kind != "key":
	case isSame:
		s.add(lastUses, "stays")
	default:
		s.add(lastUses, "moves", variant("used_at_moves"))
	}
}

func (s survey) missing() {
	switch nulls, absent := len(s[nullMembers]), len(s[absentMembers]); {
	case len(s.flags(emptyMembers)) > 0:
	case absent == 0 && nulls > 0 && s.hasPipe(): // a pipe never has all sources
		s.add(nullMembers, "nothing is left out", variant("missing=null"))
	case nulls == 0 && absent > 0 && len(s[emptyMembers]) == 0:
		s.add(absentMembers, "nothing is null", variant("missing=absent"))
	}
}

// hasPipe reports whether a pipe was shown: one of its sources is then null or left out.
func (s survey) hasPipe() bool {
	all := append(names(s[nullMembers]), names(s[absentMembers])...)
	return slices.ContainsFunc(all, func(name string) bool { return strings.HasPrefix(name, "pipe.source") })
}

// refusal looks at a change. Operations that a kind of pipe does not offer are refused, too.
func (s survey) refusal(e, latest *exchange) {
	if !e.isRefused() {
		return
	}
	what := fmt.Sprintf("%s of a %s%s", e.method, kindOf(e.path), strings.TrimPrefix(e.path, e.object()))
	source, flag := "", ""
	if latest != nil {
		source = sourceOf(latest.shown(""))
	}
	if source != "" {
		what += " from " + source
	}
	isMissing := e.status == http.StatusNotFound || e.status == http.StatusMethodNotAllowed
	switch {
	case e.status == http.StatusForbidden:
		flag = variant("read_only_key")
	case isMissing && source == "postgres" && e.method == http.MethodPut:
		flag = variant(fmt.Sprintf("postgres_settings=%d", e.status))
	}
	s.add(refusals, fmt.Sprintf("%s: %d", what, e.status), flag)
}

// changes looks at changes that were accepted, and at when they showed.
func (s survey) changes(exchanges []*exchange) {
	refused := map[string]*exchange{} // settings, by path
	late := map[string]time.Duration{}
	for i, e := range exchanges {
		switch {
		case !e.isWrite():
		case e.isInvalid():
			refused[e.path] = e
		case e.isAccepted():
			what, delay := s.shows(e, exchanges[i:])
			late[what] = max(late[what], delay)
			if before := refused[e.path]; before != nil && e.method == http.MethodPut {
				s.leftOut(before, without(names(before.sent), names(e.sent)))
			}
			delete(refused, e.path)
		}
	}
	for what, delay := range late {
		name := map[string]string{"service": "stale_services", "key": "stale_keys", "settings": "stale_pipes"}[what]
		const step = 10 * time.Millisecond
		if delay > 0 && name != "" {
			text := (delay.Round(step) + step).String()
			s.add(delays, what+": "+text, variant(name+"="+text))
		}
	}
	if late["settings"] > 0 { // then the scaling is late, too
		maps.DeleteFunc(s[delays], func(seen, _ string) bool { return strings.HasPrefix(seen, "scaling") })
	}
}

// leftOut looks at the settings that a refusal names, and that the next PUT left out.
func (s survey) leftOut(refused *exchange, settings []string) {
	documented := kinds[len(kinds)-1].members()
	for _, name := range settings {
		isNamed := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(refused.text)
		switch {
		case !isNamed:
			s.add(leftOut, "along with it: "+name)
		case documented[name] == "":
			s.add(leftOut, name, variant("refuse_extra_setting"))
		default:
			s.add(leftOut, name, variant("refuse_foreign_settings"))
		}
	}
}

// shows returns what a change is of, and how late it showed: 0 for at once or never.
func (s survey) shows(change *exchange, later []*exchange) (what string, delay time.Duration) {
	part := strings.TrimPrefix(strings.TrimPrefix(change.path, change.object()), "/")
	what = cmp.Or(part, kindOf(change.path))
	isLate := false
	for _, e := range later {
		if e.object() != change.object() || !e.isAccepted() {
			continue
		}
		if e != change && e.isWrite() && e.path == change.path {
			break
		}
		shown := e.shown(part)
		isShown, isNew := hasEffect(change.sent, shown)
		switch {
		case isNew:
			s.notations(change.sent, shown)
			if !isLate {
				s.add(delays, what+": none")
				return what, 0
			}
			return what, e.at.Sub(change.at)
		case e == change && part == "scaling":
			s.lateScaling(shown)
		}
		isLate = isLate || isShown
	}
	if _, isRoles := change.sent["roles"]; isRoles && isLate {
		s.add(newRoles, "accepted, and the old ones stay", variant("frozen_roles"))
	}
	return what, 0
}

func (s survey) lateScaling(shown map[string]any) {
	isOther := func(value any) bool { return !equal(value, json.Number("0")) }
	switch {
	case len(shown) == 0:
		s.add(delays, "scaling is left out at first", variant("late=absent"))
	case !slices.ContainsFunc(slices.Collect(maps.Values(shown)), isOther):
		s.add(delays, "scaling is zero at first", variant("late=zero"))
	default:
		s.add(delays, "scaling is the old one at first", variant("late=old"))
	}
}

// hasEffect reports whether a response shows what was sent, and shows all of it as new.
func hasEffect(sent, shown map[string]any) (isShown, isNew bool) {
	isNew = true
	for name, value := range sent {
		now, isThere := shown[name]
		isShown = isShown || isThere
		isSame := equal(value, now)
		if difference, ok := value.(map[string]any); ok {
			isSame = len(without(sources(difference["add"]), sources(now))) == 0 &&
				len(without(sources(difference["remove"]), sources(now))) == len(sources(difference["remove"]))
		} else if name == "ipAccessList" {
			isSame = slices.Equal(slices.Sorted(slices.Values(sources(value))), slices.Sorted(slices.Values(sources(now))))
		}
		isNew = isNew && isThere && isSame
	}
	return isShown, isNew
}

// notations compares what was sent with what shows, which is equal.
func (s survey) notations(sent, shown map[string]any) {
	if expiry, _ := sent["expireAt"].(string); expiry != "" {
		now, _ := shown["expireAt"].(string)
		switch {
		case now == expiry:
			s.add(newExpiries, "as sent")
		case strings.HasSuffix(now, ".000Z"):
			s.add(newExpiries, timeNotation(now), variant("normalise_expiry"))
		default:
			s.add(newExpiries, timeNotation(now))
		}
	}
	texts, _ := json.Marshal(shown["ipAccessList"])
	for source, isSent := range map[string]bool{testAddress: true, address(testAddress): false} {
		switch isShown := strings.Contains(string(texts), strconv.Quote(source)); {
		case isShown && isSent:
			s.add(newAddresses, "as sent")
		case isShown:
			s.add(newAddresses, "as a range (/32)", variant("normalise_address"))
		}
	}
}
