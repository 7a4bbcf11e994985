package lifecycle

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// name is an object's name in messages: "pipe scaling <service id>/<pipe id>", or "access
// list entry 192.0.2.7 of service <service id>".
func (k Kind) name(a Attributes) string {
	if k.isEntry() {
		return k.Noun + " " + k.ownID(a) + " of " + k.owner().name(a)
	}
	return k.Noun + " " + k.id(a)
}

// shortName is an object's name in a summary: it ends in the end of its id, or its owner's.
func (k Kind) shortName(a Attributes) string {
	if k.isEntry() {
		return k.Noun + " of " + k.owner().shortName(a)
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

// An action is what Terraform is unable to do if a request fails.
type action string

const (
	adopting   action = "adopt"
	refreshing action = "refresh"
	importing  action = "import"
	lookingUp  action = "read"
	querying   action = "query"
	updating   action = "update"
	removing   action = "remove"
	confirming action = "confirm the update of"
)

// action is what an apply of a change is about.
func (c Change) action() action {
	if c.Creates {
		return adopting
	}
	return updating
}

// unable is the summary of an error about an object, without the reason.
func (a action) unable(object Kind, ids Attributes) string {
	switch {
	case a == importing:
		return object.unableToImport(object.id(ids)) // in full: there may be one for each key of a for_each
	case a == adopting && object.isEntry():
		return "Unable to add " + object.shortName(ids)
	}
	return "Unable to " + string(a) + " " + object.shortName(ids)
}

func (k Kind) unableToImport(id string) string {
	return "Unable to import " + k.Noun + " " + escaped(id)
}

// hasFound reports whether a read that returned err has found the object, or the owner of an entry.
func hasFound(err error) bool { return err == nil || isOwnerFound(err) }

// failure describes an error of the client about an object: what happened in the
// summary, what to do, and then the API's own words, with status and request id. An error
// about a missing object is at its id, unless it has just been found.
func (d *ProviderData) failure(what action, isFound bool, object Kind, a Attributes, err error) diag.Diagnostic {
	summary := what.unable(object, a)
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		detail := object.name(a) + ": " + err.Error() + "."
		if what == importing && errors.Is(err, ErrAbsent) {
			detail += " Without the import, the apply adds it."
		}
		return diag.NewErrorDiagnostic(summary, detail)
	}
	remedy := d.remedy(what, isFound, object, failed)
	if isCommon(failed) {
		// Terraform would wrap it at 78 columns, but it does not wrap a line that begins with
		// a space.
		return diag.NewErrorDiagnostic(summary+": "+failed.Reason(), " "+strings.TrimSpace(remedy+" "+failed.Words()))
	}
	if failed.Status >= http.StatusBadRequest || failed.IsEnvelopeError || errors.Is(failed, context.DeadlineExceeded) || errors.Is(failed, context.Canceled) {
		summary += ": " + failed.Reason()
	}
	detail := strings.TrimSpace(fmt.Sprintf("%s\n\n%s: %s.", remedy, object.name(a), failed.Error()))
	if transport.IsNotFound(failed) && !isFound {
		return diag.NewAttributeErrorDiagnostic(path.Root(object.owner().lastID()), summary, detail)
	}
	return diag.NewErrorDiagnostic(summary, detail)
}

// isCommon reports whether an error has nothing to do with a single object. There may be one
// for each object, so it is short. An update that may be applied in part never is.
func isCommon(err *transport.Error) bool {
	if err.IsEnvelopeError || transport.IsOutcomeUnknown(err) || transport.IsNotFound(err) || errors.Is(err, api.ErrOverdue) || errors.Is(err, context.Canceled) {
		return false
	}
	switch err.Status {
	case http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusNotFound, http.StatusGone: // not from the API
		return true
	}
	return err.Status < http.StatusBadRequest || err.Status >= http.StatusInternalServerError
}

func (r *managedResource) failureOf(what action, isFound bool, a Attributes, err error) diag.Diagnostics {
	return diag.Diagnostics{r.failure(what, isFound, r.Kind, a, err)}
}

// because ends a warning with the error behind it.
func (r *managedResource) because(err error, a Attributes) string {
	return "\n\n" + r.name(a) + ": " + err.Error() + "."
}

var word = regexp.MustCompile(`\w+`)

// atNamed points a refusal at the one attribute that was sent and that the API names.
func atNamed(sent []string, refusal diag.Diagnostics, err error) diag.Diagnostics {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return refusal
	}
	words := word.FindAllString(failed.Message, -1)
	named := slices.DeleteFunc(slices.Clone(sent), func(name string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.TrimPrefix(AttributeName(word), "_") == name })
	})
	if len(named) != 1 {
		return refusal
	}
	return diag.Diagnostics{diag.WithPath(path.Root(named[0]), refusal[0])}
}

