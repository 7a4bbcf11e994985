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
	key, ok := keyInUse(client.KeyID(), change.Prior)
	if !ok {
		return nil
	}
	var effects []string
	if change.Sets("state") && adopt.Text(change.Planned["state"]) == keyDisabled {
		effects = append(effects, "disables the key")
	}
	if change.Sets("expire_at") {
		if at, ok := instant(adopt.Text(change.Planned["expire_at"])); ok && at.Before(time.Now().Add(soon)) {
			effects = append(effects, "sets an expiry that is in the past or less than a day ahead")
		}
	}
	if change.Sets("roles") && losesRole(change.Prior["roles"], change.Planned["roles"], roleAdmin) {
		effects = append(effects, "removes its role "+roleAdmin)
	}
	if change.Sets("ip_access_list") {
		if lost := lostEntries(change.Prior["ip_access_list"], change.Planned["ip_access_list"]); lost == 1 {
			effects = append(effects, "removes an entry from its access list")
		} else if lost > 1 {
			effects = append(effects, fmt.Sprintf("removes %d entries from its access list", lost))
		}
	}
	return lockout(key, effects)
}

// AdviseDestroy warns of a destroy that disables the key that Terraform uses.
func (k apiKey) AdviseDestroy(client *api.Client, state adopt.Attributes) diag.Diagnostics {
	key, ok := keyInUse(client.KeyID(), state)
	if !ok || !k.Releases(state) {
		return nil
	}
	return lockout(key, []string{`disables the key (on_destroy = "disable")`})
}

// lockout is one warning for all effects of a plan. Its summary names the key,
// so that it is never folded into another.
func lockout(key usedKey, effects []string) diag.Diagnostics {
	if len(effects) == 0 {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Terraform uses this API key: …"+key.id[max(0, len(key.id)-4):], fmt.Sprintf(
		"API key %s is the key that Terraform uses (%s). This plan %s. Terraform may lock itself out: the API may refuse its requests, even in the rest of the run. "+
			"Configure the provider with another key first.", key.id, key.reason, strings.Join(effects, ", ")))}
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

// lostEntries counts the addresses of before that after lacks.
func lostEntries(before, after attr.Value) int {
	was, ok := before.(accessList)
	is, alsoOK := after.(accessList)
	if !ok || !alsoOK || is.IsUnknown() {
		return 0
	}
	lost, kept := 0, is.byAddress()
	for address := range was.byAddress() {
		if _, ok := kept[address]; !ok {
			lost++
		}
	}
	return lost
}
