package mockapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
)

// Object is a JSON object as the store keeps it: strings, booleans, nil,
// int64 for every whole number that fits (so that sizes past 2^53 stay exact),
// float64 for every other number, []any, and Object again.
//
// Values from tests may have other Go types with the same JSON meaning (int,
// []string, …). They are converted when they are stored.
type Object = map[string]any

// decode reads exactly one JSON value.
func decode(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return canonical(value), nil
}

// canonical is a deep copy of value in the form that Object describes. It
// panics on a value without JSON meaning, which only a test can pass.
func canonical(value any) any {
	switch value := value.(type) {
	case nil, bool, string, int64:
		return value
	case json.Number:
		return number(string(value))
	case float64:
		return whole(value)
	case []any:
		list := make([]any, len(value))
		for i, element := range value {
			list[i] = canonical(element)
		}
		return list
	case Object:
		object := make(Object, len(value))
		for name, member := range value {
			object[name] = canonical(member)
		}
		return object
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("mockapi: not a JSON value: %v", err))
	}
	decoded, _ := decode(text)
	return decoded
}

// clone is canonical for a whole object.
func clone(object Object) Object {
	return canonical(object).(Object)
}

// whole is value as an int64 where it is one.
func whole(value float64) any {
	const exact = 1 << 53 // a larger float64 may stand for several whole numbers
	if value == math.Trunc(value) && math.Abs(value) <= exact {
		return int64(value)
	}
	return value
}

// number is a JSON number in any notation (5, 5.0, 5e0).
func number(text string) any {
	const precision = 128 // bits; twice what an int64 needs
	parsed, _, err := big.ParseFloat(text, 10, precision, big.ToNearestEven)
	if err != nil {
		return math.Inf(1) // no JSON number is infinite: every check refuses it
	}
	if parsed.IsInt() {
		if integer, accuracy := parsed.Int64(); accuracy == big.Exact {
			return integer
		}
	}
	float, _ := parsed.Float64()
	return float
}
