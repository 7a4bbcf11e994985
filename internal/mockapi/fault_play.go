package mockapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// play fails a request. act acts on the request and returns its response.
func (f *activeFault) play(w http.ResponseWriter, c *call, act func() reply) {
	if !pause(c.Context(), f.Delay) {
		return
	}
	var acted reply
	if f.AfterActing || f.needsResponse() {
		acted = act()
	}
	switch f.Kind {
	case FaultReset:
		reset(w)
	case FaultHang:
		select {
		case <-c.Context().Done():
		case <-f.over:
		}
		panic(http.ErrAbortHandler)
	case FaultCut:
		cut(w, acted)
	default:
		response := f.response(acted)
		for name, values := range f.Header { // names may be in any case
			response.header[http.CanonicalHeaderKey(name)] = values
		}
		response.write(w)
	}
}

// needsResponse reports whether the fault changes the API's own response.
func (f *activeFault) needsResponse() bool {
	switch f.Kind {
	case FaultStatus:
		return f.Status == 0
	case FaultCut, FaultOtherID:
		return true
	}
	return false
}

func (f *activeFault) response(acted reply) reply {
	switch f.Kind {
	case FaultHTML:
		status := cmp.Or(f.Status, http.StatusOK)
		return textReply(status, "text/html; charset=utf-8", page(status, "The upstream server cannot be reached."))
	case FaultPlain:
		status := cmp.Or(f.Status, http.StatusNotFound)
		text := cmp.Or(f.Body, fmt.Sprintf("%d %s\n", status, strings.ToLower(http.StatusText(status))))
		return textReply(status, "text/plain; charset=utf-8", []byte(text))
	case FaultEmpty:
		return reply{status: cmp.Or(f.Status, http.StatusOK), header: http.Header{}}
	case FaultErrorEnvelope:
		return f.envelope(cmp.Or(f.Status, http.StatusInternalServerError), Object{"error": cmp.Or(f.Body, "something went wrong")})
	case FaultErrorStatus:
		return f.envelope(http.StatusOK, Object{"status": "error", "message": cmp.Or(f.Body, quota), "result": Object{}})
	case FaultErrorMember:
		return f.envelope(http.StatusOK, Object{"error": cmp.Or(f.Body, quota)})
	case FaultErrorList:
		return f.envelope(http.StatusOK, Object{"errors": []any{Object{"message": cmp.Or(f.Body, quota)}}})
	case FaultNoResult:
		return f.envelope(http.StatusOK, nil)
	case FaultStringResult:
		return f.envelope(http.StatusOK, Object{"result": "done"})
	case FaultOtherID:
		return otherID(acted)
	case FaultRedirect:
		return reply{status: cmp.Or(f.Status, http.StatusFound), header: http.Header{}}
	}
	if f.Status == 0 {
		return acted
	}
	if f.Body == "" {
		return Variants{}.refusal(refuse(f.Status, "%s", strings.ToLower(http.StatusText(f.Status))))
	}
	return jsonReply(f.Status, []byte(f.Body))
}

// quota is the text of an error in a success.
const quota = "quota exceeded"

// envelope is a response with HTTP 200 whose envelope may have another status.
func (f *activeFault) envelope(status int, members Object) reply {
	envelope := Variants{}.envelope(status)
	maps.Copy(envelope, members)
	text, _ := json.Marshal(envelope)
	return jsonReply(http.StatusOK, text)
}

// otherID is a response with another object's id.
func otherID(acted reply) reply {
	value, err := decode(acted.body)
	envelope, ok := value.(Object)
	if err != nil || !ok {
		return acted
	}
	switch result := envelope["result"].(type) {
	case Object:
		if _, ok := result["id"]; ok {
			result["id"] = uuid.NewString()
		}
	case []any:
		for _, backup := range result {
			backup.(Object)["serviceId"] = uuid.NewString()
		}
	}
	acted.body, _ = json.Marshal(envelope)
	return acted
}

// reset closes the connection so that the other side sees a reset. Without a
// connection of its own (HTTP/2) the stream is reset.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // closing sends RST in place of FIN
	}
	_ = connection.Close()
}

// cut sends half of a response and closes the connection.
func cut(w http.ResponseWriter, whole reply) {
	half := whole
	half.header = maps.Clone(whole.header)
	half.header.Set("Content-Length", strconv.Itoa(len(whole.body)))
	half.body = whole.body[:len(whole.body)/2]
	half.write(w)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// pause waits for d and reports whether the client is still there.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
