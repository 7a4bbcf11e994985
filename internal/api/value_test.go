package api

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestValueStates(t *testing.T) {
	t.Parallel()
	type object struct {
		A Value[string] `json:"a,omitzero"`
	}
	for _, test := range []struct {
		json                              string
		absent, null, present, unreadable bool
	}{
		{json: `{}`, absent: true},
		{json: `{"a":null}`, null: true},
		{json: `{"a":""}`, present: true},
		{json: `{"a":"x"}`, present: true},
		{json: `{"a":5}`, absent: true, unreadable: true},
	} {
		t.Run(test.json, func(t *testing.T) {
			t.Parallel()
			var o object
			if err := json.Unmarshal([]byte(test.json), &o); err != nil {
				t.Fatal(err)
			}
			_, present := o.A.Get()
			if o.A.IsAbsent() != test.absent || o.A.IsNull() != test.null || present != test.present || o.A.IsUnreadable() != test.unreadable {
				t.Errorf("absent %t, null %t, present %t, unreadable %t", o.A.IsAbsent(), o.A.IsNull(), present, o.A.IsUnreadable())
			}
			if got := asJSON(t, o); got != test.json {
				t.Errorf("written again as %s", got)
			}
		})
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

	scaling := ValueOf(Scaling{Replicas: ValueOf(int64(2)), Concurrency: ValueOf(int64(3))})
	if err := json.Unmarshal([]byte(`{"replicas":4}`), &scaling); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, scaling, `{"replicas":4}`)
}

func TestValueDropsNullsInArrays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in, want string
		into     any
	}{
		{`[null,"a",null,"null"]`, `["a","null"]`, new(Value[[]string])},
		{`[{"source":"10.0.0.1"},null]`, `[{"source":"10.0.0.1"}]`, new(Value[[]AccessEntry])},
		{`[null]`, `[]`, new(Value[[]Column])},
		{`[{"sortingKeys":[null,"k"]}]`, `[{"sortingKeys":["k"]}]`, new(Value[[]TableMapping])},
	} {
		if err := json.Unmarshal([]byte(test.in), test.into); err != nil {
			t.Fatal(err)
		}
		sameJSON(t, test.into, test.want)
	}
}

func TestParseInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "-0.00e999": 0, "5": 5, "5.0": 5, "5e0": 5, "5E+0": 5, "50e-1": 5, "0.5e1": 5, "0.0005e4": 5,
		"1e3": 1000, "1.50e2": 150, "-12.0": -12,
		"9007199254740993": 9007199254740993, "9007199254740993.0": 9007199254740993, "90071992547409930e-1": 9007199254740993,
		"9223372036854775807": 9223372036854775807, "-9223372036854775808": -9223372036854775808, "-9.223372036854775808e18": -9223372036854775808,
	} {
		if got, err := parseInteger(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"9223372036854775808", "-9223372036854775809", "9223372036854775807.5", "1e19", "1e999999999", "1e99999999999999999999",
		"5.5", "1e-1", "1e-99999999999999999999", "", "-", "5e", "5e+-1", "--5", "true", `"5"`, "[5]",
	} {
		if got, err := parseInteger(text); err == nil {
			t.Errorf("%s: %d", text, got)
		}
	}
}

// TestUnreadableMembers: a member of another type costs that member and not the
// object, and is written as it came.
func TestUnreadableMembers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, json, written string // "": as it came
		unreadable          []string
	}{
		{"numbers in quotes", `{"scaling":{"replicas":"4","concurrency":"1e1","replicaMemoryGb":"1.5"}}`, `{"scaling":{"replicas":4,"concurrency":10,"replicaMemoryGb":1.5}}`, nil},
		{"whole fractions", `{"scaling":{"replicas":4.0,"concurrency":"6.0"}}`, `{"scaling":{"replicas":4,"concurrency":6}}`, nil},
		{
			"quantities", `{"name":"orders","scaling":{"replicas":2,"replicaCpuMillicores":"500m","replicaMemoryGb":"2Gi"}}`, "",
			[]string{"scaling.replicaCpuMillicores", "scaling.replicaMemoryGb"},
		},
		{
			"fractions and out of range", `{"scaling":{"replicas":5.5,"concurrency":12345678901234567890,"replicaMemoryGb":"1e999"}}`, "",
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
		{"a member of an element", `{"destination":{"columns":[{"name":"a"},{"name":1,"type":"t"}]}}`, "", []string{"destination.columns[1].name"}},
		{"an element", `{"fieldMappings":[1],"destination":{"tableDefinition":{"sortingKey":["a",1]}}}`, "", []string{"destination.tableDefinition.sortingKey", "fieldMappings"}},
		{
			"settings", `{"settings":{"db_max_threads":"x","db_max_insert_threads":"3","new_one":"y"}}`,
			`{"settings":{"db_max_threads":"x","db_max_insert_threads":3,"new_one":"y"}}`,
			[]string{"settings.db_max_threads"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, _ := scripted(t, ok(test.json))
			pipe := readPipe(t, c)
			sameJSON(t, pipe, cmp.Or(test.written, test.json))
			for _, object := range []any{pipe, *pipe, []Pipe{*pipe}} {
				got := Unreadable(object)
				for i := range got {
					got[i] = strings.TrimPrefix(got[i], "[0].")
				}
				if !slices.Equal(got, test.unreadable) {
					t.Errorf("unreadable: %q", got)
				}
			}
		})
	}
	if got := Unreadable((*Pipe)(nil)); got != nil {
		t.Errorf("nil: %q", got)
	}
}
