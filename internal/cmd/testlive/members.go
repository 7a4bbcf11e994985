package main

import (
	"fmt"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// value looks at a value of a response: at names of members and notations.
func (s survey) value(path string, schema *openapi3.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		s.members(path, mockapi.Members(schema), value)
	case []any:
		if len(value) == 0 {
			s.add(emptyMembers, path)
		}
		for _, element := range value {
			if schema != nil && schema.Items != nil {
				s.value(path, schema.Items.Value, element)
			}
		}
	case json.Number:
		s.number(path, string(value))
	case string:
		s.text(path, schema, value)
	case bool:
		if path == "service.endpoints.enabled" && !value {
			s.add(endpoints, "are listed", variant("endpoints_always_listed"))
		}
	}
}

// undocumented are members that APIs of this kind are known to return.
var undocumented = regexp.MustCompile(`^(service\.releaseChannel|service\.endpoints\.enabled|key\.state|backup\.(status|type))$`)

func (s survey) members(path string, documented map[string]*openapi3.Schema, object map[string]any) {
	for name, schema := range documented {
		value, isThere := object[name]
		switch at := path + "." + name; {
		case !isThere:
			s.add(absentMembers, at)
		case value == nil:
			s.add(nullMembers, at)
		default:
			s.value(at, schema, value)
		}
	}
	for name, value := range object {
		switch at := path + "." + name; {
		case len(documented) == 0 || documented[name] != nil:
		case strings.HasPrefix(at, "backup.") && undocumented.MatchString(at):
			s.add(echoes, at, variant("backup_status"))
		case undocumented.MatchString(at):
			s.add(echoes, at, variant("echo_write_only"))
			s.value(at, nil, value)
		case strings.HasPrefix(at, "pipe.settings."): // a refusal of it has a row
			s.add(otherMembers, at)
		default:
			s.add(otherMembers, at, variant("extra_members"))
		}
	}
}

var (
	digit    = regexp.MustCompile(`\d`)
	quantity = regexp.MustCompile(`^[\d.]+[munkKMG]i?$`)
)

func (s survey) text(path string, schema *openapi3.Schema, text string) {
	isNumber := schema != nil && (schema.Type.Permits(openapi3.TypeNumber) || schema.Type.Permits(openapi3.TypeInteger))
	switch {
	case text == "" && !strings.HasSuffix(path, ".description"):
		s.add(emptyMembers, path, variant("missing=empty"))
	case isNumber && quantity.MatchString(text):
		s.add(scalings, "Kubernetes quantities", variant("scaling_quantities"))
	case isNumber && number.MatchString(text):
		s.add(wholeNumbers, "quoted", variant("numbers=quoted"))
	case isNumber && strings.HasSuffix(path, ".kinesis.timestamp"):
		s.add(timestamps, "a text", variant("text_timestamp"))
	case isNumber:
		s.add(wholeNumbers, "another text: "+path)
	case strings.HasSuffix(path, "At") && !strings.HasSuffix(path, ".expireAt"):
		s.time(timeNotation(text))
	case strings.HasSuffix(path, "ipAccessList.source"):
		s.address(text)
	}
}

// number looks at the notation of a whole number.
func (s survey) number(path, text string) {
	p, prefix := wholeNumbers, "numbers="
	if strings.HasPrefix(path, "backup.") {
		p, prefix = backupNumbers, "backup_numbers="
	}
	if strings.HasPrefix(path, "pipe.scaling.replica") {
		s.add(scalings, "numbers")
	}
	_, fraction, isDecimal := strings.Cut(text, ".")
	switch isHalf := strings.Trim(fraction, "0") != ""; {
	case strings.ContainsAny(text, "eE"):
		s.add(wholeNumbers, "5e0", variant("numbers=exponent"))
	case !isDecimal:
		s.add(p, "5", "")
	case !isHalf:
		s.add(p, "5.0", variant(prefix+"decimal"))
	case p == backupNumbers:
		s.add(p, "5.5", variant("backup_numbers=half"))
	}
}

func (s survey) time(notation string) {
	for zone, value := range map[string]string{"00+00:00": "offset", "+05:30": "elsewhere", ":00.000Z": "millis"} {
		if strings.HasSuffix(notation, zone) {
			s.add(times, notation, variant("timestamps="+value))
			return
		}
	}
	s.add(times, notation)
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

func (s survey) address(source string) {
	_, bits, isRange := strings.Cut(source, "/")
	switch {
	case isRange && (bits == "32" || bits == "128"):
		s.add(addresses, "single addresses as ranges (/32, /128)")
	case isRange:
		s.add(addresses, "ranges")
	default:
		s.add(addresses, "plain addresses")
	}
}

// limitStyles are the headers that show the style of a rate limit, as the mock API
// names it.
var limitStyles = []struct{ header, style string }{
	{"X-Ratelimit-Remaining", "x-ratelimit-remaining"},
	{"Ratelimit-Remaining", "ratelimit-remaining"},
	{"Ratelimit-Policy", "ratelimit-policy"},
	{"Ratelimit", "ratelimit"},
	{"Retry-After", "retry-after"},
	{"X-Ratelimit-Reset", "x-ratelimit-reset"},
}

// rateLimit looks at the headers of all responses, and at those that were refused.
func (s survey) rateLimit(exchanges []*exchange) {
	const p = rateLimits
	headers, requests, seconds := map[string]string{}, 0, 1.0
	for i, e := range exchanges {
		for name := range e.header {
			headers[name] = e.header.Get(name)
			s.add(p, "header "+name)
		}
		if announced, err := strconv.Atoi(headers["X-Ratelimit-Limit"] + headers["Ratelimit-Limit"]); err == nil {
			requests = announced
		}
		if e.status == http.StatusTooManyRequests && requests == 0 {
			requests, seconds = i, max(1, e.at.Sub(exchanges[0].at).Seconds())
			s.add(p, fmt.Sprintf("a 429 after %d requests", i))
			if strings.TrimSpace(e.text) == `{"error":"TOO_MANY_REQUESTS"}` {
				s.add(p, "a bare 429", variant("bare_429"))
			}
		}
	}
	if requests == 0 {
		return
	}
	style := "silent"
	for _, known := range slices.Backward(limitStyles) {
		if headers[known.header] != "" {
			style = known.style
		}
	}
	s.add(p, fmt.Sprintf("%d requests", requests), fmt.Sprintf("-rate %d/%.0fs -rate-headers %s", requests, seconds, style))
}
