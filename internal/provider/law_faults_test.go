package provider

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

// lawFaults are what can happen to a request: drift before it, a response that
// is lost (as a 502 or a cut connection) although the API acted, an error, an
// interrupt before or after the API acts, and responses that show old lists.
var lawFaults = choice("drift", "drift", "lost", "cut", "400", "403", "409", "503", "stop", "stop after acting", "late", "late")

// hook plays the faults of an apply and checks every write.
func (l *lawTest) hook(w http.ResponseWriter, call acctest.Call) bool {
	c, e := l.change, &lawEvent{Call: call}
	if c != nil {
		e.fault = l.chooseFault(c, e)
	}
	l.note("    %s %s %s", e.Operation, e.Body, e.fault)
	if e.hasDrift() {
		l.drift()
	}
	_ = json.Unmarshal([]byte(e.Body), &e.body)
	l.history = append(l.history, e)
	if c != nil {
		e.before = l.env.Object(c.block.object, c.id)
		c.events = append(c.events, e)
	}
	if e.Writes() {
		l.checkWrite(e)
	}
	switch e.fault {
	case "400", "403", "409", "503":
		e.status, _ = strconv.Atoi(e.fault)
		e.Fail(w, e.status)
	case "lost":
		e.Record()
		e.Fail(w, http.StatusBadGateway)
	case "cut":
		e.Record()
		panic(http.ErrAbortHandler)
	case "stop after acting":
		e.Record()
		l.interrupt(e)
	case "stop":
		l.interrupt(e)
	default:
		l.respond(w, e)
	}
	return true
}

// interrupt stops the provider while it waits for a response.
func (l *lawTest) interrupt(e *lawEvent) {
	l.stopped = true
	stop(l.t, l.core.Server)
	<-e.Request.Context().Done()
	panic(http.ErrAbortHandler)
}

// chooseFault is the fault of a request. Some follow from what a change has done.
func (l *lawTest) chooseFault(c *lawChange, e *lawEvent) string {
	number := len(l.history)
	switch {
	case l.faults == nil:
		return ""
	case len(c.events) > 0 && c.events[len(c.events)-1].removesKept(c) && l.random.IntN(2) == 0:
		// What ends the update here must not lose an entry, not even in silence.
		if l.random.IntN(3) == 0 {
			l.faults[number+1] = "403"
		}
		return choice("400", "403", "503", "lost", "stop")(l.random).(string)
	}
	return l.faults[number]
}

// respond has the mock API respond. A late response shows the service's lists as
// the responses before did: so do the write and the next two.
func (l *lawTest) respond(w http.ResponseWriter, e *lawEvent) {
	recorded := e.Record()
	body := recorded.Body.Bytes()
	var envelope map[string]any
	_ = json.Unmarshal(body, &envelope)
	e.status = recorded.Code
	e.shown, _ = envelope["result"].(map[string]any)
	if e.Operation == "updateService" && e.shown != nil {
		if l.change.showsOldLists() {
			for _, list := range []string{"ipAccessList", "privateEndpointIds"} {
				if e.shown[list] != nil && l.shown[e.Path][list] != nil {
					e.shown[list] = l.shown[e.Path][list]
				}
			}
			body, _ = json.Marshal(envelope)
		} else {
			l.shown[e.Path] = e.shown
		}
	}
	l.note("      HTTP %d, shows %v %v", e.status, entriesOf(e.shown["ipAccessList"]), e.shown["privateEndpointIds"])
	acctest.Respond(w, recorded, body)
}

// showsOldLists reports whether the newest request is a late write, or one of the
// two after it.
func (c *lawChange) showsOldLists() bool {
	return c != nil && slices.ContainsFunc(c.events[max(0, len(c.events)-3):], (*lawEvent).isLate)
}
