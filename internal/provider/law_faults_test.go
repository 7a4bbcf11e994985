package provider

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// lawFaults are what can happen to a request: drift before it, a response that
// is lost (as a 502 or a cut connection) although the API acted, an error, an
// interrupt before or after the API acts, and responses that show old lists.
var lawFaults = choice("drift", "drift", "lost", "cut", "400", "403", "409", "503", "stop", "stop after acting", "late", "late")

// drift changes an attribute elsewhere.
func (l *lawTest) drift() {
	k := lawKinds[l.random.IntN(len(lawKinds))]
	before := l.env.Object(k.object, k.id)
	l.note("  drift: %s", k.drift(l.random, l.env, l.canDrift))
	for _, name := range k.lists() {
		now := entriesOf(l.env.Object(k.object, k.id)[camel(name)])
		for source := range entriesOf(before[camel(name)]) {
			if _, stays := now[source]; !stays {
				l.drifted[name+" "+source] = true
			}
		}
	}
}

// driftUnmanaged changes what the last apply stopped managing.
func (l *lawTest) driftUnmanaged(k lawKind) {
	for _, name := range slices.Sorted(maps.Keys(k.attributes)) {
		if isNotReturned(name) && l.unmanaged[k.name+"."+name] && l.previous[k.name][name] != nil && l.random.IntN(2) == 0 {
			l.note("  drift: %s", k.driftOf(name, l.random, l.env))
		}
	}
}

// hook plays the faults of an apply and checks every write.
func (l *lawTest) hook(w http.ResponseWriter, c acctest.Call) bool {
	fault := ""
	if l.update != nil {
		fault = l.requests[l.sent]
		l.sent++
		if l.update.conflict && l.requests != nil && c.Writes() && l.random.IntN(4) == 0 {
			fault = "400" // after it, no entry may be removed alone
		}
	}
	l.note("    %s %s %s", c.Operation, c.Body, fault)
	if fault == "drift" {
		l.update.drifted = true
		l.drift()
	}
	if c.Writes() {
		l.checkWrite(c)
	}
	if u := l.update; u != nil {
		if u.removesKept && l.requests != nil && l.random.IntN(2) == 0 { // what ends the update here must not lose an entry
			l.requests[l.sent] = choice("400", "403", "503", "lost", "stop")(l.random).(string)
			if l.random.IntN(3) == 0 { // nor may it be lost in silence
				l.requests[l.sent+1] = "403"
			}
		}
		u.recordOutcome(c, fault)
		if c.Operation == "getPipe" {
			u.settings = decoded(l.env.Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(map[string]any))
		}
		u.operation = c.Operation
		if fault == "late" && c.Writes() {
			u.late, u.wasLate = 3, true
		}
	}
	switch status, _ := strconv.Atoi(fault); {
	case status > 0:
		l.recordStatus(status)
		c.Fail(w, status)
	case fault == "lost":
		c.Record()
		c.Fail(w, http.StatusBadGateway)
	case fault == "cut":
		c.Record()
		panic(http.ErrAbortHandler)
	case strings.HasPrefix(fault, "stop"):
		if fault == "stop after acting" {
			c.Record()
		}
		l.stopped = true
		stop(l.t, l.core.Server)
		select {
		case <-c.Request.Context().Done():
		case <-time.After(2 * time.Second):
		}
		panic(http.ErrAbortHandler)
	default:
		l.respond(w, c)
	}
	return true
}

// respond has the mock API respond. A late response shows the service's lists
// as the responses before did.
func (l *lawTest) respond(w http.ResponseWriter, c acctest.Call) {
	recorded := c.Record()
	body := recorded.Body.Bytes()
	l.recordStatus(recorded.Code)
	var envelope map[string]any
	_ = json.Unmarshal(body, &envelope)
	result, ok := envelope["result"].(map[string]any)
	if u := l.update; u != nil && u.kind.name == "api_key" && !c.Writes() {
		u.shownKey = result
	}
	if !ok || c.Operation != "updateService" {
		l.note("      HTTP %d", recorded.Code)
		acctest.Respond(w, recorded, body)
		return
	}
	if l.update != nil && l.update.late > 0 && l.shown != nil {
		l.update.late--
		for _, name := range []string{"ipAccessList", "privateEndpointIds"} {
			if result[name] != nil && l.shown[name] != nil {
				result[name] = l.shown[name]
			}
		}
		body, _ = json.Marshal(envelope)
	} else {
		l.shown = result
	}
	l.note("      HTTP %d, shows %v %v", recorded.Code, entriesOf(result["ipAccessList"]), result["privateEndpointIds"])
	if c.Writes() {
		l.recordShown(result)
	}
	acctest.Respond(w, recorded, body)
}

// decoded is an object with numbers as a request's body has them.
func decoded(object map[string]any) (plain map[string]any) {
	body, _ := json.Marshal(object)
	_ = json.Unmarshal(body, &plain)
	return plain
}
