package adopt

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A step of the lifecycle, for errors.
type step struct {
	verb     string
	planning bool // nothing is sent
	exists   bool // the object has just been read
}

var (
	planAdoption = step{verb: "adopt", planning: true}
	refreshing   = step{verb: "read", planning: true}
	adopting     = step{verb: "adopt"}
	updating     = step{verb: "update"}
	confirming   = step{verb: "read"}
)

// after returns the step that follows a read with the given error.
func (s step) after(read error) step {
	s.exists = read == nil
	return s
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

// failure is the diagnostic of a step that failed. It is at the id of an object
// that does not exist.
func (r *Resource[M]) failure(s step, a Attributes, err error) diag.Diagnostics {
	summary := fmt.Sprintf("Unable to %s %s", s.verb, r.metadata.Noun)
	detail := fmt.Sprintf("%s: %s", r.fullName(a), r.Explain(err, s.planning))
	if r.metadata.ReadByUpdate && s.planning && isForbidden(err) {
		detail += "\n\nThe API has no operation to read this object, so Terraform sends an update without changes, which the key may not send. " +
			"To plan with such a key, set unreadable_objects = \"warn\" in the provider block."
	}
	if failed, ok := errors.AsType[*transport.Error](err); ok && s.exists && (transport.IsNotFound(err) || failed.Status == http.StatusMethodNotAllowed) {
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, fmt.Sprintf(
			"%s: %s.\n\nThe object exists: Terraform has just read it. The API does not offer this operation for objects of its kind. Remove this resource from the configuration.", r.fullName(a), err))}
	}
	if !transport.IsNotFound(err) {
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, detail)}
	}
	if s == planAdoption {
		detail += "\n\nIf this stops terraform destroy, run terraform destroy -refresh=false."
	}
	last := r.metadata.IDs[len(r.metadata.IDs)-1]
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(last), summary, detail)}
}

// unreadable is the warning about an object that the API refuses to return. Its
// summary is the same for all objects, so that Terraform folds the warnings.
func (r *Resource[M]) unreadable(a Attributes, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Unable to read existing objects", fmt.Sprintf(
		"%s: %s.\n\nTerraform goes by its state: drift is not detected, and adopting an object sends everything that is configured.",
		r.fullName(a), err))
}

// refreshSkipped is the warning about an object that cannot be refreshed yet.
func refreshSkipped(name string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Refresh skipped", fmt.Sprintf(
		"The provider's configuration depends on a value that is known only after apply, so Terraform keeps the last known state of %s.", name))
}

// planDestroy warns of an object that Terraform stops managing.
func (r *Resource[M]) planDestroy(state Attributes) diag.Diagnostics {
	diags := diag.Diagnostics{r.stopsManaging(state)}
	if adviser, ok := r.definition.(DestroyAdviser); ok && r.Client != nil {
		diags.Append(adviser.AdviseDestroy(r.Client, state)...)
	}
	return diags
}

// stopsManaging is the warning about an object that Terraform stops managing.
// Each kind of outcome has one summary, so that Terraform folds the warnings.
func (r *Resource[M]) stopsManaging(state Attributes) diag.Diagnostic {
	releaser, ok := r.definition.(Releaser[M])
	switch {
	case ok && releaser.Releases(state):
		texts := releaser.ReleaseTexts()
		return notice(texts.Summary, texts.Planned, r.fullName(state))
	case ok:
		texts := releaser.ReleaseTexts()
		return notice(texts.KeptSummary, texts.Kept, r.fullName(state))
	}
	return notice("Removed from state only; the object was not deleted",
		"Terraform stops managing %s. The object stays as it is.", r.fullName(state))
}

// notice is a warning whose detail names an object.
func notice(summary, format, name string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(summary, fmt.Sprintf(format, name))
}
