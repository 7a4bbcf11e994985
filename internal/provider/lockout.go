package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

const (
	// minSuffix is the length from which a key's suffix identifies it.
	minSuffix = 4
	// soon is how close an expiry has to be to shut Terraform out.
	soon = 24 * time.Hour

	roleAdmin = "admin"
)

// warnOfLockout warns of a plan that may shut out the key that Terraform uses.
func warnOfLockout(client *api.Client, change adopt.Change) diag.Diagnostics {
	planned, prior := change.Planned, change.Prior
	expiry, hasExpiry := instant(adopt.Text(planned["expire_at"]))
	var changes []string
	for _, risk := range []struct {
		attribute string
		isRisk    bool
	}{
		{"state", adopt.Text(planned["state"]) == keyDisabled},
		{"expire_at", hasExpiry && expiry.Before(time.Now().Add(soon))},
		{"roles", losesRole(prior["roles"], planned["roles"], roleAdmin)},
		{"ip_access_list", narrows(prior["ip_access_list"], planned["ip_access_list"])},
	} {
		if risk.isRisk && change.Sets(risk.attribute) {
			changes = append(changes, risk.attribute)
		}
	}
	return lockout(client, prior, changes)
}

// lockout is the warning about changes of the key that Terraform uses. Its
// summary names the key, so that it is never folded into another.
func lockout(client *api.Client, key adopt.Attributes, changes []string) diag.Diagnostics {
	if client == nil || len(changes) == 0 {
		return nil
	}
	used, ok := keyInUse(client.KeyID(), key)
	if !ok {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Terraform uses this API key: …"+used.id[max(0, len(used.id)-4):], fmt.Sprintf(
		"API key %s is the key that Terraform uses (%s), and this plan changes its %s, so the API may refuse Terraform's requests, even in the rest of the run. "+
			"Configure the provider with another key first.", used.id, used.reason, strings.Join(changes, ", ")))}
}

// usedKey is the key that Terraform uses.
type usedKey struct{ id, reason string }

// keyInUse reports whether a key is the one with the given credential id. The
// two ids of a key may be the same; if not, the suffix tells. A short suffix
// would fit by chance.
func keyInUse(credential string, key adopt.Attributes) (usedKey, bool) {
	id, suffix := adopt.Text(key["key_id"]), adopt.Text(key["key_suffix"])
	switch {
	case id != "" && strings.EqualFold(id, credential):
		return usedKey{id, "its id is the provider's key_id"}, true
	case len(suffix) >= minSuffix && strings.HasSuffix(credential, suffix):
		return usedKey{id, "the provider's key_id ends in its key_suffix"}, true
	}
	return usedKey{}, false
}

func losesRole(before, after attr.Value, role string) bool {
	was, is := adopt.Elements(before), adopt.Elements(after)
	for _, value := range is {
		if value.IsUnknown() || adopt.Text(value) == role {
			return false
		}
	}
	had := slices.ContainsFunc(slices.Collect(maps.Values(was)), func(value attr.Value) bool { return adopt.Text(value) == role })
	return had && !after.IsUnknown()
}

// narrows reports whether a list may admit less than before: entries go, or it
// gets its first one. Empty may have meant everybody.
func narrows(before, after attr.Value) bool {
	was, ok := before.(accessList)
	is, alsoOK := after.(accessList)
	if !ok || !alsoOK || is.IsUnknown() {
		return false
	}
	kept := is.byAddress()
	for address := range was.byAddress() {
		if _, ok := kept[address]; !ok {
			return true
		}
	}
	return len(was.Elements()) == 0 && len(kept) > 0
}
