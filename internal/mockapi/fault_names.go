package mockapi

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NamedFault is a kind of fault and its description.
type NamedFault struct {
	Kind FaultKind
	// Doc is a sentence that says what the server does.
	Doc string
}

// AllFaults is every kind of fault, for a person to choose from. [FaultStatus] needs a status or
// a delay.
func AllFaults() []NamedFault {
	return []NamedFault{
		{FaultStatus, "Respond with this status and an error. Without a status, only delay the normal response by delay=DURATION."},
		{FaultReset, "Reset the connection."},
		{FaultHang, "Never respond, until the client leaves."},
		{FaultCut, "Act, and close the connection half-way through the response."},
		{FaultHTML, "Respond with a gateway's HTML page, under 200 or another status: html,503."},
		{FaultPlain, "Respond with plain text, under 404 or another status."},
		{FaultEmpty, "Respond with an empty body, under 200 or another status."},
		{FaultErrorEnvelope, "Respond with 200 and an envelope whose status is 500 or another error."},
		{FaultErrorStatus, `Respond with 200 and {"status":"error","message":"…","result":{}}.`},
		{FaultErrorMember, `Respond with 200 and {"status":200,"error":"…"}.`},
		{FaultErrorList, `Respond with 200 and {"status":200,"errors":[{"message":"…"}]}.`},
		{FaultNoResult, "Respond with an envelope without a result."},
		{FaultStringResult, "Respond with an envelope whose result is a string."},
		{FaultOtherID, "Act, and respond with another object's id; settings, which have none, stay as they are."},
		{FaultRedirect, "Redirect with 302 or another status to location=ADDRESS."},
	}
}

// Operations are those that a [Fault] can name: the operationIds of openapi.yaml, and getService
// and getKey of the variant read_by_get.
func Operations() []string { return slices.Sorted(maps.Keys(handlers)) }

// chance finds the probability at the end of a fault's text.
var chance = regexp.MustCompile(`^(.*)@(100|[1-9]\d?)%$`)

// ParseFault returns the fault that a text such as "503@30%" or "updateService:reset,acted,times=1"
// describes: an operationId and a colon (without them, every request can fail), a status or a kind
// of [AllFaults], details after commas, and the percentage of requests that fail. The details are a
// status, skip and times (numbers), id, location, delay (a duration), and acted for [Fault.AfterActing].
func ParseFault(text string) (f Fault, err error) {
	members := text
	if operation, rest, ok := strings.Cut(text, ":"); ok && (operation == "" || slices.Contains(Operations(), operation)) {
		f.Operation, members = operation, rest
	}
	if found := chance.FindStringSubmatch(members); found != nil {
		members = found[1]
		f.Percent, _ = strconv.Atoi(found[2])
	}
	for member := range strings.SplitSeq(members, ",") {
		if err := f.set(member); err != nil {
			return Fault{}, err
		}
	}
	if f.isNothing() {
		return Fault{}, fmt.Errorf("%q: needs a kind, a status or a delay", text)
	}
	return f, nil
}

func (f *Fault) set(member string) (err error) {
	name, value, _ := strings.Cut(member, "=")
	switch name {
	case "skip":
		f.Skip, err = strconv.Atoi(value)
	case "times":
		f.Times, err = strconv.Atoi(value)
	case "id":
		f.ID = value
	case "location":
		f.Header = http.Header{"Location": {value}}
	case "delay":
		f.Delay, err = time.ParseDuration(value)
	case "acted":
		f.AfterActing = true
	default:
		if status, err := strconv.Atoi(member); err == nil && http.StatusText(status) != "" {
			f.Status = status
			return nil
		}
		known := slices.ContainsFunc(AllFaults(), func(known NamedFault) bool { return known.Kind == FaultKind(member) })
		if !known || member == "" {
			return fmt.Errorf("unknown fault %q", member)
		}
		f.Kind = FaultKind(member)
	}
	return err
}
