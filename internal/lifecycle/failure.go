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
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// An action is what the lifecycle was about when a request failed.
type action struct {
	verb    string // what Terraform is unable to do
	isPlan  bool   // nothing was sent, so there is nothing to apply again
	inState bool   // the state has the object
	orElse  string // how to do without a read that the API refuses
	stop    string // how to leave the object alone if the API offers no such operation
}

const (
	orWarn      = `, or unreadable_objects = "warn"`
	removeBlock = "Remove this resource from the configuration."
	removeState = "To leave the entry as it is, remove this resource from the state with terraform state rm."
)

var (
	planningAdoption = action{verb: "adopt", isPlan: true, orElse: orWarn}
	refreshing       = action{verb: "refresh", isPlan: true, inState: true, orElse: orWarn}
	importing        = action{verb: "import", isPlan: true, orElse: orWarn}
	lookingUp        = action{verb: "read", isPlan: true, orElse: ", or pass the values as variables"}
	querying         = action{verb: "query", isPlan: true}

	adopting   = action{verb: "adopt", orElse: orWarn, stop: removeBlock}
	updating   = action{verb: "update", inState: true, orElse: orWarn, stop: removeBlock}
	removing   = action{verb: "remove", inState: true, orElse: orWarn, stop: removeState}
	confirming = action{verb: "confirm the update of", inState: true, orElse: orWarn}
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
	case a.verb == importing.verb:
		return object.unableToImport(object.id(ids)) // in full: there may be one for each key of a for_each
	case a.verb == adopting.verb && object.isEntry():
		return "Unable to add " + object.shortName(ids)
	}
	return "Unable to " + a.verb + " " + object.shortName(ids)
}

// A stage is how far an action had come when a request failed.
type stage uint8

const (
	reading      stage = iota // the request was to read the object
	writing                   // it was another one, and the object may not exist
	writingFound              // it was another one, and the object has just been read
)

// stageAfter is the stage after a read that returned err.
func stageAfter(err error) stage {
	if err == nil || mayBeAdded(err) {
		return writingFound
	}
	return writing
}

// failure describes an error of the client about an object: what happened in the
// summary, what to do, and then the API's own words, with status and request id. An error
// about a missing object is at its id.
func (d *ProviderData) failure(what action, at stage, object Kind, a Attributes, err error) diag.Diagnostic {
	summary := what.unable(object, a)
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		detail := object.name(a) + ": " + err.Error() + "."
		if what.verb == importing.verb {
			detail += " Without the import, the apply adds it."
		}
		return diag.NewErrorDiagnostic(summary, detail)
	}
	remedy := d.remedy(what, at, object, failed)
	if isCommon(failed, what) {
		// Terraform would wrap it at 78 columns, but it does not wrap a line that begins with
		// a space.
		return diag.NewErrorDiagnostic(summary+": "+failed.Reason(), " "+strings.TrimSpace(remedy+" "+failed.Words()))
	}
	if failed.Status >= http.StatusBadRequest || errors.Is(failed, context.DeadlineExceeded) || errors.Is(failed, context.Canceled) {
		summary += ": " + failed.Reason()
	}
	detail := strings.TrimSpace(fmt.Sprintf("%s\n\n%s: %s.", remedy, object.name(a), failed.Error()))
	if transport.IsNotFound(failed) && at != writingFound {
		return diag.NewAttributeErrorDiagnostic(path.Root(object.owner().lastID()), summary, detail)
	}
	return diag.NewErrorDiagnostic(summary, detail)
}

// isCommon reports whether an error has nothing to do with a single object. There may be one
// for each object, so it is short. An update that may be applied in part never is.
func isCommon(err *transport.Error, what action) bool {
	switch {
	case transport.IsOutcomeUnknown(err) || transport.IsNotFound(err) || errors.Is(err, api.ErrOverdue):
		return false
	case errors.Is(err, context.Canceled):
		return what.isPlan
	}
	switch err.Status {
	case http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusNotFound, http.StatusGone: // not from the API
		return true
	}
	return err.Status < http.StatusBadRequest || err.Status >= http.StatusInternalServerError
}

func (k Kind) unableToImport(id string) string {
	return "Unable to import " + k.Noun + " " + printable(id)
}

func (r *managedResource) failureOf(what action, at stage, a Attributes, err error) diag.Diagnostics {
	return diag.Diagnostics{r.failure(what, at, r.kind, a, err)}
}

