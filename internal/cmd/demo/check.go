package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// check reports a claim, for the summary too, or returns an error if it does not
// hold.
func (d *demo) check(holds bool, claim string, args ...any) error {
	claim = fmt.Sprintf(claim, args...)
	if !holds {
		return fmt.Errorf("this is not true: %s", claim)
	}
	fmt.Fprintf(d.out, "   ✓ %s\n", claim)
	d.checked = append(d.checked, claim)
	return nil
}

// checkSent shows the updates that the API received during this step and checks
// them against want: for each operation the body, as JSON.
func (d *demo) checkSent(want map[string]string) error {
	received := d.mock.Requests()[d.seen:]
	sent := updates(received)
	for _, request := range sent {
		separator := " "
		if len(request.Body) > 80 { // columns
			separator = "\n  "
		}
		d.print("   ", fmt.Sprintf("→ %s %s%s%s", request.Method, request.ShortPath(), separator, request.Body))
	}
	for _, request := range sent {
		if !sameJSON(request.Body, want[request.Operation]) {
			return fmt.Errorf("the API received an update that the configuration does not ask for: %s %s %s",
				request.Method, request.ShortPath(), request.Body)
		}
	}
	switch {
	case len(want) > 0:
		return d.check(len(sent) == len(want), "only the expected updates were sent (%d)", len(want))
	case len(received) > 0:
		return d.check(len(sent) == 0, "all %d requests were reads", len(received))
	}
	return nil
}

// updates returns the requests that change something. A PATCH with {} is the read
// of an object that has no GET.
func updates(requests []mockapi.Request) []mockapi.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(request mockapi.Request) bool {
		return request.Method == http.MethodGet || string(request.Body) == "{}"
	})
}

func sameJSON(body []byte, want string) bool {
	var a, b any
	return json.Unmarshal(body, &a) == nil && json.Unmarshal([]byte(want), &b) == nil && reflect.DeepEqual(a, b)
}
