package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// name is an object's name in messages: "pipe scaling <service id>/<pipe id>", or "access
// list entry 192.0.2.7 of service <service id>".
func (k Kind) name(a Attributes) string {
	if k.Owner != nil {
		return k.Noun + " " + k.ownID(a) + " of " + k.Owner.name(a)
	}
	return k.Noun + " " + k.id(a)
}

// shortName is an object's name in a summary: it ends in the end of its id, or its owner's.
func (k Kind) shortName(a Attributes) string {
	if k.Owner != nil {
		return k.Noun + " of " + k.Owner.shortName(a)
	}
	return k.Noun + " " + ShortID(k.id(a))
}

// ownID is an entry's own id. It is written by a user or the API, and may hold anything.
func (k Kind) ownID(a Attributes) string { return escaped(Text(a[k.lastID()])) }

// ShortID is the end of an id, for summaries: …1111.
func ShortID(id string) string { return "…" + id[max(0, len(id)-4):] }

// importBlock imports an object.
func (k Kind) importBlock(a Attributes) string {
	return fmt.Sprintf("  import {\n    to = <address of this resource>\n    id = %q\n  }", k.id(a))
}

// action is what Terraform does with a change, in messages.
func (c Change) action() string {
	switch {
	case !c.Creates:
		return "update"
	case c.Owner != nil:
		return "add"
	}
	return "adopt"
}

// failure describes an error of the client about an object: what happened in the summary, what to do, and then
// the API's own words, with status and request id. It is one line, because there may be one for each object:
// Terraform wraps no line that begins with a space.
func (d *ProviderData) failure(what string, object Kind, a Attributes, err error) diag.Diagnostics {
	summary, remedy := "Unable to "+what+" "+object.shortName(a), ""
	if failed, ok := errors.AsType[*transport.Error](err); ok {
		remedy = d.remedy(what, object, failed)
		if failed.Status == 0 || failed.Status >= http.StatusBadRequest || failed.IsEnvelopeError {
			summary += ": " + failed.Reason()
		}
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, " "+strings.TrimSpace(remedy+" "+object.name(a)+": "+err.Error()+"."))}
}

// because ends a warning with the error behind it.
func (r *managedResource) because(err error, a Attributes) string {
	return "\n\n" + r.name(a) + ": " + err.Error() + "."
}

// remedy says what to do about an error where its own words do not, "" if nothing is known.
func (d *ProviderData) remedy(what string, object Kind, err *transport.Error) string {
	if object.Owner != nil { // that is what the request is about
		object = *object.Owner
	}
	switch {
	case errors.Is(err, context.Canceled), err.IsEnvelopeError: // its words say why
		return ""
	case err.Writes && (err.Status == http.StatusMethodNotAllowed || transport.Is404(err)):
		return fmt.Sprintf("If the %s exists, the API may not offer this operation for objects of its kind: then remove the block, and run terraform state rm.",
			object.Noun)
	case transport.IsNotFound(err) || transport.IsOrganizationNotFound(err):
		text := fmt.Sprintf("Check organization_id, %s, and that the provider's key belongs to that organization.", strings.Join(object.IDs, ", "))
		if what == "adopt" || what == "add" {
			text += " If the object was deleted, remove its block. If this stops terraform destroy, run it with -refresh=false."
		}
		if d.isUndocumentedGet(object) {
			text += ` Or the API has no GET for this kind of object: run once with read_method = "PATCH" to find out.`
		}
		return text
	case transport.Is404(err):
		return checkAddress
	case object.NoDocumentedRead && !err.Writes && slices.Contains(api.RefusalsOfReads, err.Status):
		text, method := "The API documents no way to read this kind of object. ", "PATCH"
		if d.Client.ReadsByUpdate() {
			text += "The provider sends an update without changes (PATCH with {}), for which the key needs a role that may update. "
			method = "GET"
		}
		text += fmt.Sprintf("If this always fails, try read_method = %q in the provider block", method)
		if what == lookUp {
			return text + "; unreadable_objects is not for data sources."
		}
		return text + `, or else set unreadable_objects = "warn".`
	case errors.Is(err, api.ErrOverdue):
		return "Apply again, and raise update_timeout if the API needs longer."
	case errors.Is(err, context.DeadlineExceeded):
		return "Check that the API is up, or raise request_timeout."
	}
	switch err.Status {
	case http.StatusUnauthorized:
		text := "Check key_id and key_secret, and that the key is enabled and not expired."
		if uuid.Validate(d.Client.KeyID()) == nil {
			text += " key_id is a UUID: is it the id that was issued with the secret, rather than that of the key in the API?"
		}
		return text
	case http.StatusForbidden:
		return "Check the roles of the provider's key, and the addresses from which it may be used."
	case http.StatusFailedDependency:
		return "The service is probably idle. Wake it, for example by connecting to it."
	case http.StatusTooManyRequests:
		return "Set requests_per_second to stay below the API's rate limit."
	}
	isFromAPI := err.Status >= http.StatusBadRequest && err.RequestID != ""
	if !isFromAPI && (err.Status < http.StatusBadRequest || err.Status >= http.StatusInternalServerError) {
		return checkAddress
	}
	return ""
}

