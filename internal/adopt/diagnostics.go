package adopt

import (
	"errors"
	"fmt"
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

// explain describes an error of the client about an object: what happened in the
// summary, what to do, and then the API's own words, with status and request id. What
// has nothing to do with a single object has only a remedy, since there may be many
// such errors.
func (d *ProviderData) explain(verb string, object Metadata, a Attributes, failed *transport.Error, remedy string, isCommon bool) diag.Diagnostic {
	if isCommon {
		return diag.NewErrorDiagnostic(fmt.Sprintf("Unable to %s %s: %s", verb, object.Noun, failed.Headline()), remedy)
	}
	summary := "Unable to " + verb + " " + object.shortName(a)
	if text := http.StatusText(failed.Status); text != "" {
		summary += fmt.Sprintf(": %s (%d)", strings.ToLower(text), failed.Status)
	}
	detail := fmt.Sprintf("%s: %s.", object.name(a), failed)
	if remedy != "" {
		detail = remedy + "\n\n" + detail
	}
	return diag.NewErrorDiagnostic(summary, detail)
}

const otherReadMethod = "Try the other read_method in the provider block: \"GET\", or \"PATCH\", which is the default."

// failure is the diagnostic of an action that failed. It is at the id of an
// object that does not exist.
func (r *Resource[O]) failure(what action, a Attributes, err error) diag.Diagnostics {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return diag.Diagnostics{diag.NewErrorDiagnostic(
			fmt.Sprintf("Unable to %s %s", what.verb, r.metadata.Noun), r.metadata.name(a)+": "+err.Error())}
	}
	remedy, isCommon := r.Remedy(failed, what.planning)
	isMissing := transport.IsNotFound(failed)
	isRefusedRead := what.planning && r.metadata.ReadByUpdate && !r.isReadByGet() && slices.Contains(api.AlsoHidden, failed.Status)
	switch {
	case what.exists && failed.Status == http.StatusMethodNotAllowed:
		remedy = "The object exists, but the API does not offer this operation for objects of its kind. Remove this resource from the configuration."
	case what.exists && isMissing:
		remedy = fmt.Sprintf("The %s existed when Terraform read it. If it has not been deleted since, another id that this update sends may be wrong, "+
			"or the API does not offer this operation for objects of its kind. In that case, remove this resource from the configuration.", r.metadata.Noun)
	case isMissing:
		remedy = r.remedyMissing(remedy, failed)
	case isRefusedRead && failed.Status == http.StatusForbidden:
		remedy = "The key lacks permission. Check its roles: it needs one that may update this object, because the API documents no other way to read it. " +
			"If the key is to stay read-only, set read_method = \"GET\" in the provider block, or unreadable_objects = \"warn\" (drift is then not detected). " +
			"Otherwise check the addresses from which the key may be used."
	case what.planning && r.metadata.ReadByUpdate && failed.Status == http.StatusMethodNotAllowed:
		remedy = otherReadMethod
	case isRefusedRead: // an outage, most likely
		remedy = "If this always fails, set read_method = \"GET\" or unreadable_objects = \"warn\"."
	}
	explained := r.explain(what.verb, r.metadata, a, failed, remedy, isCommon)
	if isMissing && !what.exists {
		return diag.Diagnostics{diag.WithPath(path.Root(r.metadata.lastID()), explained)}
	}
	return diag.Diagnostics{explained}
}

// remedyMissing is about an object that does not exist.
func (r *Resource[O]) remedyMissing(remedy string, failed *transport.Error) string {
	if !failed.NoSuchPath {
		remedy = whichID(r.metadata.IDs, failed)
	}
	if r.isReadByGet() {
		remedy += r.noGet(true) + " If the object is in the state, only terraform state rm removes it."
	}
	return remedy
}

// noGet is about a 404 of an object that may be read by a GET, which is not documented.
func (d *ProviderData) noGet(readByUpdate bool) string {
	if !readByUpdate || d.Client.ReadsByUpdate() {
		return ""
	}
	return " After a GET, a 404 can also mean that the API has no GET for this kind of object: plan once with read_method = \"PATCH\" to find out."
}

var word = regexp.MustCompile(`\w+`)

// atNamed points a refusal at the attribute that the API's error names, if it
// names one of those that were sent.
func atNamed(sent []string, refusal diag.Diagnostics, err error) diag.Diagnostics {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok || len(refusal) != 1 {
		return refusal
	}
	words := word.FindAllString(failed.Message, -1)
	named := slices.DeleteFunc(slices.Clone(sent), func(name string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return AttributeName(word) == name })
	})
	if len(named) != 1 {
		return refusal
	}
	return diag.Diagnostics{diag.WithPath(path.Root(named[0]), refusal[0])}
}

var unknownOrganization = regexp.MustCompile(`(?i)\borgani[sz]ation\b.{0,60}\b(not found|not exist|unknown)`)

// whichID says which of the ids of an object that does not exist may be wrong.
func whichID(ids []string, failed *transport.Error) string {
	if unknownOrganization.MatchString(failed.Message) {
		return "Check organization_id, and that the key belongs to that organization."
	}
	hint := ""
	if len(ids) > 1 {
		hint = " (they may be swapped, or not belong together)"
	}
	return fmt.Sprintf("Check %s%s, and that organization_id is the organization that the object belongs to. If the object was deleted, remove it from the configuration.", strings.Join(ids, " and "), hint)
}
