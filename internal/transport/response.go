package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Response is what the API returned to a request, without the envelope.
type Response struct {
	Status    int // of HTTP
	RequestID string
	Result    json.RawMessage // nil for an update that was accepted and does not return an object

	request Request
	header  http.Header
	body    []byte
	masker  masker
}

// readResponse returns the response, and an error if it is invalid, or if its status or
// the envelope's is an error's. readErr is why the body ended early.
func readResponse(r Request, from *http.Response, body []byte, readErr error, m masker) (Response, *Error) {
	if len(body) == 0 && readErr != nil { // without a body, the read error is the message
		body = []byte(readErr.Error())
	}
	e, isObject := readEnvelope(from.StatusCode, body)
	var id string
	_ = json.Unmarshal(e.RequestID, &id)
	resp := Response{
		Status:    from.StatusCode,
		RequestID: truncate(m.line(cmp.Or(id, from.Header.Get("X-Request-Id"))), 100),
		request:   r,
		header:    from.Header,
		body:      body,
		masker:    m,
	}
	isEmpty := len(bytes.TrimSpace(body)) == 0
	// 200, 200.0 and "200" are one status; what is no number is 0.
	inner, _ := strconv.ParseFloat(e.statusText(), 64)
	switch { // errors of HTTP, then of the body, then of the envelope
	case from.StatusCode/100 == 3 && from.Header.Get("Location") != "":
		return resp, resp.redirectError(from)
	case from.StatusCode >= http.StatusMultipleChoices: // even if the body ended early
		return resp, resp.statusError(from.StatusCode, body)
	case errors.Is(readErr, errTooLarge):
		return resp, resp.malformed(readErr.Error(), nil)
	case readErr != nil || !isObject && isCutShort(body):
		failed := resp.malformed("the response was cut short", nil)
		failed.Err, failed.Transient = m.err(cmp.Or(readErr, io.ErrUnexpectedEOF)), true
		return resp, failed
	case inner >= http.StatusBadRequest && inner <= 999:
		return resp, resp.statusError(int(inner), body)
	case saysError(e.Error), saysError(e.Errors), slices.Contains([]string{"error", "fail", "failed", "failure"}, e.statusText()):
		failed := resp.failure(cmp.Or(m.bodyText(withoutResult(body)), "the response says that the request failed"))
		failed.OutcomeUnknown, failed.IsEnvelopeError = false, true
		return resp, failed
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return resp, resp.malformed("the response is an HTML page, not JSON", body)
	case r.Writes && (!isObject || !bytes.HasPrefix(e.Result, []byte("{"))): // accepted; only a read shows what it did
		return resp, nil
	case isEmpty:
		return resp, resp.malformed("the response is empty", nil)
	case !isObject:
		return resp, resp.malformed("the response is not a JSON object", body)
	case len(e.Result) == 0 || string(e.Result) == "null":
		return resp, resp.malformed("the response has no result", body)
	}
	resp.Result = e.Result
	switch id := resp.otherID(); {
	case id == "":
		return resp, nil
	case r.Writes: // perhaps that of an operation
		resp.Result = nil
		return resp, nil
	default:
		return resp, resp.malformed(fmt.Sprintf("the response is about another object: its id is %s, not %s", truncate(m.line(id), 60), r.ID), nil)
	}
}

// An envelope is around each result. A status or id of a wrong type must not turn a success into a failure.
type envelope struct{ Status, RequestID, Result, Error, Errors json.RawMessage }

// readEnvelope reads the envelope. A large error counts as one that is empty.
func readEnvelope(status int, body []byte) (e envelope, isObject bool) {
	if status >= http.StatusMultipleChoices && len(body) > maxParsed {
		return e, true
	}
	err := json.Unmarshal(body, &e)
	return e, err == nil
}

func (e envelope) statusText() string { return strings.ToLower(strings.Trim(string(e.Status), `"`)) }

// saysError reports whether a member for errors has one: a text, a list or an object with anything in it, or true.
func saysError(member json.RawMessage) bool {
	return !saysNothing(member) && (string(member) == "true" || strings.ContainsAny(string(member[:1]), `"[{`))
}

// withoutResult returns an envelope without its result, which is no error's text.
func withoutResult(body []byte) []byte {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members)
	delete(members, "result")
	body, _ = json.Marshal(members) // was JSON before
	return body
}

// isCutShort reports whether body is the beginning of JSON. HTTP does not notice a
// lost connection if the response has no length. Unlike Unmarshal, a decoder tells
// the beginning of JSON from other invalid JSON.
func isCutShort(body []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(body)).Decode(&value), io.ErrUnexpectedEOF)
}

