package main

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// resultOf returns the documented result that shows a kind of object.
func resultOf(kind string) *openapi3.Schema {
	_, result := mockapi.Schemas(map[string]string{"service": "updateService", "key": "updateKey", "pipe": "getPipe", "backup": "listBackups"}[kind])
	return result
}

// object looks at a value of a response: at names of members and notations.
func (s survey) object(path string, schema *openapi3.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		s.members(path, mockapi.Members(schema), value)
	case []any:
		if len(value) == 0 {
			s.add(emptyMembers, path)
		}
		for _, element := range value {
			if schema != nil && schema.Items != nil {
				s.object(path, schema.Items.Value, element)
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
			s.object(at, schema, value)
		}
	}
	for name, value := range object {
		switch at := path + "." + name; {
		case len(documented) == 0 || documented[name] != nil:
		case strings.HasPrefix(at, "backup.") && undocumented.MatchString(at):
			s.add(echoes, at, variant("backup_status"))
		case undocumented.MatchString(at):
			s.add(echoes, at, variant("echo_write_only"))
			s.object(at, nil, value)
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

// rateLimit looks at the headers of all responses, and at those that were refused.
func (s survey) rateLimit(exchanges []*exchange) {
	var latest, refused *exchange
	requests := 0
	for i, e := range exchanges {
		latest = e
		for _, name := range names(e.header) {
			s.add(rateLimits, "header "+name)
		}
		if e.status == http.StatusTooManyRequests && refused == nil {
			refused, requests = e, max(i, 1)
			if strings.TrimSpace(e.text) == `{"error":"TOO_MANY_REQUESTS"}` {
				s.add(rateLimits, "a bare 429", variant("bare_429"))
			}
		}
	}
	if latest == nil {
		return
	}
	style := limitStyle(latest.header, refused)
	seconds := 1.0
	if refused != nil {
		seconds = max(1, refused.at.Sub(exchanges[0].at).Seconds())
	}
	if announced, err := strconv.Atoi(latest.header.Get("X-RateLimit-Limit") + latest.header.Get("RateLimit-Limit")); err == nil {
		requests = announced
	}
	if style != "" && requests > 0 {
		flag := "-rate " + strconv.Itoa(requests) + "/" + strconv.FormatFloat(seconds, 'f', 0, 64) + "s -rate-headers " + style
		s.add(rateLimits, strconv.Itoa(requests)+" requests", flag)
	}
}

// limitStyle names the headers as the mock API does.
func limitStyle(header http.Header, refused *exchange) string {
	switch policy := header.Get("RateLimit"); {
	case header.Get("X-RateLimit-Remaining") != "":
		return "x-ratelimit-remaining"
	case header.Get("RateLimit-Remaining") != "":
		return "ratelimit-remaining"
	case strings.Contains(policy, "remaining="):
		return "ratelimit"
	case policy != "":
		return "ratelimit-policy"
	case refused == nil:
		return ""
	}
	if after := refused.header.Get("Retry-After"); after != "" {
		if _, err := strconv.Atoi(after); err != nil {
			return "retry-after-date"
		}
		return "retry-after"
	}
	const unixSeconds, unixMillis = 1e9, 1e12
	switch reset, err := strconv.ParseInt(refused.header.Get("X-RateLimit-Reset"), 10, 64); {
	case err != nil:
		return "silent"
	case reset > unixMillis:
		return "x-ratelimit-reset-unixms"
	case reset > unixSeconds:
		return "x-ratelimit-reset-unix"
	}
	return "x-ratelimit-reset"
}
