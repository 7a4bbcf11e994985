package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
)

// A Value is one member of a JSON object: left out, null, a value, or mistyped.
// openapi.yaml leaves open which members a response has and which of them may
// be null, so every member is kept with all these states. The zero Value is
// left out, and the struct tag `omitzero` leaves it out of a request.
type Value[T any] struct {
	value T      // zero unless present
	raw   string // the JSON of a mistyped member
	state state
}

type state uint8

const (
	leftOut state = iota
	null
	present
	mistyped // of another JSON type than documented
)

// ValueOf returns a member that has the value v.
func ValueOf[T any](v T) Value[T] { return Value[T]{value: v, state: present} }

// NullOf returns a member that is null.
func NullOf[T any]() Value[T] { return Value[T]{state: null} }

// Set sets the value, null for nil. It reports false for a value of another type.
func (v *Value[T]) Set(value any) bool {
	typed, ok := value.(T)
	switch {
	case value == nil:
		*v = NullOf[T]()
	case ok:
		*v = ValueOf(typed)
	}
	return ok || value == nil
}

// Get returns the value, and false for left out, null and mistyped.
func (v Value[T]) Get() (T, bool) { return v.value, v.state == present }

// Any returns the value, nil for left out, null and mistyped.
func (v Value[T]) Any() any {
	if v.state != present {
		return nil
	}
	return v.value
}

// IsKnown reports whether the member is a value or null: neither left out nor mistyped.
func (v Value[T]) IsKnown() bool { return v.state == present || v.state == null }

// IsNull reports whether the member is there and null.
func (v Value[T]) IsNull() bool { return v.state == null }

// IsMistyped reports whether the member is of another JSON type than documented.
func (v Value[T]) IsMistyped() bool { return v.state == mistyped }

// IsZero reports whether the object has no such member. It is what `omitzero`
// asks: a null and a mistyped member are written, one that is left out is not.
func (v Value[T]) IsZero() bool { return v.state == leftOut }

// MarshalJSON writes the value, a mistyped member as it came, or null.
func (v Value[T]) MarshalJSON() ([]byte, error) {
	switch v.state {
	case present:
		return json.Marshal(v.value)
	case mistyped:
		return []byte(v.raw), nil
	default:
		return []byte("null"), nil
	}
}

// UnmarshalJSON reads the value into a fresh T, never into the one that v held
// before: copies of v may share slices with it. It never fails: a member of
// another type must not cost the object that it is in. Numbers and booleans may be in quotes, booleans 0 or 1,
// integers in every notation of JSON, and nulls in arrays are dropped. A number is no
// string: as text it could come back in another notation and look like drift.
func (v *Value[T]) UnmarshalJSON(data []byte) error {
	var fresh T
	switch {
	case isNull(data):
		*v = NullOf[T]()
	case decodeValue(data, &fresh) == nil:
		*v = ValueOf(fresh)
	default:
		*v = Value[T]{raw: string(data), state: mistyped}
	}
	return nil
}

func decodeValue(data []byte, into any) (err error) {
	var number json.Number // also in quotes
	switch into := into.(type) {
	case *int64:
		if err = json.Unmarshal(data, &number); err == nil {
			err = parseInteger(number, into)
		}
		return err
	case *float64:
		if err = json.Unmarshal(data, &number); err == nil {
			*into, err = number.Float64()
		}
		return err
	case *bool:
		switch strings.ToLower(strings.Trim(string(data), `"`)) {
		case "true", "1":
			*into = true
		case "false", "0":
		default:
			err = errors.New("not a boolean")
		}
		return err
	}
	return json.Unmarshal(withoutNulls(data), into)
}

// parseInteger reads every notation of a whole number (5, 5.0, 50e-1) that a float64 has exactly.
func parseInteger(number json.Number, into *int64) error {
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return errors.New("not an integer")
	}
	*into = int64(f)
	return nil
}

// withoutNulls drops the nulls of an array: decoded, they would be empty elements.
func withoutNulls(data []byte) []byte {
	var elements []json.RawMessage
	if !bytes.Contains(data, []byte("null")) || json.Unmarshal(data, &elements) != nil {
		return data
	}
	elements = slices.DeleteFunc(elements, func(e json.RawMessage) bool { return isNull(e) })
	data, _ = json.Marshal(elements) // was JSON before
	return data
}

// spelled returns the value of an enum that is text in some case, else text itself.
func spelled(text string, enum []string) string {
	if i := slices.IndexFunc(enum, func(value string) bool { return strings.EqualFold(value, text) }); i >= 0 {
		return enum[i]
	}
	return text
}

func isNull(data []byte) bool { return string(data) == "null" }

// patched returns older with the members of newer: UnmarshalJSON alone would drop the others.
func patched[T any](older, newer Value[T]) Value[T] {
	if newer.state != present {
		return newer
	}
	merged := older.value
	data, _ := json.Marshal(newer)
	_ = json.Unmarshal(data, &merged)
	return ValueOf(merged)
}

// An Object is an object of the API as it came: its members by name.
type Object map[string]json.RawMessage

// Text returns a member that is a string, "" for any other.
func (o Object) Text(name string) string {
	var text string
	_ = json.Unmarshal(o[name], &text)
	return text
}
