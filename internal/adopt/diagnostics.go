package adopt

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// An action of the lifecycle, for errors.
type action struct {
	verb     string
	planning bool // nothing has been sent that could be applied again
	reads    bool // the failed request was to read the object
	exists   bool // the object has just been read
}

var (
	planningAdoption = action{verb: "adopt", planning: true, reads: true}
	refreshing       = action{verb: "refresh", planning: true, reads: true}
	importing        = action{verb: "import", planning: true, reads: true}
	lookingUp        = action{verb: "read", planning: true, reads: true}
	adopting         = action{verb: "adopt"}
	updating         = action{verb: "update"}
	removing         = action{verb: "remove"}
	confirming       = action{verb: "confirm the update of"}
)

// reading is the read with which an action begins.
func (a action) reading() action {
	a.reads = true
	return a
}

// after returns the action that follows a read with the given error.
func (a action) after(read error) action {
	a.exists = read == nil || mayBeAdded(read)
	return a
}

// failure describes an error of the client about an object: what happened in the
// summary, what to do, and then the API's own words, with status and request id. What
// has nothing to do with a single object is shorter, since there may be many such
// errors. It is at the id of an object that does not exist.
func (d *ProviderData) failure(what action, object Metadata, a Attributes, err error) diag.Diagnostic {
	if object.EntryOf != nil && what.verb == adopting.verb { // in the plan too
		what.verb = "add"
	}
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		if what == importing { // an import id is never sensitive
			return diag.NewErrorDiagnostic("Unable to import "+object.Noun, object.Noun+" "+object.id(a)+": "+err.Error()+". Without the import, the apply adds it.")
		}
		return diag.NewErrorDiagnostic("Unable to "+what.verb+" "+object.Noun, object.name(a)+": "+err.Error()+".")
	}
	summary := "Unable to " + what.verb + " " + object.shortName(a)
	remedy, isCommon := d.remedy(what, object, failed)
	if isCommon { // one line, which Terraform does not wrap because of the space
		return diag.NewErrorDiagnostic(summary+": "+failed.Reason(), " "+strings.TrimSpace(remedy+" "+object.conceal(failed.Words(), a)))
	}
	switch text := http.StatusText(failed.Status); {
	case text != "":
		summary += fmt.Sprintf(": %s (%d)", strings.ToLower(text), failed.Status)
	case errors.Is(failed, context.DeadlineExceeded):
		summary += ": " + failed.Reason()
	}
	detail := fmt.Sprintf("%s: %s.", object.name(a), object.conceal(failed.Error(), a))
	if remedy != "" {
		detail = remedy + "\n\n" + detail
	}
	if transport.IsNotFound(failed) && !what.exists {
		return diag.NewAttributeErrorDiagnostic(path.Root(object.owner().lastID()), summary, detail)
	}
	return diag.NewErrorDiagnostic(summary, detail)
}

func (r *Resource[O]) failure(what action, a Attributes, err error) diag.Diagnostics {
	return diag.Diagnostics{r.ProviderData.failure(what, r.metadata, a, err)}
}

var word = regexp.MustCompile(`\w+`)

// atNamed points a refusal at the attribute that the API's error names, if it
// names one of those that were sent.
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