// lookUp is what a data source does, in messages.
const lookUp = "read"

const checkAddress = "Check base_url (the API's address, without /v1), any proxy in between, and that the API is up."

// notShownWarning is the warning about an object that the API does not return.
func (r *managedResource) notShownWarning(what string, a Attributes, err error) diag.Diagnostic {
	summary, text := "Drift not checked: "+r.shortName(a), "Terraform keeps the last known state."
	switch what {
	case "add":
		summary = "Addition of " + r.shortName(a) + ": current entries unknown"
		text = "The apply adds the entry, whether it exists or not."
	case "adopt":
		summary = "Adoption of " + r.shortName(a) + ": current values unknown"
		text = "The apply sends everything that is configured."
		isList := func(name string) bool { return !isScalar(r.AttrTypes[name]) && hasValue(a[name]) }
		if r.SendsWholeLists && slices.ContainsFunc(slices.Collect(maps.Keys(a)), isList) {
			text += " Other entries of a configured list are removed."
		}
	case "import":
		summary = "Import of " + r.shortName(a) + ": current values unknown"
		text = "The plan cannot compare, nor check whether the object exists: it shows every attribute that you set as added, and the apply sends them all."
	}
	return diag.NewWarningDiagnostic(summary, text+r.because(err, a))
}

// notFoundWarning is the warning of a plan about an object that its refresh did not find. An error would also stop a
// destroy, which begins with a plan of everything.
func (r *managedResource) notFoundWarning(a Attributes, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Not found: "+r.shortName(a),
		"The apply fails. If the object was deleted, remove its block from the configuration; otherwise, check the ids and organization_id."+r.because(err, a))
}

// hiddenError is the error about the adoption of an object that the API does not return, if nothing is
// sent either.
func (r *managedResource) hiddenError(a Attributes, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Unable to adopt "+r.shortName(a), "The API does not return the object, and the configuration sets nothing that could be sent, "+
		"so nothing would show that the object exists. Set an attribute, or remove the block."+r.because(err, a))
}

// Describe writes a value into a message.
func Describe(value attr.Value) string {
	if !hasValue(value) {
		return "no value"
	}
	text := value.String()
	if number, ok := value.(interface{ ValueFloat64() float64 }); ok {
		text = strconv.FormatFloat(number.ValueFloat64(), 'f', -1, 64)
	}
	return cut(text)
}

// cut bounds how much of a value or name a message shows.
func cut(text string) string {
	const most = 200 // bytes
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// describeOld says what an adoption overwrites of an attribute.
func (c Change) describeOld(name string) string {
	switch old := c.Prior[name]; {
	case !hasValue(old):
		return "current value unknown"
	case Elements(old) == nil:
		return "was " + Describe(old)
	default:
		return "was " + cmp.Or(Names(entryNames(old)), "empty")
	}
}

// describeWrong says what the API shows instead of the planned value, and what to do about it. An entry that it shows
// in place of a planned one is most likely another form of it. One that is within another planned one is merged.
func (c Change) describeWrong(name string, shown attr.Value) (wrong, advice string) {
	const form, late = "If that means the same, write it as the API returns it. Otherwise, it may still show", "It may still show"
	if advice = late; validate(c.Schema.Attributes[name], shown) == nil { // it can be configured
		advice = form
	}
	planned := c.Planned[name]
	if Elements(planned) == nil || Elements(shown) == nil {
		return "returns " + Describe(shown) + " instead of " + Describe(planned), advice
	}
	diff := c.compare(name, shown)
	others := slices.Concat(diff.unplanned, diff.remaining)
	for _, missing := range diff.missing {
		for _, entry := range entryNames(shown) {
			if api.Contains(entry, missing) && c.Entries(name, planned)[c.canonical(name, entry)] != nil {
				return "does not return " + Names([]string{missing}) + ", which is within " + Names([]string{entry}),
					"If the API merges ranges, leave it out, and keep the other. Otherwise, it may still show"
			}
		}
	}
	switch {
	case len(diff.missing) > 0 && len(others) > 0:
		return "returns " + Names(others) + " instead of " + Names(diff.missing), advice
	case len(diff.missing)+len(diff.different) > 0:
		return "does not return " + Names(slices.Concat(diff.missing, diff.different)) + " as planned", advice
	}
	return "still returns " + Names(diff.remaining), advice
}

// Names lists names of entries, which may hold anything.
func Names(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = escaped(name)
	}
	return api.Listed(shown, ", ")
}

// escaped is a name from the API, which may hold anything, in one line.
func escaped(name string) string {
	quoted := strconv.Quote(name)
	return cut(quoted[1 : len(quoted)-1])
}

// responseText ends a message with the API's text.
func responseText(text string) string {
	if text == "" {
		return ""
	}
	return " Its response was: " + text
}

// withResponse adds the API's text to the error of an update that it accepted.
func withResponse(err error, text string) error {
	if text == "" {
		return err
	}
	return fmt.Errorf("%w.%s", err, responseText(text))
}