// remedy says what to do about an error, "" if nothing is known.
func (d *ProviderData) remedy(what action, isFound bool, object Kind, err *transport.Error) string {
	switch {
	case errors.Is(err, context.Canceled) && what == adopting && object.isEntry() && transport.IsOutcomeUnknown(err):
		return "" // see withImport
	case (err.OutcomeUnknown || what == confirming) && transport.IsNotFound(err):
		return "The API accepted the change, but no longer finds the object. Run terraform plan to see whether it exists."
	case isFound && err.Writes && (err.Status == http.StatusMethodNotAllowed || transport.IsNotFound(err)):
		return fmt.Sprintf("The %s existed when Terraform read it. If it has not been deleted since, another id that this update sends may be wrong, "+
			"or the API does not offer this operation for objects of its kind. If it does not, leave the object alone: remove its block, "+
			"and run terraform state rm.", object.owner().Noun)
	case transport.IsNotFound(err):
		text := whichID(object.owner().IDs, err)
		if inState := []action{refreshing, updating, confirming}; slices.Contains(inState, what) && !err.NoSuchPath && !isOrganizationUnknown(err) {
			remove := "remove its block"
			if d.isUndocumentedGet(object) { // a refresh does not remove it from the state
				remove += " and run terraform state rm"
			}
			text += " If the object was deleted, " + remove + "; to destroy everything, use terraform destroy -refresh=false."
		}
		if d.isUndocumentedGet(object) {
			text += ` After a GET, a 404 can also mean that the API has no GET for this kind of object: run once with read_method = "PATCH" to find out.`
		}
		return text
	case err.IsEnvelopeError:
		return "The API refused the request, although its HTTP status says otherwise. Correct the cause that it gives, then run Terraform again."
	case !err.Writes && !isFound && object.NoDocumentedRead:
		return cmp.Or(d.remedyUndocumentedRead(what, err), generalRemedy(err))
	}
	return generalRemedy(err)
}

// remedyUndocumentedRead is about a read that the API does not document, "" for other errors.
func (d *ProviderData) remedyUndocumentedRead(what action, err *transport.Error) string {
	isPatch, method := d.Client.ReadsByUpdate(), "PATCH"
	if isPatch {
		method = "GET"
	}
	setting := fmt.Sprintf("read_method = %q in the provider block", method)
	if what != lookingUp && what != querying {
		setting += `, or unreadable_objects = "warn"`
	}
	switch {
	case err.Status == http.StatusMethodNotAllowed:
		return "Set " + setting + "."
	case !isPatch:
		return ""
	}
	switch err.Status {
	case http.StatusForbidden:
		return "The provider's key lacks permission. Check the addresses from which it may be used, and its roles: " +
			"it needs one that may update this object, because the API documents no other way to read it. If it is to stay read-only, set " + setting + "."
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return "The API documents no way to read this kind of object, so the provider sends an update without changes (PATCH with {}), which the API refused. Set " + setting + "."
	case http.StatusInternalServerError, http.StatusNotImplemented: // an outage, most likely
		return "If this always fails, set " + setting + "."
	}
	return ""
}

// unknownOrganization finds the text that the organization does not exist, and not one that something in it does not.
var unknownOrganization = regexp.MustCompile(`(?i)(?:^|: )(?:(?:no such|unknown) organi[sz]ation\b|` +
	`(?:the )?(?:requested |specified |given )?organi[sz]ation(?: with)?(?:[ :=]*\bid)?(?:[ :=]+["'(]?[\w-]*\d[\w-]*["')]?|[ :]+["'][^"']+["'])?:? ` +
	`(?:(?:was|is|could|does) )?(?:not found|not be found|not exist|unknown)\b)`)

// whichID says what to check if an object does not exist.
func whichID(ids []string, failed *transport.Error) string {
	switch {
	case failed.NoSuchPath:
		return "The server does not have this path. Check that base_url or DBPLATFORM_BASE_URL is the API's address without /v1. " +
			"If it is, check organization_id or DBPLATFORM_ORGANIZATION_ID."
	case unknownOrganization.MatchString(failed.Message):
		return "Check organization_id, and that the key belongs to that organization."
	}
	hint := ""
	if len(ids) > 1 {
		hint = " (they may be swapped, or not belong together)"
	}
	return fmt.Sprintf("Check %s%s, and that organization_id is the organization that the object belongs to.", strings.Join(ids, " and "), hint)
}

