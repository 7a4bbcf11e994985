package mockapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Fault{
		"updateService:reset,acted,times=1": {Operation: "updateService", Kind: FaultReset, AfterActing: true, Times: 1},
		"getPipe:status=503,skip=2":         {Operation: "getPipe", Status: 503, Skip: 2},
		":delay=1.5s":                       {Delay: 1500 * time.Millisecond},
		"getPipe:html,status=404,id=abc":    {Operation: "getPipe", Kind: FaultHTML, Status: 404, ID: "abc"},
		":redirect,location=/elsewhere":     {Kind: FaultRedirect, Header: http.Header{"Location": {"/elsewhere"}}},
		"scalePipe:hang,acted":              {Operation: "scalePipe", Kind: FaultHang, AfterActing: true},
	} {
		got, err := ParseFault(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{
		"", "getPipe", "getPipe:", "getPipes:reset", "getPipe:explode", "getPipe:reset,", "getPipe:acted",
		"getPipe:status=abc", "getPipe:status=1", "getPipe:skip=x,reset", "getPipe:delay=1,reset",
	} {
		if _, err := ParseFault(text); err == nil {
			t.Errorf("%q: accepted", text)
		}
	}
}

// Every kind has a name and a sentence.
func TestAllFaults(t *testing.T) {
	t.Parallel()
	for _, named := range AllFaults() {
		if !strings.HasSuffix(named.Doc, ".") {
			t.Errorf("%s: %q is not a sentence", named.Kind, named.Doc)
		}
		if named.Kind == FaultStatus {
			continue
		}
		if f, err := ParseFault(":" + string(named.Kind)); err != nil || f.Kind != named.Kind {
			t.Errorf("%s: %+v %v", named.Kind, f, err)
		}
	}
}
