package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

var (
	digit    = regexp.MustCompile(`\d`)
	quantity = regexp.MustCompile(`^[\d.]+[munkKMG]i?$`)
)

func (s survey) text(path string, schema *openapi3.Schema, text string) {
	s.see(empty, sign{text == "" && !strings.HasSuffix(path, ".description"), path, "missing=empty"})
	isNumber := schema != nil && (schema.Type.Permits(openapi3.TypeNumber) || schema.Type.Permits(openapi3.TypeInteger))
	switch _, bits, isRange := strings.Cut(text, "/"); {
	case isNumber && strings.HasSuffix(path, ".kinesis.timestamp") && !number.MatchString(text):
		s.see("`timestamp` of a Kinesis source", sign{true, "a text", "text_timestamp"})
	case isNumber && strings.HasPrefix(path, "pipe.scaling.") && !number.MatchString(text):
		s.see("CPU and memory of a scaling", sign{quantity.MatchString(text), "Kubernetes quantities", "scaling_quantities"}, sign{true, "another text", ""})
	case isNumber:
		s.see(wholeNumbers, sign{number.MatchString(text), "quoted", "numbers=quoted"}, sign{true, "another text: " + path, ""})
	case strings.HasSuffix(path, "At") && !strings.HasSuffix(path, ".expireAt"):
		notation := timeNotation(text)
		s.see(times,
			sign{strings.HasSuffix(notation, "00+00:00"), notation, "timestamps=offset"},
			sign{strings.HasSuffix(notation, "+05:30"), notation, "timestamps=elsewhere"},
			sign{strings.HasSuffix(notation, ".000Z"), notation, "timestamps=millis"},
			sign{true, notation, ""})
	case strings.HasSuffix(path, "ipAccessList.source"):
		isSingle := isRange && (bits == "32" || bits == "128")
		s.see("Addresses in access lists", sign{isSingle, "single ones as ranges (/32, /128)", ""}, sign{isRange, "ranges", ""}, sign{true, "plain", ""})
	}
}

// number looks at the notation of a whole number.
func (s survey) number(path, text string) {
	_, fraction, isDecimal := strings.Cut(text, ".")
	isExponent, isHalf := strings.ContainsAny(text, "eE"), strings.Trim(fraction, "0") != ""
	if strings.HasPrefix(path, "backup.") && !isExponent {
		s.see(backupNumbers, sign{isHalf, "5.5", "backup_numbers=half"}, sign{isDecimal, "5.0", "backup_numbers=decimal"}, sign{true, "5", ""})
		return
	}
	s.see(wholeNumbers, sign{isExponent, "5e0", "numbers=exponent"}, sign{isDecimal && !isHalf, "5.0", "numbers=decimal"}, sign{!isDecimal, "5", ""})
}

// timeNotation is a time whose date and time of day are zeros. Of its fraction,
// only one of three digits counts.
func timeNotation(text string) string {
	const dateAndTime = len("0000-00-00T00:00:00")
	if len(text) < dateAndTime {
		return "another form"
	}
	zone := strings.TrimLeft(text[dateAndTime:], ".0123456789")
	fraction := text[dateAndTime : len(text)-len(zone)]
	if len(fraction) != len(".000") {
		fraction = ""
	}
	return digit.ReplaceAllString(text[:dateAndTime]+fraction, "0") + zone
}

// changes looks at changes that were accepted, and at when they showed.
func (s survey) changes(exchanges []*exchange) {
	refused := map[string]*exchange{} // settings, by path
	latest := map[string]time.Duration{}
	for i, e := range exchanges {
		switch {
		case !e.isWrite():
		case e.isInvalid():
			refused[e.path] = e
		case e.isAccepted():
			what, delay := s.shows(e, exchanges[i:])
			latest[what] = max(latest[what], delay)
			if before := refused[e.path]; before != nil && e.method == http.MethodPut {
				s.leftOut(before.text, without(names(before.sent), names(e.sent)))
			}
			delete(refused, e.path)
		}
	}
	for what, delay := range latest {
		const step = 10 * time.Millisecond
		text := (delay.Round(step) + step).String()
		name := map[string]string{"service": "stale_services=", "key": "stale_keys=", "settings": "stale_pipes="}[what]
		s.see(delays, sign{delay == 0, what + ": none", ""}, sign{name == "", what + ": " + text, ""}, sign{true, what + ": " + text, name + text})
	}
	if latest["settings"] > 0 { // then all of the pipe is late
		delete(s, late)
	}
}

