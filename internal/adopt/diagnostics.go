package adopt

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// An action of the lifecycle, for errors.
type action struct {
	verb     string
	planning bool // nothing is sent
	exists   bool // the object has just been read
}

var (
	planningAdoption = action{verb: "adopt", planning: true}
	refreshing       = action{verb: "read", planning: true}
	adopting         = action{verb: "adopt"}
	updating         = action{verb: "update"}
	confirming       = action{verb: "read"}
)

// after returns the action that follows a read with the given error.
func (a action) after(read error) action {
	a.exists = read == nil
	return a
}

var errNotConfigured = errors.New("the provider's configuration is not known yet: it depends on a value that is known only after apply")

// Explain describes an error of the client: what happened, in the API's own
// words, with status and request id, and what to do.
func (d *ProviderData) Explain(err error, planning bool) string {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return err.Error()
	}
	// Rejected credentials fail everything; explaining that once is enough.
	if failed.Status == http.StatusUnauthorized && d.remedied.Swap(true) {
		return "HTTP 401: the API rejected the credentials. Another of these errors says what to check."
	}
	text := failed.Error() + "."
	if remedy := d.Remedy(failed, planning); remedy != "" {
		text += "\n\n" + remedy
	}
	return text
}

// failure is the diagnostic of an action that failed. It is at the id of an
// object that does not exist.
func (r *Resource) failure(what action, a Attributes, err error) diag.Diagnostics {
	summary := fmt.Sprintf("Unable to %s %s", what.verb, r.metadata.Noun)
	detail := fmt.Sprintf("%s: %s", r.metadata.name(a), r.Explain(err, what.planning))
	if r.metadata.ReadByUpdate && what.planning && isForbidden(err) {
		detail += "\n\nThe API has no operation to read this object, so Terraform sends an update without changes, which the key may not send. " +
			"To plan with such a key, set unreadable_objects = \"warn\" in the provider block."
	}
	if failed, ok := errors.AsType[*transport.Error](err); ok && what.exists && (transport.IsNotFound(err) || failed.Status == http.StatusMethodNotAllowed) {
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, fmt.Sprintf(
			"%s: %s.\n\nThe object exists: Terraform has just read it. The API does not offer this operation for objects of its kind. Remove this resource from the configuration.", r.metadata.name(a), err))}
	}
	if !transport.IsNotFound(err) {
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, detail)}
	}
	if what == planningAdoption {
		detail += "\n\nIf this stops terraform destroy, run terraform destroy -refresh=false."
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(r.metadata.lastID()), summary, detail)}
}

// hidden is the warning about an object that the API will not return. Its
// summary is the same for all objects, so that Terraform folds the warnings.
func (r *Resource) hidden(a Attributes, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Unable to read existing objects", fmt.Sprintf(
		"%s: %s.\n\nTerraform goes by its state: drift is not detected, and adopting an object sends everything that is configured.",
		r.metadata.name(a), err))
}

// refreshSkipped is the warning about an object that cannot be refreshed yet.
func refreshSkipped(name string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Refresh skipped", fmt.Sprintf(
		"The provider's configuration depends on a value that is known only after apply, so Terraform keeps the last known state of %s.", name))
}