// generalRemedy is about any request.
func generalRemedy(err *transport.Error) string {
	switch err.Status {
	case http.StatusUnauthorized:
		return "Check key_id and key_secret, and that the key is enabled and not expired."
	case http.StatusPaymentRequired:
		return "The account's plan or payment does not cover this change. Check it in the platform's console."
	case http.StatusForbidden:
		return "The provider's key lacks permission. Check its roles and the addresses from which it may be used."
	case http.StatusFailedDependency:
		return "The service is probably idle. Wake it, for example by connecting to it."
	case http.StatusTooManyRequests:
		return "Set requests_per_second to stay below the API's rate limit."
	case http.StatusConflict:
		return "If another change is in progress, wait for it; otherwise correct the cause."
	}
	connection, _ := errors.AsType[*net.OpError](err)
	_, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, api.ErrOverdue):
		return "Raise update_timeout if the API needs longer."
	case isUntrusted:
		return "Check base_url, or make this machine trust the CA of the API or your proxy (on Linux, set SSL_CERT_FILE to its file)."
	case errors.Is(err, context.Canceled):
		return "Run Terraform again; completed changes are not repeated."
	case connection != nil && connection.Op == "proxyconnect":
		return "Check HTTPS_PROXY and NO_PROXY, and that the proxy is up."
	case connection != nil && connection.Op == "remote error": // a TLS alert
		return "Check base_url, and which TLS versions and client certificates the server or a proxy in between accepts."
	case errors.Is(err, context.DeadlineExceeded):
		return "Check that the API is up, or raise request_timeout."
	case err.Status >= http.StatusInternalServerError && err.RequestID != "":
		return "The API itself reports a failure; check its status."
	case err.Status == 0 || err.Status >= http.StatusInternalServerError:
		return "Check base_url, and that the API is up."
	case err.Status < http.StatusBadRequest || err.Status == http.StatusNotFound || err.Status == http.StatusGone: // not from the API
		return "Check base_url (the API's address, without /v1), and any proxy in between."
	}
	return ""
}

// notShownWarning is the warning about an object that the API does not return.
func (r *managedResource) notShownWarning(what action, a Attributes, err error) diag.Diagnostic {
	// The same summary for all objects, so that Terraform folds the warnings.
	summary, text := "Drift not checked: the API does not return the object", "Terraform keeps the last known state."
	switch isEntry := r.isEntry(); {
	case what == adopting && isEntry:
		summary, text = "Entry may exist already", "If the list has it, the apply may change it, and a destroy removes it."
	case what == adopting: // not folded with others: what it overwrites is not shown
		summary = "Adoption of " + r.shortName(a) + ": current values unknown"
		text = "The apply sends everything that is configured. Other entries of a configured list may be removed."
	case what == importing && isEntry:
		summary = "Entry may not exist: " + escaped(r.id(a))
		text = "Terraform cannot check whether the imported entry exists. If it may be missing, leave out the import: the apply then adds it."
	case what == importing:
		summary = "Import of " + r.shortName(a) + ": current values unknown"
		text = "The plan cannot compare: it shows every attribute that you set as added, and the apply sends them all."
	}
	return diag.NewWarningDiagnostic(summary, text+r.because(err, a))
}

// unseenError is the error about the adoption of an object that the API does not return, if nothing is
// sent either.
func (r *managedResource) unseenError(a Attributes, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Unable to adopt "+r.shortName(a), "The API does not return the object, and the configuration sets nothing that could be sent, "+
		"so nothing would show that the object exists. Set an attribute, or remove the block."+r.because(err, a))
}

// describe writes a value into a message.
func describe(value attr.Value) string {
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

// describeOld says what an adoption overwrites of an attribute: "was 2", or how the entries
// of a collection change.
func (c Change) describeOld(name string) string {
	old, planned := c.Prior[name], c.Planned[name]
	isList := !isScalar(planned.Type(context.Background())) && !c.managesKeys(name)
	switch {
	case !hasValue(old) && isList:
		return "current value unknown, other entries may be removed"
	case !hasValue(old):
		return "current value unknown"
	case Elements(old) == nil:
		return "was " + describe(old)
	}
	isEmpty := len(Elements(old)) == 0
	if isPartlyUnknown(planned) {
		text := "was " + cmp.Or(Names(entryNames(old)), "empty")
		if slices.Contains(c.SharedLists, name) && !isEmpty {
			text += ", and the apply fails if one is missing"
		}
		return text
	}
	var parts []string
	if isList && isEmpty {
		parts = append(parts, "was empty")
	}
	diff := c.compare(name, c.now(name))
	parts = append(parts, namesAfter("adds ", diff.missing)...)
	for _, entry := range diff.different {
		parts = append(parts, fmt.Sprintf("%s was %s", escaped(entry), describe(c.Entries(name, old)[c.canonical(name, entry)])))
	}
	return api.Listed(append(parts, namesAfter("removes ", diff.leftOver)...), ", ")
}

// describeWrong says what the API shows instead of the planned value. An entry that it shows
// in place of a planned one is most likely another form of it.
func (c Change) describeWrong(name string, shown attr.Value) string {
	planned := c.Planned[name]
	after, now := c.Entries(name, planned), c.Entries(name, shown)
	if after == nil || now == nil {
		return "returns " + describe(shown) + " instead of " + describe(planned)
	}
	diff := c.compare(name, shown)
	parts := slices.Concat(namesAfter("does not return ", diff.missing), namesAfter("still returns ", diff.leftOver))
	if others := slices.Concat(diff.unplanned, diff.leftOver); len(diff.missing) > 0 && len(others) > 0 {
		parts = []string{"returns " + Names(others) + " instead of " + Names(diff.missing)}
	}
	for _, entry := range diff.different {
		key := c.canonical(name, entry)
		parts = append(parts, fmt.Sprintf("returns %s instead of %s for %s", describe(now[key]), describe(after[key]), escaped(entry)))
	}
	return api.Listed(parts, ", ")
}

// namesAfter is a text with names, or nothing without any.
func namesAfter(text string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{text + Names(names)}
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
