package mockapi

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// reply is a whole response.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func jsonReply(status int, body []byte) reply {
	return textReply(status, "application/json", body)
}

func textReply(status int, contentType string, body []byte) reply {
	return reply{status: status, header: http.Header{"Content-Type": {contentType}}, body: body}
}

func (a reply) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may have left
}

// envelope is what every response is wrapped in, without its result.
func (v Variants) envelope(status int) Object {
	envelope := Object{"status": int64(status), "requestId": uuid.NewString()}
	if v.Has("extra_members") {
		envelope["futureMember"] = true
	}
	return envelope
}

// updated is the response to an accepted update. plain is the one of the plain server.
func (v Variants) updated(plain reply) reply {
	if status := v.number("update_response"); status > 0 {
		return reply{status: status, header: http.Header{}}
	}
	envelope := v.envelope(http.StatusAccepted)
	switch v.Value("update_response") {
	case "empty_object":
		return jsonReply(http.StatusOK, []byte("{}"))
	case "accepted":
		envelope["message"] = "accepted"
	case "operation":
		envelope["result"] = Object{"id": "op-7c1f", "state": "pending"}
	default:
		return plain
	}
	text, _ := json.Marshal(envelope)
	return jsonReply(http.StatusAccepted, text)
}

// refusal is the response to a request that is refused.
func (s *Server) refusal(p *problem) reply {
	s.mu.Lock()
	variants := s.variants
	s.mu.Unlock()
	response := variants.refusal(p)
	maps.Copy(response.header, p.header)
	return response
}

func (v Variants) refusal(p *problem) reply {
	switch {
	case p.isPage || v.Has("error_shape=html"):
		return textReply(p.status, "text/html; charset=utf-8", page(p.status, p.message))
	case v.Has("error_shape=empty"):
		return reply{status: p.status, header: http.Header{}}
	}
	body := v.envelope(p.status)
	body["error"] = p.message
	text, _ := json.Marshal(body)
	return jsonReply(p.status, text)
}

// page is an error as a gateway shows it to people.
func page(status int, message string) []byte {
	title := html.EscapeString(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	return fmt.Appendf(nil, "<!DOCTYPE html>\n<html>\n<head><title>%s</title></head>\n<body><h1>%s</h1><p>%s</p></body>\n</html>\n",
		title, title, html.EscapeString(message))
}
