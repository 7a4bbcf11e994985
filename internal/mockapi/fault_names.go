package mockapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NamedFault is a kind of fault for a person to choose from.
type NamedFault struct {
	Kind FaultKind
	// Doc is a sentence about what the server does.
	Doc string
}

// AllFaults is every kind of fault. [FaultStatus] needs a status or a delay.
func AllFaults() []NamedFault {
	return []NamedFault{
		{FaultStatus, "Respond with status=N and an error. Without status=N, only delay the normal response by delay=DURATION."},
		{FaultReset, "Reset the connection."},
		{FaultHang, "Never respond, until the client leaves."},
		{FaultCut, "Act, and close the connection half-way through the response."},
		{FaultHTML, "Respond with a gateway's HTML page, under status=N or 200."},
		{FaultPlain, "Respond with plain text, under status=N or 404."},
		{FaultEmpty, "Respond with an empty body, under status=N or 200."},
		{FaultErrorEnvelope, "Respond with 200 and an envelope whose status is an error: status=N or 500."},
		{FaultNoResult, "Respond with an envelope without a result."},
		{FaultNullResult, "Respond with an envelope whose result is null."},
		{FaultStringResult, "Respond with an envelope whose result is a string."},
		{FaultOtherID, "Act, and respond with another object's id; settings, which have none, stay as they are."},
		{FaultEndless, "Respond with JSON that never ends, until the client leaves."},
		{FaultRedirect, "Redirect with status=N or 302 to location=ADDRESS."},
	}
}

// Operations are what a [Fault] can name: the operationIds of openapi.yaml, and
// getService and getKey of [Variants.ReadByGet].
func Operations() []string { return slices.Sorted(maps.Keys(handlers)) }

// ParseFault is the fault of a text such as "updateService:reset,acted,times=1"
// or "getPipe:status=503": an operationId (or nothing, for every request), a
// colon, and separated by commas a kind of [AllFaults] and further members:
// status, skip and times (numbers), id, location, delay (a duration), and acted
// for [Fault.AfterActing].
func ParseFault(text string) (Fault, error) {
	operation, members, ok := strings.Cut(text, ":")
	if !ok {
		return Fault{}, fmt.Errorf("%q: must be an operation, a colon and a kind of fault", text)
	}
	f := Fault{Operation: operation}
	if _, ok := handlers[operation]; !ok && operation != "" {
		return Fault{}, fmt.Errorf("unknown operation %q", operation)
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
	case "status":
		if f.Status, err = strconv.Atoi(value); err == nil && http.StatusText(f.Status) == "" {
			err = fmt.Errorf("unknown status %s", value)
		}
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
		known := slices.ContainsFunc(AllFaults(), func(known NamedFault) bool { return known.Kind == FaultKind(member) })
		if !known || member == "" {
			return fmt.Errorf("unknown fault %q", member)
		}
		f.Kind = FaultKind(member)
	}
	return err
}
