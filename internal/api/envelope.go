package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// An answer is what the API said to a request, its envelope taken off.
type answer struct {
	request   request
	status    int
	requestID string
	result    json.RawMessage
}

// envelope is what every answer is wrapped in (specification, "Response
// envelope"). Status and RequestID are read loosely: nothing depends on them
// but error messages, and a strict reading would turn a success into a failure.
type envelope struct {
	Status    json.RawMessage `json:"status"`
	RequestID json.RawMessage `json:"requestId"`
	Result    json.RawMessage `json:"result"`
}

// openEnvelope takes the envelope off a 2xx answer. The error says what is
// wrong with the answer, or what the envelope says went wrong.
func openEnvelope(r request, status int, header http.Header, body []byte) (answer, *Error) {
	a := answer{request: r, status: status, requestID: requestID(header, body)}
	switch body = bytes.TrimSpace(body); {
	case len(body) == 0:
		return a, a.malformed("the answer is empty")
	case body[0] == '<':
		return a, a.malformed(withText("the answer is an HTML page, not JSON", bodyText(body)))
	case body[0] != '{':
		return a, a.malformed(withText("the answer is not a JSON object", bodyText(body)))
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		if breaksOff(body) {
			return a, a.cutShort(io.ErrUnexpectedEOF)
		}
		return a, a.malformed("the answer is not valid JSON: " + err.Error())
	}
	if inner := e.status(); inner >= http.StatusBadRequest {
		return a, newStatusError(r, inner, header, body)
	}
	if len(e.Result) == 0 || isNull(e.Result) {
		return a, a.malformed(withText("the answer has no result", bodyText(body)))
	}
	a.result = e.Result
	return a, a.checkResult()
}

// breaksOff reports whether body is the beginning of JSON. HTTP does not notice
// where an answer has no length and ends with its connection.
func breaksOff(body []byte) bool {
	var begun json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(body)).Decode(&begun), io.ErrUnexpectedEOF)
}

// status returns the envelope's status however it is written: 200, 200.0 or
// "200"; 0 for anything else.
func (e envelope) status() int {
	n, err := strconv.ParseFloat(strings.Trim(string(e.Status), `"`), 64)
	if err != nil || n < 0 || n > 999 {
		return 0
	}
	return int(n)
}

// requestID returns the API's name for a request, from the body or a header.
func requestID(header http.Header, body []byte) string {
	var e envelope
	// What is no JSON has no request id; that is for others to complain about.
	_ = json.Unmarshal(body, &e)
	var id string
	switch {
	case json.Unmarshal(e.RequestID, &id) == nil && id != "":
	case len(e.RequestID) > 0 && strings.ContainsRune("-0123456789", rune(e.RequestID[0])):
		id = string(e.RequestID)
	default:
		id = header.Get("X-Request-Id")
	}
	return shortened(cleanText(id), 100)
}

// checkResult reports a result that is of another JSON type than the operation
// has, or another object's.
func (a answer) checkResult() *Error {
	want := "an object"
	if a.request.list {
		want = "an array"
	}
	if got := kindOf(a.result); got != want {
		return a.malformed("the result is " + got + ", not " + want)
	}
	if a.request.id == "" {
		return nil
	}
	var named struct {
		ID Value[string] `json:"id"`
	}
	if err := json.Unmarshal(a.result, &named); err != nil {
		return a.undecodable(err)
	}
	if id, ok := named.ID.Get(); ok && !strings.EqualFold(id, a.request.id) {
		return a.malformed(fmt.Sprintf("the answer is about another object: its id is %s, not %s",
			shortened(cleanText(id), 60), a.request.id))
	}
	return nil
}

// kindOf names the type of a JSON value.
func kindOf(value json.RawMessage) string {
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

// withText adds what the answer says to what is wrong with it.
func withText(what, text string) string {
	if text == "" {
		return what
	}
	return what + ": " + text
}

// decode reads the result into an object, over what the object holds already.
func (a answer) decode(into any) error {
	if err := json.Unmarshal(a.result, into); err != nil {
		return a.undecodable(err)
	}
	return nil
}

func (a answer) undecodable(err error) *Error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return a.malformed("the result cannot be read: " + cleanText(err.Error()))
	}
	field := wrong.Field
	if field == "" {
		field = "result"
	}
	return a.malformed(fmt.Sprintf("the result cannot be read: %s is %s, not %s",
		field, wrong.Value, describeType(wrong.Type)))
}

func describeType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int64:
		return "a whole number of 64 bits"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// malformed is the error of an answer that is none. A write may have been acted
// on all the same.
func (a answer) malformed(what string) *Error {
	return &Error{
		Operation:      a.request.operation,
		Status:         a.status,
		RequestID:      a.requestID,
		Message:        what,
		OutcomeUnknown: a.request.effect != changesNothing,
	}
}

// cutShort is the error of an answer that broke off.
func (a answer) cutShort(err error) *Error {
	e := a.malformed("the answer was cut short")
	e.Err = err
	e.transient, e.outage = true, true
	return e
}