// busyStatuses are those of an API that makes one change of an object at a time.
var busyStatuses = []int{http.StatusConflict, http.StatusLocked, http.StatusTooEarly}

// isTransient reports whether another attempt may succeed after a status.
func isTransient(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status/100 == 5 || slices.Contains(busyStatuses, status)
}

// htmlPage is the beginning of what a gateway or a login sends, and few APIs.
var htmlPage = regexp.MustCompile(`(?i)^<(?:!doctype )?html`)

func (resp Response) statusError(status int, body []byte) *Error {
	resp.Status = status // the envelope's, if the error is there
	text := cmp.Or(resp.masker.bodyText(body), http.StatusText(status), fmt.Sprintf("status %d without a text", status))
	if htmlPage.Match(bytes.TrimSpace(body)) {
		text = "an HTML page: " + text
	}
	failed := resp.failure(text)
	switch status {
	case http.StatusForbidden:
		failed.wait = requestedWait(resp.header.Get("Retry-After"))
		failed.isLimit = failed.wait > 0
	case http.StatusTooManyRequests:
		failed.isLimit = true
		failed.wait = requestedWait(cmp.Or(resp.header.Get("Retry-After"), resp.header.Get("X-RateLimit-Reset"), resp.header.Get("RateLimit-Reset")))
	case http.StatusServiceUnavailable:
		failed.wait = requestedWait(resp.header.Get("Retry-After"))
	case http.StatusNotFound, http.StatusGone:
		if failed.notFound = whatIsNotFound(body, failed.Message); failed.notFound == gatewayNotFound {
			failed.Message = "something other than the API responded: " + failed.Message
		}
	}
	isFinal := slices.Contains(resp.request.Final, status)
	failed.Transient = (failed.isLimit || isTransient(status) && !isFinal) && failed.wait <= maxWait
	if failed.wait > maxWait {
		failed.Message = strings.TrimRight(failed.Message, ".") + "; the API asks to wait " + failed.wait.Round(time.Second).String()
	}
	return failed
}

// redirectError names only the host, because the rest may hold secrets.
func (resp Response) redirectError(from *http.Response) *Error {
	target := "an unknown address"
	if location, err := from.Location(); err == nil && location.Host != "" {
		target = resp.masker.line(location.Host)
	}
	return resp.failure("the API redirects to " + target + ", and redirects are not followed")
}

// otherID returns the id of a result that is not the object of the request, "" for any other.
func (resp Response) otherID() string {
	var object struct{ ID any } // of another type: not compared
	_ = json.Unmarshal(resp.Result, &object)
	id, _ := object.ID.(string)
	if resp.request.ID == "" || strings.EqualFold(id, resp.request.ID) {
		return ""
	}
	return id
}

// Decode reads the result into an object, whose other members stay.
func (resp Response) Decode(into any) error {
	err := json.Unmarshal(resp.Result, into)
	wrong, isWrongType := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case err == nil:
		return nil
	case !isWrongType:
		return resp.malformed("the result cannot be read: "+resp.masker.line(err.Error()), nil)
	case wrong.Type.Kind() == reflect.Slice:
		return resp.malformed("the result has a wrong type: "+wrong.Value+", not array", nil)
	}
	return resp.malformed("the result has a wrong type: "+wrong.Value+", not object", nil)
}

// malformed returns the error for an invalid response.
func (resp Response) malformed(problem string, body []byte) *Error {
	if text := resp.masker.bodyText(body); text != "" {
		problem += ": " + text
	}
	return resp.failure(problem)
}

// failure returns an error. The API may have applied a write unless it refused it;
// with 408 and 499, a proxy may have given up.
func (resp Response) failure(message string) *Error {
	s := resp.Status
	refused := s >= http.StatusMultipleChoices && s < http.StatusInternalServerError && s != http.StatusRequestTimeout && s != 499
	return &Error{
		Operation: resp.request.Operation, Status: s, RequestID: resp.RequestID, Message: message,
		Writes: resp.request.Writes, OutcomeUnknown: resp.request.Writes && !refused,
	}
}

// saysNothing reports whether a member is left out or stands for nothing.
func saysNothing(value json.RawMessage) bool {
	text := strings.Join(strings.Fields(string(value)), "") // some APIs write [ ]
	return slices.Contains([]string{"", "null", "false", "0", `""`, "[]", "{}"}, text)
}
