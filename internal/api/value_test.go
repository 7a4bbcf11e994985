package api

import (
	"cmp"
	"encoding/json"
	"testing"
)

func TestValueStates(t *testing.T) {
	t.Parallel()
	type object struct {
		A Value[string] `json:"a,omitzero"`
	}
	for in, want := range map[string]struct{ known, null, present, mistyped bool }{
		`{}`:         {},
		`{"a":null}`: {known: true, null: true},
		`{"a":""}`:   {known: true, present: true},
		`{"a":"x"}`:  {known: true, present: true},
		`{"a":5}`:    {mistyped: true},
	} {
		var o object
		if err := json.Unmarshal([]byte(in), &o); err != nil {
			t.Fatal(err)
		}
		got := want
		got.known, got.null, got.mistyped = o.A.IsKnown(), o.A.IsNull(), o.A.IsMistyped()
		if _, got.present = o.A.Get(); got != want || (o.A.Any() != nil) != want.present {
			t.Errorf("%s: %+v, want %+v", in, got, want)
		}
		sameJSON(t, o, in)
	}
}

// TestValueDecodesIntoFreshMemory: copies of a value may share slices with it.
func TestValueDecodesIntoFreshMemory(t *testing.T) {
	t.Parallel()
	older := ValueOf([]string{"a", "b"})
	newer := older
	if err := json.Unmarshal([]byte(`["c"]`), &newer); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, older, `["a","b"]`)
	sameJSON(t, newer, `["c"]`)
}

func TestParseInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "-0.00e99": 0, "5": 5, "5.0": 5, "5e0": 5, "50e-1": 5, "0.0005e4": 5, "1e3": 1000, "-12.0": -12, "9007199254740991": 1<<53 - 1,
	} {
		var got int64
		if err := parseInteger(json.Number(text), &got); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"9007199254740993", "1e19", "1e999999999", "5.5", "1e-1", "", "-", "true", "NaN"} {
		var got int64
		if err := parseInteger(json.Number(text), &got); err == nil {
			t.Errorf("%s: %d", text, got)
		}
	}
}

// TestLenientDecoding: a null in an array is dropped. A member of another type
// costs that member and not the object, and is written as it came.
func TestLenientDecoding(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		into        any
		in, written string // "": as it came
	}{
		{new(Key), `{"roles":[null,"a",null,"null"]}`, `{"roles":["a","null"]}`},
		{new(Key), `{"roles":[null]}`, `{"roles":[]}`},
		{new(Scaling), `{"replicas":"4","concurrency":"1e1","replicaMemoryGb":"1.5"}`, `{"replicas":4,"concurrency":10,"replicaMemoryGb":1.5}`},
		{new(Scaling), `{"replicas":4.0,"concurrency":"6.0"}`, `{"replicas":4,"concurrency":6}`},
		{new(Scaling), `{"replicas":2,"replicaCpuMillicores":"500m","replicaMemoryGb":"2Gi"}`, ""},
		{new(Scaling), `{"replicas":5.5,"concurrency":12345678901234567890,"replicaMemoryGb":"1e999"}`, ""},
		{new(Scaling), `{"replicas":" 5","concurrency":"","replicaCpuMillicores":"null","replicaMemoryGb":{}}`, ""},
		{new(Scaling), `{"replicaMemoryGb":" 5"}`, ""},
		{new(Scaling), `{"replicaMemoryGb":"null"}`, ""},
		{new(Settings), `{"db_max_threads":"x","db_max_insert_threads":"3"}`, `{"db_max_threads":"x","db_max_insert_threads":3}`},
		{new(Pipe), `{"scaling":[1],"settings":[],"source":"kafka"}`, ""},
	} {
		if err := json.Unmarshal([]byte(test.in), test.into); err != nil {
			t.Fatal(err)
		}
		sameJSON(t, test.into, cmp.Or(test.written, test.in))
	}
}

func TestValueSet(t *testing.T) {
	t.Parallel()
	var v Value[int64]
	if !v.Set(int64(3)) || v != ValueOf(int64(3)) {
		t.Errorf("%+v", v)
	}
	if v.Set("three") || v != ValueOf(int64(3)) {
		t.Errorf("a text: %+v", v)
	}
	if !v.Set(nil) || !v.IsNull() {
		t.Errorf("nil: %+v", v)
	}
}
