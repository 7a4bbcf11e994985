package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// Warnings about values that are valid but probably unintended. They come with
// the plan that adds the entry or changes the expiry, and not again.

// warnOfAddresses warns of new entries of an access list, and of one that becomes empty.
func warnOfAddresses(change lifecycle.Change) diag.Diagnostics {
	const list = "ip_access_list"
	var diags diag.Diagnostics
	planned := lifecycle.Elements(change.Planned[list])
	before, _ := change.Prior[list].(accessList)
	known := before.Entries()
	if planned != nil && len(planned) == 0 && len(known) > 0 {
		diags.AddAttributeWarning(path.Root(list), "Access list becomes empty: "+change.Name(), "The plan removes all entries. "+whatEmptyMeans)
	}
	if wasEmpty := !before.IsNull() && !before.IsUnknown() && len(known) == 0; wasEmpty && len(planned) > 0 {
		diags.AddAttributeWarning(path.Root(list), firstEntry.summary, firstEntry.detail)
	}
	sources := map[addressWarning][]string{}
	for _, source := range slices.Sorted(maps.Keys(planned)) {
		if known[api.CanonicalAddress(source)] == nil {
			warning := warningAbout(source)
			sources[warning] = append(sources[warning], source)
		}
	}
	for _, warning := range []addressWarning{noAddress, everybody, wider} {
		if len(sources[warning]) > 0 {
			diags.AddAttributeWarning(path.Root(list), warning.summary+": "+change.Name(), lifecycle.Names(sources[warning])+": "+warning.detail)
		}
	}
	return diags
}

const whatEmptyMeans = "The API does not document what an empty list means: it may admit nobody, or everybody."

var firstEntry = addressWarning{"Access list is empty", "The apply adds the first entry. An empty list may have admitted everybody: check that the new entries admit all who need access."}

// An addressWarning is about one address of an access list.
type addressWarning struct{ summary, detail string }

var (
	noAddress = addressWarning{"Not an IP address", "This is neither an IP address nor a CIDR prefix. Terraform sends it as it is; the API may refuse it."}
	everybody = addressWarning{"Open to everyone", "0.0.0.0/0 and ::/0 contain every address, and some APIs read 0.0.0.0 and :: as these. Use a smaller range if you do not intend that."}
	wider     = addressWarning{"Range is wider than its address", "This opens the whole range around an address. To open a range, write its first address, as in 192.0.2.0/24; " +
		"to open one address, leave out the prefix, as in 192.0.2.5."}
)

// warningAbout returns the zero warning for an address that is as it should be.
func warningAbout(source string) addressWarning {
	switch canonical := api.CanonicalAddress(source); {
	case !api.IsAddress(source):
		return noAddress
	case slices.Contains([]string{"0.0.0.0/0", "::/0", "0.0.0.0/32", "::/128"}, canonical):
		return everybody
	case api.HasHostBits(source):
		return wider
	}
	return addressWarning{}
}

// checkEndpoints refuses added private endpoints that differ only in case from one that the
// API shows, and warns of those that are not available, if it shows which ones are.
func checkEndpoints(attribute string, change lifecycle.Change, added map[string]attr.Value, attached, available []string) (diags diag.Diagnostics) {
	var unavailable []string
	shown := slices.Concat(attached, available)
	for _, id := range slices.Sorted(maps.Keys(added)) {
		same := slices.IndexFunc(shown, func(other string) bool { return strings.EqualFold(other, id) })
		switch {
		case added[id].IsUnknown() || slices.Contains(available, id):
		case same >= 0:
			diags.AddAttributeError(path.Root(attribute), "Private endpoint is written differently: "+change.Name(), fmt.Sprintf(
				"The API returns %s instead of %s; write it as the API returns it.", shown[same], id))
		default:
			unavailable = append(unavailable, id)
		}
	}
	if len(unavailable) == 0 || len(available) == 0 {
		return diags
	}
	return append(diags, diag.NewAttributeWarningDiagnostic(path.Root(attribute), "Private endpoint is not available: "+change.Name(), fmt.Sprintf(
		"The plan adds private endpoints that available_private_endpoint_ids of the service does not list: %s. Check their ids: the API may refuse them.", lifecycle.Names(unavailable))))
}

