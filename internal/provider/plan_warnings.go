package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// Warnings about values that are valid but probably unintended. They come with
// the plan that adds the entry or changes the expiry, and not again.

// warnOfAddresses warns of new entries of an access list, and of one that becomes empty.
func warnOfAddresses(change adopt.Change) diag.Diagnostics {
	const list = "ip_access_list"
	var diags diag.Diagnostics
	planned := adopt.Elements(change.Planned[list])
	before, _ := change.Before[list].(accessList)
	known := before.Entries()
	if planned != nil && len(planned) == 0 && len(known) > 0 {
		diags.AddAttributeWarning(path.Root(list), "Access list becomes empty: "+change.Name, "The plan removes all entries. "+whatEmptyMeans)
	}
	for i, source := range slices.Sorted(maps.Keys(planned)) {
		summary, detail := doubtfulAddress(source)
		if summary == "" || known[api.CanonicalAddress(source)] != nil {
			continue
		}
		diags.AddAttributeWarning(path.Root(list), fmt.Sprintf("%s: %s, entry %d", summary, change.Name, i+1),
			fmt.Sprintf("Entry %d of %d (in alphabetical order) %s", i+1, len(planned), detail)) // not the address: it may be sensitive
	}
	return diags
}

const whatEmptyMeans = "The API does not document what an empty list means: it may admit nobody, or everybody."

// doubtfulAddress says what to know about a new entry's source, "" for nothing.
func doubtfulAddress(source string) (summary, detail string) {
	switch canonical := api.CanonicalAddress(source); {
	case !api.IsAddress(source):
		return "Not an IP address", "is neither an IP address nor a CIDR prefix. Terraform sends it as it is; the API may refuse it."
	case canonical == "0.0.0.0/0" || canonical == "::/0":
		return "Open to everyone", "contains every address. Use a smaller range if you do not intend that."
	case api.HasHostBits(source):
		return "Range is wider than its address", "opens the whole range around its address. To open a range, write its first address, as in 192.0.2.0/24; " +
			"to open one address, leave out the prefix, as in 192.0.2.5."
	}
	return "", ""
}

// warnOfExpiry warns of a new expiry that has passed already.
func warnOfExpiry(change adopt.Change) diag.Diagnostics {
	at, ok := instant(adopt.Text(change.Planned["expire_at"]))
	if !ok || !change.Sets("expire_at") || at.After(time.Now()) {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("expire_at"), "Expiry in the past",
		"This time has passed: nobody can use a key with this expiry.")}
}

// warnOfLockout warns of changes to what Terraform's own key may do, except to let it do more.
func warnOfLockout(client *api.Client, change adopt.Change) diag.Diagnostics {
	var changes []string
	for _, name := range []string{"state", "expire_at", "roles", "ip_access_list"} {
		planned := adopt.Text(change.Planned[name])
		before, _ := instant(adopt.Text(change.Before[name]))
		expiry, isExpiry := instant(planned)
		opens := planned == "enabled" || planned == never || isExpiry && !before.IsZero() && expiry.After(before)
		if change.Sets(name) && !opens {
			changes = append(changes, name)
		}
	}
	id, reason := adopt.Text(change.Before["key_id"]), whyInUse(change.Before, client.KeyID())
	if reason == "" || len(changes) == 0 {
		return nil
	}
	// The summary names the key, so that the warning is never folded into another.
	return diag.Diagnostics{diag.NewWarningDiagnostic("Terraform uses this API key: "+adopt.ShortID(id), fmt.Sprintf(
		"API key %s is the key that Terraform uses (%s), and this plan changes its %s. If that shuts it out, the API refuses Terraform's requests, even in the rest of the run. "+
			"To be safe, first configure the provider with another key.", id, reason, strings.Join(changes, ", ")))}
}

// whyInUse says why a key is the one with the given credential id, "" if it is
// not. The two ids of a key may be the same; if not, the suffix tells. One of
// fewer than four characters could fit by chance.
func whyInUse(key adopt.Attributes, credential string) string {
	id, suffix := adopt.Text(key["key_id"]), adopt.Text(key["key_suffix"])
	switch {
	case id != "" && strings.EqualFold(id, credential):
		return "its id is the provider's key_id"
	case len(suffix) >= 4 && strings.HasSuffix(credential, suffix):
		return "the provider's key_id ends in its key_suffix"
	}
	return ""
}
