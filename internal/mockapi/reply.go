package mockapi

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// reply is a whole answer.
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
	_, _ = w.Write(a.body) // a client that has left is no concern of the server's
}

// envelope is what every answer is wrapped in, but its payload.
func (r Readings) envelope(status int) Object {
	if r.LooseEnvelope {
		return Object{"status": strconv.Itoa(status), "futureMember": true}
	}
	envelope := Object{"status": r.number(int64(status)), "requestId": uuid.NewString()}
	if r.ExtraMembers {
		envelope["futureMember"] = true
	}
	return envelope
}

// refusal answers with an error, in the shape that the readings say.
func (s *Server) refusal(p *problem) reply {
	s.mu.Lock()
	readings := s.readings
	s.mu.Unlock()
	answer := readings.refusal(p)
	maps.Copy(answer.header, p.header)
	return answer
}

func (r Readings) refusal(p *problem) reply {
	var body Object
	switch r.ErrorShape {
	case ErrorPlain:
		return textReply(p.status, "text/plain; charset=utf-8", []byte(p.message+"\n"))
	case ErrorHTML:
		return textReply(p.status, "text/html; charset=utf-8", page(p.status, p.message))
	case ErrorEmpty:
		return reply{status: p.status, header: http.Header{}}
	case ErrorMessage:
		body = Object{"message": p.message}
	case ErrorNested:
		code := strings.ReplaceAll(strings.ToLower(http.StatusText(p.status)), " ", "_")
		body = Object{"error": Object{"code": code, "message": p.message}}
	default:
		body = r.envelope(p.status)
		body["error"] = p.message
	}
	text, _ := json.Marshal(body)
	return jsonReply(p.status, text)
}

// page is an error as a gateway shows it to people.
func page(status int, message string) []byte {
	title := html.EscapeString(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	return fmt.Appendf(nil, "<!DOCTYPE html>\n<html>\n<head><title>%s</title></head>\n<body><h1>%s</h1><p>%s</p></body>\n</html>\n",
		title, title, html.EscapeString(message))
}
