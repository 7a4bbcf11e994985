package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// check says what was verified, or returns it as an error if it does not hold.
func (d *demo) check(holds bool, claim string, args ...any) error {
	claim = fmt.Sprintf(claim, args...)
	if !holds {
		return fmt.Errorf("this should be so, and is not: %s", claim)
	}
	fmt.Fprintf(d.out, "   ✓ %s\n", claim)
	return nil
}

// checkSent shows the changes that the API received during the present step and
// checks that they are those in want: for each operation the body, as JSON.
func (d *demo) checkSent(want map[string]string) error {
	received := d.mock.Requests()[d.seen:]
	sent := changes(received)
	for _, request := range sent {
		fmt.Fprintf(d.out, "   → %s %s %s\n", request.Method, shortPath(request), request.Body)
	}
	for _, request := range sent {
		if !sameJSON(request.Body, want[request.Operation]) {
			return fmt.Errorf("the API received a change that does not follow from the configuration: %s %s %s",
				request.Method, shortPath(request), request.Body)
		}
	}
	if len(want) == 0 {
		return d.check(len(sent) == 0, "nothing was changed: the API was only asked, %d times", len(received))
	}
	return d.check(len(sent) == len(want), "exactly this was sent, %d in all", len(want))
}

// changes are the requests that change something. A PATCH without a member is
// how objects are read that have no GET.
func changes(requests []mockapi.Request) []mockapi.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(request mockapi.Request) bool {
		return request.Method == http.MethodGet || string(request.Body) == "{}"
	})
}

// shortPath is a request's path without what all have in common.
func shortPath(request mockapi.Request) string {
	return strings.TrimPrefix(request.Path, "/v1/organizations/"+mockapi.OrganizationID)
}

func sameJSON(body []byte, want string) bool {
	var a, b any
	return json.Unmarshal(body, &a) == nil && json.Unmarshal([]byte(want), &b) == nil && reflect.DeepEqual(a, b)
}
