package lifecycle

import (
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

// An action of the lifecycle, for errors.
type action uint8

const (
	planningAdoption action = iota
	refreshing
	importing
	lookingUp
	querying
	adopting // from here on, a part of an apply
	updating
	removing
	confirming
)

// verb is what Terraform is unable to do.
func (a action) verb(object Kind) string {
	if object.isEntry() && (a == adopting || a == planningAdoption) {
		return "add"
	}
	return [...]string{"adopt", "refresh", "import", "read", "query", "adopt", "update", "remove", "confirm the update of"}[a]
}

// isPlan reports whether there is nothing to apply again.
func (a action) isPlan() bool { return a < adopting }

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
// summary, what to do, and then the API's own words, with status and request id. What
// has nothing to do with a single object is shorter, since there may be many such
// errors. An error about a missing object is at its id.
func (d *ProviderData) failure(what action, at stage, object Kind, a Attributes, err error) diag.Diagnostic {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		if what == importing {
			return diag.NewErrorDiagnostic("Unable to import "+object.Noun, object.Noun+" "+object.id(a)+": "+err.Error()+". Without the import, the apply adds it.")
		}
		return diag.NewErrorDiagnostic("Unable to "+what.verb(object)+" "+object.Noun, object.name(a)+": "+err.Error()+".")
	}
	summary := "Unable to " + what.verb(object) + " " + object.shortName(a)
	remedy, isCommon := d.remedy(what, at, object, failed)
	if isCommon {
		// There may be one for each object. Terraform would wrap it at 78 columns, but it
		// does not wrap a line that begins with a space.
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

// remedy says what to do about an error, "" if nothing is known, and whether the
// error has nothing to do with a single object.
func (d *ProviderData) remedy(what action, at stage, object Kind, err *transport.Error) (text string, isCommon bool) {
	isUndocumentedRead := at == reading && object.ReadByUpdate
	isReadByUpdate := isUndocumentedRead && d.Client.ReadsByUpdate() // unusual, so it is explained
	orElse := `, or unreadable_objects = "warn"`
	switch what {
	case lookingUp:
		orElse = ", or pass the values as variables"
	case querying:
		orElse = ""
	}
	leave := "Remove this resource from the configuration."
	if what == removing { // it is no longer there
		leave = "To leave the entry as it is, remove this resource from the state with terraform state rm."
	}
	switch status := err.Status; {
	case at == writingFound && status == http.StatusMethodNotAllowed:
		return "The object exists, but the API does not offer this operation for objects of its kind. " + leave, false
	case at == writingFound && transport.IsNotFound(err):
		return fmt.Sprintf("The %s existed when Terraform read it. If it has not been deleted since, another id that this update sends may be wrong, "+
			"or the API does not offer this operation for objects of its kind. If it does not: %s", object.owner().Noun, leave), false
	case transport.IsNotFound(err):
		text = whichID(what, object.owner().IDs, err)
		if d.isUndocumentedGet(object) {
			text += ` After a GET, a 404 can also mean that the API has no GET for this kind of object: run once with read_method = "PATCH" to find out.`
		}
		if d.isUndocumentedGet(object) && what == refreshing {
			text += " If the object is in the state, only terraform state rm removes it."
		}
		return text, false
	case isReadByUpdate && status == http.StatusMethodNotAllowed:
		return `Try read_method = "GET" in the provider block` + orElse + ".", false
	case isUndocumentedRead && status == http.StatusMethodNotAllowed:
		return `Try read_method = "PATCH" in the provider block` + orElse + ".", false
	case isReadByUpdate && status == http.StatusForbidden:
		return "The provider's key lacks permission. Check its roles: it needs one that may update this object, because the API documents no other way to read it. " +
			`If it is to stay read-only, set read_method = "GET" in the provider block` + orElse + ". Otherwise check the addresses from which it may be used.", false
	case isReadByUpdate && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
		return "The API documents no way to read this kind of object, so the provider sends an update without changes (PATCH with {}), which the API refused. " +
			`Set read_method = "GET" in the provider block` + orElse + ".", false
	case isReadByUpdate && (status == http.StatusInternalServerError || status == http.StatusNotImplemented): // an outage, most likely
		return `If this always fails, set read_method = "GET"` + orElse + ".", true
	}
	return generalRemedy(err, what.isPlan())
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
	if what != querying && what != importing && what != lookingUp {
		text += " If the object was deleted, remove its block; to destroy everything, use terraform destroy -refresh=false."
	}
	return text
}

// generalRemedy is about any request. A plan has sent nothing that could be applied again.
func generalRemedy(err *transport.Error, planning bool) (text string, isCommon bool) {
	again := " Then apply again; completed changes are not repeated."
	if planning {
		again = ""
	}
	switch err.Status {
	case http.StatusUnauthorized:
		return "Check key_id and key_secret, and that the key is enabled and not expired.", !err.OutcomeUnknown
	case http.StatusForbidden:
		return "The provider's key lacks permission. Check its roles and the addresses from which it may be used.", false
	case http.StatusNotFound, http.StatusGone: // not from the API
		return "Check base_url (the API's address, without /v1), and any proxy in between.", !err.OutcomeUnknown
	case http.StatusFailedDependency:
		if planning {
			again = " Then run Terraform again."
		}
		return "The service is probably idle. Wake it, for example by connecting to it." + again, false
	case http.StatusTooManyRequests:
		return "Set requests_per_second to stay below the API's rate limit.", !err.OutcomeUnknown
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadRequest:
		switch {
		case planning:
			return "", false
		case err.Status == http.StatusConflict:
			return "If another change is in progress, wait for it; otherwise correct the cause." + again, false
		}
		return "Correct the cause." + again, false
	}
	return remedyOutage(err, planning, again)
}

// remedyOutage is about requests that the API has not responded to, or with a
// failure of its own, or with something that is not a response of the API.
func remedyOutage(err *transport.Error, planning bool, again string) (text string, isCommon bool) {
	isCommon = !err.OutcomeUnknown
	if isCommon && !planning {
		again = " Then apply again." // short: the error is one line
	}
	connection, _ := errors.AsType[*net.OpError](err)
	_, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, api.ErrOverdue):
		return "Raise update_timeout if the API needs longer." + again, false
	case isUntrusted:
		return "Check base_url, or make this machine trust the CA of the API or your proxy (on Linux, set SSL_CERT_FILE to its file).", isCommon
	case errors.Is(err, context.Canceled) && planning:
		return "The object was not changed.", isCommon // others may be: an apply plans and looks up too
	case errors.Is(err, context.Canceled):
		return "Apply again; completed changes are not repeated.", false
	case connection != nil && connection.Op == "proxyconnect":
		return "Check HTTPS_PROXY and NO_PROXY, and that the proxy is up." + again, isCommon
	case errors.Is(err, context.DeadlineExceeded):
		return "Check that the API is up, or raise request_timeout." + again, isCommon
	case err.Status >= http.StatusInternalServerError && err.RequestID != "":
		return "The API itself reports a failure; check its status." + again, isCommon
	case err.Status == 0 || err.Status >= http.StatusInternalServerError:
		return "Check base_url, and that the API is up." + again, isCommon
	case err.Status < http.StatusBadRequest:
		return "Check base_url, and any proxy on the way to the API." + again, isCommon
	}
	return "", false
}