// leftOut looks at the settings that the API refuses and that the next PUT left out.
func (s survey) leftOut(refusal string, settings []string) {
	for _, name := range settings {
		isNamed := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(refusal)
		s.see("Settings that a PUT must not have",
			sign{!isNamed, "with others: " + name, ""},
			sign{kinds[len(kinds)-1].members()[name] == "", name, "refuse_extra_setting"},
			sign{true, name, "refuse_foreign_settings"})
	}
}

// shows returns what a change is of, and how late it showed: 0 for at once or never.
func (s survey) shows(change *exchange, later []*exchange) (what string, delay time.Duration) {
	part, isLate := strings.TrimPrefix(strings.TrimPrefix(change.path, change.object()), "/"), false
	if what = part; part == "" {
		what, _ = kindOf(change.path)
	}
	for _, e := range later {
		if e != change && e.isWrite() && e.path == change.path {
			break
		}
		if e.object() != change.object() || !e.isAccepted() {
			continue
		}
		shown := e.shown(part)
		isShown, isNew := hasEffect(change.sent, shown)
		if e == change && part == "scaling" {
			isZero := !slices.ContainsFunc(slices.Collect(maps.Values(shown)), func(value any) bool { return !equal(value, "0") })
			s.see(late, sign{isNew, "is shown", ""}, sign{len(shown) == 0, "is left out", "late=absent"}, sign{isZero, "is zero", "late=zero"}, sign{true, "is the old one", "late=old"})
		}
		if isNew {
			s.newNotations(change.sent, shown)
			if isLate {
				delay = e.at.Sub(change.at)
			}
			return what, delay
		}
		isLate = isLate || isShown
	}
	s.see("Changed roles of a key", sign{change.sent["roles"] != nil && isLate, "accepted, and the old ones stay", "frozen_roles"})
	return what, 0
}

// hasEffect reports whether a response shows what was sent, and all of it as new.
func hasEffect(sent, shown map[string]any) (isShown, isNew bool) {
	isNew = true
	for name, value := range sent {
		now, isThere := shown[name]
		isShown = isShown || isThere
		isSame := equal(value, now)
		if difference, ok := value.(map[string]any); ok {
			added, removed := sources(difference["add"]), sources(difference["remove"])
			isSame = len(without(added, sources(now))) == 0 && len(without(removed, sources(now))) == len(removed)
		} else if name == "ipAccessList" {
			isSame = len(without(sources(value), sources(now)))+len(without(sources(now), sources(value))) == 0
		}
		isNew = isNew && isThere && isSame
	}
	return isShown, isNew
}

// newNotations compares what was sent with what shows, which is equal.
func (s survey) newNotations(sent, shown map[string]any) {
	expiry, _ := sent["expireAt"].(string)
	now, _ := shown["expireAt"].(string)
	s.see("Notation of a changed expiry",
		sign{expiry != "" && expiry == now, "as sent", ""},
		sign{expiry != "" && strings.HasSuffix(now, ".000Z"), timeNotation(now), "normalise_expiry"},
		sign{expiry != "", timeNotation(now), ""})
	list, _ := json.Marshal(shown["ipAccessList"])
	s.see("Notation of an added address",
		sign{strings.Contains(string(list), strconv.Quote(testAddress)), "as sent", ""},
		sign{strings.Contains(string(list), strconv.Quote(address(testAddress))), "as a range (/32)", "normalise_address"})
}
