package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// A Response is what the API returned to a request, without the envelope.
type Response struct {
	Operation string
	Status    int
	RequestID string
	Result    json.RawMessage

	effect Effect
}

// envelope is around every response. Status and RequestID are read loosely:
// only error messages use them, and a strict reading would turn a success into a
// failure.
type envelope struct {
	Status    json.RawMessage `json:"status"`
	RequestID json.RawMessage `json:"requestId"`
	Result    json.RawMessage `json:"result"`
}

// newResponse returns a response that has no result yet.
func newResponse(r Request, status int, header http.Header, body []byte) Response {
	return Response{Operation: r.Operation, Status: status, RequestID: requestID(header, body), effect: r.Effect}
}

// openEnvelope reads the body of a 2xx response. The error says what is wrong
// with the response, or which error the envelope carries.
func openEnvelope(r Request, status int, header http.Header, body []byte) (Response, *Error) {
	resp := newResponse(r, status, header, body)
	switch body = bytes.TrimSpace(body); {
	case len(body) == 0:
		return resp, resp.malformed("the response is empty")
	case body[0] == '<':
		return resp, resp.malformed(withText("the response is an HTML page, not JSON", bodyText(status, body)))
	case body[0] != '{':
		return resp, resp.malformed(withText("the response is not a JSON object", bodyText(status, body)))
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		if isTruncated(body) {
			return resp, resp.cutShort(io.ErrUnexpectedEOF)
		}
		return resp, resp.malformed("the response is not valid JSON: " + err.Error())
	}
	if inner := e.status(); inner >= http.StatusBadRequest {
		return resp, newStatusError(r, inner, header, body)
	}
	if len(e.Result) == 0 || string(e.Result) == "null" {
		return resp, resp.malformed(withText("the response has no result", bodyText(status, body)))
	}
	resp.Result = e.Result
	return resp, resp.checkResult(r)
}

// isTruncated reports whether body is the beginning of JSON. HTTP does not
// notice this if a response has no length and ends with its connection.
func isTruncated(body []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(body)).Decode(&value), io.ErrUnexpectedEOF)
}

// status returns the envelope's status in any notation: 200, 200.0 or "200"; 0
// for anything else.
func (e envelope) status() int {
	n, err := strconv.ParseFloat(strings.Trim(string(e.Status), `"`), 64)
	if err != nil || n < 0 || n > 999 {
		return 0
	}
	return int(n)
}

// requestID returns the request id from the body or else from a header.
func requestID(header http.Header, body []byte) string {
	var e envelope
	_ = json.Unmarshal(body, &e) // a body that is not JSON has no request id
	var id string
	switch {
	case json.Unmarshal(e.RequestID, &id) == nil && id != "":
	case len(e.RequestID) > 0 && strings.ContainsRune("-0123456789", rune(e.RequestID[0])):
		id = string(e.RequestID)
	default:
		id = header.Get("X-Request-Id")
	}
	return truncate(cleanText(id), 100)
}

// checkResult returns an error if the result has the wrong JSON type or is
// another object's.
func (resp Response) checkResult(r Request) *Error {
	want := "an object"
	if r.List {
		want = "an array"
	}
	if got := typeOf(resp.Result); got != want {
		return resp.malformed("the result is " + got + ", not " + want)
	}
	if r.ID == "" {
		return nil
	}
	var object struct {
		ID json.RawMessage `json:"id"`
	}
	var id *string
	_ = json.Unmarshal(resp.Result, &object) // was checked above
	// An id that is no string cannot be compared.
	if json.Unmarshal(object.ID, &id) == nil && id != nil && !strings.EqualFold(*id, r.ID) {
		return resp.malformed(fmt.Sprintf("the response is about another object: its id is %s, not %s",
			truncate(cleanText(*id), 60), r.ID))
	}
	return nil
}

func typeOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	default:
		return "a number"
	}
}

func withText(problem, text string) string {
	if text == "" {
		return problem
	}
	return problem + ": " + text
}

// Decode reads the result into an object, over what the object already has.
func (resp Response) Decode(into any) error {
	err := json.Unmarshal(resp.Result, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return resp.malformed("the result contains a " + wrong.Value + " in the place of an object")
	}
	if err != nil {
		return resp.malformed("the result cannot be read: " + cleanText(err.Error()))
	}
	return nil
}

// malformed returns the error for an invalid response. The API may have acted on
// a write all the same.
func (resp Response) malformed(problem string) *Error {
	return &Error{
		Operation:      resp.Operation,
		Status:         resp.Status,
		RequestID:      resp.RequestID,
		Message:        problem,
		OutcomeUnknown: resp.effect != ReadOnly,
	}
}

func (resp Response) cutShort(err error) *Error {
	e := resp.malformed("the response was cut short")
	e.Err = err
	e.Transient, e.outage = true, true
	return e
}