// warnOfWhiteSpace warns of new names and descriptions that an API may trim.
func warnOfWhiteSpace(change lifecycle.Change) (diags diag.Diagnostics) {
	warn := func(attribute, where string) {
		diags.AddAttributeWarning(path.Root(attribute), "White space at the ends of "+attribute+": "+change.Name(),
			"The API may store the text"+where+" without it, and the apply then fails. A heredoc ends in a line break; chomp() and trimspace() remove it.")
	}
	isPadded := func(text attr.Value) bool { return lifecycle.Text(text) != strings.TrimSpace(lifecycle.Text(text)) }
	for _, name := range []string{"name", "description"} {
		if value, ok := change.Planned[name]; ok && change.Sets(name) && isPadded(value) {
			warn(name, "")
		}
	}
	list, _ := change.Planned["ip_access_list"].(accessList)
	before, _ := change.Prior["ip_access_list"].(accessList)
	known, padded := before.Entries(), list.Elements()
	maps.DeleteFunc(padded, func(source string, description attr.Value) bool {
		return !isPadded(description) || description.Equal(known[list.Key(source)])
	})
	if len(padded) > 0 {
		warn("ip_access_list", "s of "+lifecycle.Names(slices.Sorted(maps.Keys(padded))))
	}
	return diags
}

// warnOfExpiry warns of a new expiry that has passed already.
func warnOfExpiry(change lifecycle.Change) diag.Diagnostics {
	at, ok := instant(lifecycle.Text(change.Planned["expire_at"]))
	if !ok || !change.Sets("expire_at") || at.After(time.Now()) {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("expire_at"), "Expiry in the past",
		"This time has passed: nobody can use a key with this expiry.")}
}

// warnOfLockout warns of a plan that lets Terraform's own key do less.
func warnOfLockout(client *api.Client, change lifecycle.Change) diag.Diagnostics {
	var changes []string
	for _, name := range []string{"state", "expire_at", "roles", "ip_access_list"} {
		if change.Sets(name) && !keepsAccess(name, change.Prior[name], change.Planned[name]) {
			changes = append(changes, name)
		}
	}
	id, reason := lifecycle.Text(change.Prior["key_id"]), whyInUse(change.Prior, client.KeyID())
	if reason == "" || len(changes) == 0 {
		return nil
	}
	// The summary names the key, so that the warning is never folded into another.
	return diag.Diagnostics{diag.NewWarningDiagnostic("Terraform uses this API key: "+lifecycle.ShortID(id), fmt.Sprintf(
		"API key %s is the key that Terraform uses (%s), and this plan changes its %s. If that shuts it out, the API refuses Terraform's requests, even in the rest of the run. "+
			"To be safe, first configure the provider with another key.", id, reason, strings.Join(changes, ", ")))}
}

// keepsAccess reports whether a new value of an attribute lets a key do as much as before.
func keepsAccess(name string, before, planned attr.Value) bool {
	switch text := lifecycle.Text(planned); name {
	case "state":
		return text == "enabled"
	case "expire_at":
		was, hadExpiry := instant(lifecycle.Text(before))
		is, _ := instant(text)
		return text == never || hadExpiry && is.After(was)
	}
	old, now := lifecycle.Entries(before), lifecycle.Entries(planned)
	for key := range old {
		if now[key] == nil {
			return false
		}
	}
	return len(old) > 0 // an empty access list may have admitted everybody
}

// whyInUse says why a key is the one with a credential id, "" if it is not. A key's id
// and its credential's may be the same. If not, the suffix tells, unless it is so short
// that it could fit by chance.
func whyInUse(key lifecycle.Attributes, credential string) string {
	id, suffix := lifecycle.Text(key["key_id"]), lifecycle.Text(key["key_suffix"])
	switch {
	case id != "" && strings.EqualFold(id, credential):
		return "its id is the provider's key_id"
	case len(suffix) >= 4 && strings.HasSuffix(credential, suffix):
		return "the provider's key_id ends in its key_suffix"
	}
	return ""
}
