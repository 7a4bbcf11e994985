package lifecycle

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A conflict may be another change in progress, or last. An idle service has to be
// woken. A proxy may be down. Nothing was sent by a plan.
func TestRemedies(t *testing.T) {
	t.Parallel()
	const wake = "Wake it, for example by connecting to it. Then "
	for _, test := range []struct {
		status   int
		planning bool
		want     string
	}{
		{0, true, "Check HTTPS_PROXY"},
		{0, false, "Check base_url, and which TLS versions"},
		{http.StatusPaymentRequired, false, "plan or payment does not cover this change. Check it in the platform's console. Then apply again"},
		{http.StatusBadGateway, false, "Check base_url, and that the API is up. Then apply again."},
		{http.StatusConflict, false, "wait for it; otherwise correct the cause. Then apply again"},
		{http.StatusConflict, true, ""},
		{http.StatusFailedDependency, false, wake + "apply again"},
		{http.StatusFailedDependency, true, wake + "run Terraform again"},
	} {
		failed := &transport.Error{Status: test.status}
		if test.status == 0 {
			op := map[bool]string{true: "proxyconnect", false: "remote error"}[test.planning]
			failed.Err = &net.OpError{Op: op, Err: context.DeadlineExceeded}
		}
		what := updating
		if test.planning {
			what = refreshing
		}
		text := generalRemedy(failed, what)
		if !strings.Contains(text, test.want) || test.want == "" && text != "" {
			t.Errorf("HTTP %d, planning %t: %q", test.status, test.planning, text)
		}
	}
	if isCommon(&transport.Error{Err: api.ErrOverdue}, updating) {
		t.Error("an update that the API does not show is shortened")
	}
	// An update that may be applied in part is described in full.
	for status := range 600 {
		if isCommon(&transport.Error{Status: status, OutcomeUnknown: true, NotFromAPI: true}, updating) {
			t.Errorf("HTTP %d of unknown outcome is shortened", status)
		}
	}
}

// The first line of an error says why, unless that is a status of success.
func TestFailureSummary(t *testing.T) {
	t.Parallel()
	state := Attributes{"lamp_id": types.StringValue("2222")}
	for status, want := range map[int]string{
		http.StatusOK:                 "Unable to update lamp …2222",
		http.StatusServiceUnavailable: "Unable to update lamp …2222: service unavailable (503)",
	} {
		err := &transport.Error{Status: status, Message: "no JSON", OutcomeUnknown: true}
		failed := (&ProviderData{}).failure(updating, writing, lamp.Kind, state, err)
		if failed.Summary() != want {
			t.Errorf("HTTP %d: %s", status, failed.Summary())
		}
	}
}

// If the API does not know the organization, the first advice is about it.
func TestUnknownOrganization(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Organization 0001 not found":              "Check organization_id",
		"The organisation 0001 does not exist":     "Check organization_id",
		"pipe not found in organization 0001":      "Check service_id and pipe_id",
		"NOT_FOUND: pipe 22 of service 11 unknown": "Check service_id and pipe_id",
	} {
		if got := whichID(refreshing, []string{"service_id", "pipe_id"}, &transport.Error{Message: message}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", message, got)
		}
	}
}

// A refusal is at the one attribute that it names, in the API's spelling or ours.
func TestAtNamed(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"ipAccessList: too many entries": "ip_access_list",
		"invalid ip_access_list":         "ip_access_list",
		"name and ipAccessList":          "",
		"roles are frozen":               "", // not sent
	} {
		err := &transport.Error{Status: http.StatusBadRequest, Message: message}
		got := atNamed([]string{"ip_access_list", "name"}, diag.Diagnostics{diag.NewErrorDiagnostic("Unable to update", message)}, err)
		at, isAt := got[0].(diag.DiagnosticWithPath)
		if isAt != (want != "") || isAt && !at.Path().Equal(path.Root(want)) {
			t.Errorf("%s: %v", message, got)
		}
	}
}
