package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// explain puts an error of the client in words: the cause in the API's own
// words, status and request id, and what to do next.
func explain(err error) string {
	var failed *transport.Error
	if !errors.As(err, &failed) {
		return err.Error()
	}
	parts := []string{failed.Error() + "."}
	if next := remedy(failed); next != "" {
		parts = append(parts, next)
	}
	return strings.Join(parts, "\n\n")
}

var errNotConfigured = errors.New("the provider's configuration is not known yet: it depends on a value that is known only after apply")

// remedy says what to do about an error; empty where that is not known.
func remedy(err *transport.Error) string {
	switch err.Status {
	case http.StatusUnauthorized:
		return "Check key_id and key_secret, or " + envKeyID + " and " + envKeySecret + ": " +
			"the key must exist, be enabled, not have expired, and belong to the organization."
	case http.StatusForbidden:
		return "The key is known but not allowed to do this. Check its roles, and the addresses from which it may be used."
	case http.StatusNotFound:
		return "Check the ids, that organization_id or " + envOrganizationID + " names the organization they belong to, " +
			"and that base_url or " + envBaseURL + " is the address of the API without the /v1 of its paths."
	case http.StatusTooManyRequests:
		return "The API limits how many requests it takes. Set requests_per_second in the provider block to stay below its limit."
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadRequest:
		return "Once the cause is mended, apply again: what has been done is not done twice."
	}
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return "Check that base_url or " + envBaseURL + " names the right host. If it does, the authority that signed its certificate " +
			"has to be among those that this machine trusts; behind a proxy that is the proxy's."
	case errors.Is(err, context.Canceled):
		return "The run was ended before the API had answered. Apply again to complete it."
	case errors.Is(err, context.DeadlineExceeded):
		return "One attempt may take as long as request_timeout or " + envRequestTimeout + " says. " +
			"Give it more time there if the API is slow; else check that it is up. What has been done is not done twice."
	}
	if err.Status == 0 || err.Status >= http.StatusInternalServerError {
		return "Check base_url or " + envBaseURL + ", and that the API is up. Once it answers, apply again: what has been done is not done twice."
	}
	return ""
}

// failure is the one diagnostic of a step that failed, at the attribute that
// names the object where the object does not exist.
func (r *adopted[M]) failure(verb string, a attributes, err error) diag.Diagnostics {
	summary := fmt.Sprintf("Unable to %s %s", verb, r.about.noun)
	detail := fmt.Sprintf("%s: %s", r.long(a), explain(err))
	if transport.IsNotFound(err) {
		last := r.about.ids[len(r.about.ids)-1]
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(last), summary, detail)}
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, detail)}
}

// unreadable is the one warning about an object whose kind is read by an
// empty PATCH, where the API refuses that.
func (r *adopted[M]) unreadable(a attributes) diag.Diagnostic {
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Unable to see %s", r.short(a)),
		fmt.Sprintf("The API has no operation that reads this, and refuses the PATCH without changes that would show it: %s. "+
			"Terraform goes by what it applied last: changes made outside of it are not seen, and adoption sends all that is configured.", r.long(a)))
}

// letGo is the one warning about an object that leaves Terraform. Its summary
// is the same for all, so that Terraform folds them into one.
func (r *adopted[M]) letGo(a attributes) diag.Diagnostic {
	if k, ok := r.kind.(releaser[M]); ok && k.releases(a) {
		return diag.NewWarningDiagnostic("API keys are disabled, not deleted",
			fmt.Sprintf("Because on_destroy is \"disable\", this is disabled, and then no longer managed: %s. Everything else about it stays as it is.", r.long(a)))
	}
	return diag.NewWarningDiagnostic("Objects are let go of, not deleted",
		fmt.Sprintf("Terraform deletes nothing here. This stays exactly as it is, and is no longer managed: %s.", r.long(a)))
}

// long is an object's full name.
func (r *adopted[M]) long(a attributes) string {
	ids := make([]string, len(r.about.ids))
	for i, id := range r.about.ids {
		ids[i] = text(a[id])
	}
	return r.about.noun + " " + strings.Join(ids, "/")
}
