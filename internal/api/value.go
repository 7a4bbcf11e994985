package api

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A Value is one member of a JSON object: absent, null, or a value. The
// specification leaves open which members an answer holds and which of them
// may be null, so every member is kept with all three possibilities. The zero
// Value is absent, and the struct tag `omitzero` leaves it out of a request.
type Value[T any] struct {
	value T
	kind  kind
}

type kind uint8

const (
	absent kind = iota
	null
	present
)

// ValueOf returns a member that has the value v.
func ValueOf[T any](v T) Value[T] { return Value[T]{value: v, kind: present} }

// NullOf returns a member that is null.
func NullOf[T any]() Value[T] { return Value[T]{kind: null} }

// Get returns the value and whether there is one: false for absent and null.
func (v Value[T]) Get() (T, bool) { return v.value, v.kind == present }

// IsAbsent reports whether the object has no such member.
func (v Value[T]) IsAbsent() bool { return v.kind == absent }

// IsNull reports whether the member is there and null.
func (v Value[T]) IsNull() bool { return v.kind == null }

// IsZero reports whether the member is absent. It is what `omitzero` asks, so
// that a null is written and an absent member is not.
func (v Value[T]) IsZero() bool { return v.kind == absent }

// MarshalJSON writes the value, or null where there is none.
func (v Value[T]) MarshalJSON() ([]byte, error) {
	if v.kind != present {
		return []byte("null"), nil
	}
	return json.Marshal(v.value)
}

// UnmarshalJSON reads the value into a fresh T, never into the one that v held
// before: copies of v may share slices with it. Integers are read in every
// notation JSON has for them, and nulls in arrays are dropped.
func (v *Value[T]) UnmarshalJSON(data []byte) error {
	*v = NullOf[T]()
	if isNull(data) {
		return nil
	}
	var fresh T
	if err := decodeValue(data, &fresh); err != nil {
		return err
	}
	*v = ValueOf(fresh)
	return nil
}

func decodeValue(data []byte, into any) error {
	if n, ok := into.(*int64); ok {
		return decodeInteger(data, n)
	}
	data, err := withoutNulls(data)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// withoutNulls drops the nulls of an array: they stand for nothing, and a
// zero element made of one would look like something the API said.
func withoutNulls(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte("[")) || !bytes.Contains(data, []byte("null")) {
		return data, nil
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(data, &elements); err != nil {
		return nil, err
	}
	elements = slices.DeleteFunc(elements, func(e json.RawMessage) bool { return isNull(e) })
	return json.Marshal(elements)
}

func isNull(data []byte) bool { return string(data) == "null" }
