package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestValueStates(t *testing.T) {
	t.Parallel()
	type object struct {
		A Value[string] `json:"a,omitzero"`
	}
	for _, test := range []struct {
		json                  string
		absent, null, present bool
	}{
		{json: `{}`, absent: true},
		{json: `{"a":null}`, null: true},
		{json: `{"a":""}`, present: true},
		{json: `{"a":"x"}`, present: true},
	} {
		t.Run(test.json, func(t *testing.T) {
			t.Parallel()
			var o object
			if err := json.Unmarshal([]byte(test.json), &o); err != nil {
				t.Fatal(err)
			}
			_, present := o.A.Get()
			if o.A.IsAbsent() != test.absent || o.A.IsNull() != test.null || present != test.present || o.A.IsZero() != test.absent {
				t.Errorf("absent %t, null %t, present %t", o.A.IsAbsent(), o.A.IsNull(), present)
			}
			if got := asJSON(t, o); got != test.json {
				t.Errorf("written again as %s", got)
			}
		})
	}
}

func TestValueConstructors(t *testing.T) {
	t.Parallel()
	if v, ok := ValueOf(int64(7)).Get(); !ok || v != 7 {
		t.Errorf("ValueOf(7).Get() = %d, %t", v, ok)
	}
	if _, ok := NullOf[int64]().Get(); ok || !NullOf[int64]().IsNull() {
		t.Error("NullOf has a value or is not null")
	}
}

func TestValueDecodesIntoFreshMemory(t *testing.T) {
	t.Parallel()
	older := ValueOf([]string{"a", "b"})
	newer := older
	if err := json.Unmarshal([]byte(`["c"]`), &newer); err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, older); got != `["a","b"]` {
		t.Errorf("the older copy became %s", got)
	}
	if got := asJSON(t, newer); got != `["c"]` {
		t.Errorf("the newer copy is %s", got)
	}
}

func TestValueKeepsNothingOfTheOlderObject(t *testing.T) {
	t.Parallel()
	scaling := ValueOf(Scaling{Replicas: ValueOf(int64(2)), Concurrency: ValueOf(int64(3))})
	if err := json.Unmarshal([]byte(`{"replicas":4}`), &scaling); err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, scaling); got != `{"replicas":4}` {
		t.Errorf("got %s", got)
	}
}