// because ends a warning with the error behind it.
func (r *managedResource) because(err error, a Attributes) string {
	return "\n\n" + r.kind.name(a) + ": " + err.Error() + "."
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
func (d *ProviderData) remedy(what action, at stage, object Kind, err *transport.Error) string {
	switch {
	case at == writingFound && err.Status == http.StatusMethodNotAllowed:
		return "The object exists, but the API does not offer this operation for objects of its kind. " + what.stop
	case at == writingFound && transport.IsNotFound(err):
		return fmt.Sprintf("The %s existed when Terraform read it. If it has not been deleted since, another id that this update sends may be wrong, "+
			"or the API does not offer this operation for objects of its kind. If it does not: %s", object.owner().Noun, what.stop)
	case transport.IsNotFound(err):
		text := whichID(what, object.owner().IDs, err)
		if d.isUndocumentedGet(object) {
			text += ` After a GET, a 404 can also mean that the API has no GET for this kind of object: run once with read_method = "PATCH" to find out.`
		}
		return text
	case at == reading && object.ReadByUpdate:
		return cmp.Or(d.remedyUndocumentedRead(what, err), generalRemedy(err, what))
	}
	return generalRemedy(err, what)
}

// remedyUndocumentedRead is about a read that the API does not document.
func (d *ProviderData) remedyUndocumentedRead(what action, err *transport.Error) string {
	if !d.Client.ReadsByUpdate() {
		if err.Status == http.StatusMethodNotAllowed {
			return `Try read_method = "PATCH" in the provider block` + what.orElse + "."
		}
		return ""
	}
	switch err.Status {
	case http.StatusMethodNotAllowed:
		return `Try read_method = "GET" in the provider block` + what.orElse + "."
	case http.StatusForbidden:
		return "The provider's key lacks permission. Check its roles: it needs one that may update this object, because the API documents no other way to read it. " +
			`If it is to stay read-only, set read_method = "GET" in the provider block` + what.orElse + ". Otherwise check the addresses from which it may be used."
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return "The API documents no way to read this kind of object, so the provider sends an update without changes (PATCH with {}), which the API refused. " +
			`Set read_method = "GET" in the provider block` + what.orElse + "."
	case http.StatusInternalServerError, http.StatusNotImplemented: // an outage, most likely
		return `If this always fails, set read_method = "GET"` + what.orElse + "."
	}
	return ""
}

var unknownOrganization = regexp.MustCompile(`(?i)\borgani[sz]ation\b.{0,60}\b(not found|not exist|unknown)`)

// whichID says what to check if an object does not exist.
func whichID(what action, ids []string, failed *transport.Error) string {
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
	text := fmt.Sprintf("Check %s%s, and that organization_id is the organization that the object belongs to.", strings.Join(ids, " and "), hint)
	if what.inState {
		text += " If the object was deleted, remove its block; to destroy everything, use terraform destroy -refresh=false."
	}
	return text
}

// generalRemedy is about any request.
func generalRemedy(err *transport.Error, what action) string {
	again := " Then apply again."
	if what.isPlan {
		again = ""
	}
	switch err.Status {
	case http.StatusUnauthorized:
		return "Check key_id and key_secret, and that the key is enabled and not expired."
	case http.StatusPaymentRequired:
		return "The account's plan or payment does not cover this change. Check it in the platform's console." + again
	case http.StatusForbidden:
		return "The provider's key lacks permission. Check its roles and the addresses from which it may be used."
	case http.StatusNotFound, http.StatusGone: // not from the API
		return "Check base_url (the API's address, without /v1), and any proxy in between."
	case http.StatusFailedDependency:
		return "The service is probably idle. Wake it, for example by connecting to it." + cmp.Or(again, " Then run Terraform again.")
	case http.StatusTooManyRequests:
		return "Set requests_per_second to stay below the API's rate limit."
	case http.StatusConflict:
		if !what.isPlan {
			return "If another change is in progress, wait for it; otherwise correct the cause." + again
		}
	}
	return remedyOutage(err, what, again)
}

// remedyOutage is about requests that the API has not responded to, or with a
// failure of its own, or with something that is not a response of the API.
func remedyOutage(err *transport.Error, what action, again string) string {
	connection, _ := errors.AsType[*net.OpError](err)
	_, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, api.ErrOverdue):
		return "Raise update_timeout if the API needs longer."
	case isUntrusted:
		return "Check base_url, or make this machine trust the CA of the API or your proxy (on Linux, set SSL_CERT_FILE to its file)."
	case errors.Is(err, context.Canceled) && what.isPlan:
		return "The object was not changed." // others may be: an apply plans and looks up too
	case errors.Is(err, context.Canceled):
		return "Apply again; completed changes are not repeated."
	case connection != nil && connection.Op == "proxyconnect":
		return "Check HTTPS_PROXY and NO_PROXY, and that the proxy is up." + again
	case connection != nil && connection.Op == "remote error": // a TLS alert
		return "Check base_url, and which TLS versions and client certificates the server or a proxy in between accepts."
	case errors.Is(err, context.DeadlineExceeded):
		return "Check that the API is up, or raise request_timeout." + again
	case err.Status >= http.StatusInternalServerError && err.RequestID != "":
		return "The API itself reports a failure; check its status." + again
	case err.Status == 0 || err.Status >= http.StatusInternalServerError:
		return "Check base_url, and that the API is up." + again
	case err.Status < http.StatusBadRequest:
		return "Check base_url, and any proxy on the way to the API." + again
	}
	return ""
}
