package adopt

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
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

// explain describes an error of the client: what happened to the object, in the
// API's own words, with status and request id, and what to do. What has nothing
// to do with a single object is as short as possible, since there may be many
// such errors: the summary says what happened, the detail what to do.
func (d *ProviderData) explain(summary, name string, err error, planning bool) (fullSummary, detail string) {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return summary, name + ": " + err.Error()
	}
	remedy, isCommon := d.Remedy(failed, planning)
	if isCommon {
		return summary + ": " + failed.Headline(), remedy
	}
	detail = name + ": " + failed.Error() + "."
	if remedy != "" {
		detail += "\n\n" + remedy
	}
	return summary, detail
}

// failure is the diagnostic of an action that failed. It is at the id of an
// object that does not exist.
func (r *Resource) failure(what action, a Attributes, err error) diag.Diagnostics {
	summary, name := fmt.Sprintf("Unable to %s %s", what.verb, r.metadata.Noun), r.metadata.name(a)
	failed, _ := errors.AsType[*transport.Error](err)
	switch {
	case failed == nil:
	case what.exists && (transport.IsNotFound(err) && len(r.metadata.IDs) > 1 || failed.Status == http.StatusMethodNotAllowed):
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, fmt.Sprintf(
			"%s: %s.\n\nThe object exists: Terraform has just read it. The API does not offer this operation for objects of its kind. Remove this resource from the configuration.", name, err))}
	case what.exists && transport.IsNotFound(err):
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, fmt.Sprintf(
			"%s: %s.\n\nThe %s existed when Terraform read it just before. Check the other ids in this resource.", name, err, r.metadata.Noun))}
	case transport.IsNotFound(err):
		_, detail := r.explain(summary, name, err, what.planning)
		if !failed.NoSuchPath {
			detail = fmt.Sprintf("%s: %s.\n\n%s", name, err, r.whichID(r.metadata.IDs, a))
		}
		if r.isReadByGet() {
			detail += " To find out whether the API offers GET for this kind of object, plan once with read_method = \"PATCH\"."
		}
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(r.metadata.lastID()), summary, detail)}
	case r.metadata.ReadByUpdate && !r.isReadByGet() && what.planning && slices.Contains(api.AlsoHidden, failed.Status):
		summary, detail := r.explain(summary, name, err, what.planning)
		if failed.Status == http.StatusForbidden {
			detail += "\n\nTerraform reads this object by an update without changes, because the API documents no other way. If the key never allows that, " +
				"set read_method = \"GET\" in the provider block, or unreadable_objects = \"warn\" (drift is then not detected)."
		} else { // an outage, most likely
			detail = "If this always fails, set read_method = \"GET\" or unreadable_objects = \"warn\"."
		}
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, detail)}
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(r.explain(summary, name, err, what.planning))}
}

var words = regexp.MustCompile(`\w+`)

// atNamed points a refusal at the attribute that the API's error names, if it
// names one of those that were sent.
func atNamed(sent []string, refusal diag.Diagnostics, err error) diag.Diagnostics {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok || len(refusal) != 1 {
		return refusal
	}
	named := map[string]bool{}
	for _, word := range words.FindAllString(failed.Message, -1) {
		if name := AttributeName(word); slices.Contains(sent, name) {
			named[name] = true
		}
	}
	if len(named) != 1 {
		return refusal
	}
	name := slices.Collect(maps.Keys(named))[0]
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(name), refusal[0].Summary(), refusal[0].Detail())}
}

// whichID says which of the ids of an object that does not exist may be wrong.
func (d *ProviderData) whichID(ids []string, a Attributes) string {
	last := ids[len(ids)-1]
	if len(ids) > 1 && d.walk.hasOwner(Text(a[ids[0]])) {
		return fmt.Sprintf("The %s exists: Terraform has read other objects in it. Check %s. The object may also belong to another %[1]s.",
			strings.TrimSuffix(ids[0], "_id"), last)
	}
	hint := ""
	if len(ids) > 1 {
		hint = " (they may be swapped)"
	}
	return fmt.Sprintf("Check %s%s, and that organization_id is the organization that the object belongs to.", strings.Join(ids, " and "), hint)
}

// hiddenWarning is the warning about an object that the API will not return. Its
// summary is the same for all objects, so that Terraform folds the warnings.
func (r *Resource) hiddenWarning(a Attributes, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Unable to read existing objects", fmt.Sprintf(
		"%s: %s.\n\nTerraform keeps the last known state: drift is not detected. Adopting an object sends everything that is configured, and other entries of its lists are removed.",
		r.metadata.name(a), err))
}

// refreshSkipped is the warning about an object that cannot be refreshed yet.
func refreshSkipped(name string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Refresh skipped", fmt.Sprintf(
		"The provider's configuration depends on a value that is known only after apply, so Terraform keeps the last known state of %s.", name))
}