func TestValueDropsNullsInArrays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		in, want string
		into     any
	}{
		{name: "strings", in: `[null,"a",null,"null"]`, want: `["a","null"]`, into: new(Value[[]string])},
		{name: "objects", in: `[{"source":"10.0.0.1"},null]`, want: `[{"source":"10.0.0.1"}]`, into: new(Value[[]AccessEntry])},
		{name: "nothing else", in: `[null]`, want: `[]`, into: new(Value[[]Column])},
		{name: "nested", in: `[{"sortingKeys":[null,"k"]}]`, want: `[{"sortingKeys":["k"]}]`, into: new(Value[[]TableMapping])},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if err := json.Unmarshal([]byte(test.in), test.into); err != nil {
				t.Fatal(err)
			}
			if got := asJSON(t, test.into); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestParseInteger(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   string
		want int64
		err  error
	}{
		{in: "0", want: 0},
		{in: "-0", want: 0},
		{in: "-0.00e99999999999999999999", want: 0},
		{in: "5", want: 5},
		{in: "5.0", want: 5},
		{in: "5e0", want: 5},
		{in: "5E+0", want: 5},
		{in: "50e-1", want: 5},
		{in: "0.5e1", want: 5},
		{in: "0.0005e4", want: 5},
		{in: "1e3", want: 1000},
		{in: "1.50e2", want: 150},
		{in: "-12.0", want: -12},
		{in: "9007199254740993", want: 9007199254740993},
		{in: "9007199254740993.0", want: 9007199254740993},
		{in: "9223372036854775807", want: 9223372036854775807},
		{in: "-9223372036854775808", want: -9223372036854775808},
		{in: "-9.223372036854775808e18", want: -9223372036854775808},
		{in: "9223372036854775808", err: errOutOfRange},
		{in: "-9223372036854775809", err: errOutOfRange},
		{in: "1e19", err: errOutOfRange},
		{in: "1e999999999", err: errOutOfRange},
		{in: "1e99999999999999999999", err: errOutOfRange},
		{in: "5.5", err: errNotWhole},
		{in: "1e-1", err: errNotWhole},
		{in: "1e-999999999", err: errNotWhole},
		{in: "1e-99999999999999999999", err: errNotWhole},
		{in: "", err: errNotNumber},
		{in: "-", err: errNotNumber},
		{in: ".5", err: errNotNumber},
		{in: "5.", err: errNotNumber},
		{in: "5e", err: errNotNumber},
		{in: "5e+-1", err: errNotNumber},
		{in: "5e1.0", err: errNotNumber},
		{in: "--5", err: errNotNumber},
		{in: "0x10", err: errNotNumber},
		{in: "true", err: errNotNumber},
	} {
		t.Run(test.in, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			got, err := parseInteger(test.in)
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("parseInteger(%q) = %d, %v; want %d, %v", test.in, got, err, test.want, test.err)
			}
			if took := time.Since(started); took > time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// TestMembersOfAnotherType: one costs that member and not the object, and is
// written as it came.
func TestMembersOfAnotherType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, json, written string
		unreadable          []string
	}{
		{"numbers in quotes", `{"scaling":{"replicas":"4","concurrency":"1e1","replicaMemoryGb":"1.5"}}`, `{"scaling":{"replicas":4,"concurrency":10,"replicaMemoryGb":1.5}}`, nil},
		{"whole fractions", `{"scaling":{"replicas":4.0,"concurrency":"6.0"}}`, `{"scaling":{"replicas":4,"concurrency":6}}`, nil},
		{
			"quantities", `{"name":"orders","scaling":{"replicas":2,"replicaCpuMillicores":"500m","replicaMemoryGb":"2Gi"}}`, "",
			[]string{"scaling.replicaCpuMillicores", "scaling.replicaMemoryGb"},
		},
		{
			"fractions and what is out of range", `{"scaling":{"replicas":5.5,"concurrency":12345678901234567890,"replicaMemoryGb":"1e999"}}`, "",
			[]string{"scaling.replicas", "scaling.concurrency", "scaling.replicaMemoryGb"},
		},
		{
			"no numbers", `{"scaling":{"replicas":" 5","concurrency":"","replicaCpuMillicores":"null","replicaMemoryGb":"NaN"}}`, "",
			[]string{"scaling.replicas", "scaling.concurrency", "scaling.replicaCpuMillicores", "scaling.replicaMemoryGb"},
		},
		{"a number for a string", `{"name":5,"state":true}`, "", []string{"name", "state"}},
		{"an array for an object", `{"scaling":[1],"source":"kafka","settings":[]}`, "", []string{"scaling", "source", "settings"}},
		{"an object for an array", `{"fieldMappings":{}}`, "", []string{"fieldMappings"}},
		{"a string for a boolean", `{"source":{"kinesis":{"useEnhancedFanOut":"true"}}}`, "", []string{"source.kinesis.useEnhancedFanOut"}},
		{
			"in an element", `{"destination":{"columns":[{"name":"a"},{"name":1,"type":"t"}]}}`, "",
			[]string{"destination.columns[1].name"},
		},
		{"an element", `{"fieldMappings":[1],"destination":{"tableDefinition":{"sortingKey":["a",1]}}}`, "", []string{"destination.tableDefinition.sortingKey", "fieldMappings"}},
		{"settings", `{"settings":{"db_max_threads":"x","db_max_insert_threads":"3","new_one":"y"}}`, `{"settings":{"db_max_threads":"x","db_max_insert_threads":3,"new_one":"y"}}`, []string{"settings.db_max_threads"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			talk := converse(t, says(ok(test.json)))
			pipe := readPipe(t, withoutNetwork(t, talk.answer))
			sameJSON(t, pipe, cmp.Or(test.written, test.json))
			if got := Unreadable(pipe); !slices.Equal(got, test.unreadable) {
				t.Errorf("unreadable: %q", got)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	var scaling Scaling
	if err := json.Unmarshal([]byte(`{"replicas":"500m","concurrency":3}`), &scaling); err != nil {
		t.Fatal(err)
	}
	v := scaling.Replicas
	if _, ok := v.Get(); ok || !v.IsAbsent() || v.IsNull() || v.IsZero() || !v.IsUnreadable() || string(v.Raw()) != `"500m"` {
		t.Errorf("%+v", v)
	}
	if v := scaling.Concurrency; v.IsUnreadable() || v.Raw() != nil {
		t.Errorf("%+v", v)
	}
	for _, object := range []any{scaling, &scaling, []Scaling{{}, scaling}} {
		if got := Unreadable(object); len(got) != 1 || !strings.HasSuffix(got[0], "replicas") {
			t.Errorf("%T: %q", object, got)
		}
	}
	if got := Unreadable((*Scaling)(nil)); got != nil {
		t.Errorf("nil: %q", got)
	}
}

// TestUnreadableResponseToAWrite: it does not count as what was sent.
func TestUnreadableResponseToAWrite(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{"scaling":{"replicas":2}}`)), says(ok(`{"scaling":{"replicas":"many"}}`)))
	c := withoutNetwork(t, talk.answer)
	readPipe(t, c)
	pipe, err := c.ScalePipe(t.Context(), serviceID, pipeID, replicas(3))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, pipe, `{"scaling":{"replicas":"many"}}`)
}

// FuzzParseInteger holds the reading of digits against arithmetic on
// fractions, wherever that is affordable.
func FuzzParseInteger(f *testing.F) {
	for _, seed := range []string{
		"0", "-0", "5.0", "50e-1", "5.5", "9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "1e999999999", "1e-999999999", "0.001e3", "1E+2", "-1.20e1", "12345678901234567890e-1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseInteger(s)
		if !json.Valid([]byte(s)) || strings.TrimSpace(s) != s || strings.Trim(s, "0123456789.eE+-") != "" {
			return
		}
		if errors.Is(err, errNotNumber) {
			t.Fatalf("%q is a number", s)
		}
		_, exponent, _ := splitExponent(s)
		if exponent > 1000 || exponent < -1000 {
			return
		}
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is no fraction", s)
		}
		whole := exact.IsInt() && exact.Num().IsInt64()
		if whole != (err == nil) {
			t.Fatalf("parseInteger(%q): %v, yet whole is %t", s, err, whole)
		}
		if whole && got != exact.Num().Int64() {
			t.Fatalf("parseInteger(%q) = %d, want %s", s, got, exact.Num())
		}
	})
}

// FuzzDecodePipe: no answer makes decoding crash, and what is decoded can be
// written and read again to the same.
func FuzzDecodePipe(f *testing.F) {
	f.Add(`{"id":"a","scaling":{"replicas":5.0,"replicaMemoryGb":0.5},"settings":{"db_max_threads":1e1,"new":[null]}}`)
	f.Add(`{"fieldMappings":[null,{}],"destination":{"columns":[null],"tableDefinition":{"engine":null}}}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, s string) {
		var first, second Pipe
		if json.Unmarshal([]byte(s), &first) != nil {
			return
		}
		written, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &second); err != nil {
			t.Fatalf("%s cannot be read again: %v", written, err)
		}
		if again := asJSON(t, second); again != string(written) {
			t.Errorf("%s became %s", written, again)
		}
	})
}
