package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

const never = "never" // the expiry of a key that never expires

// apiKey is an API key (operation updateKey).
func apiKey() lifecycle.Definition {
	return lifecycle.Definition{
		Kind:            lifecycle.Kind{TypeName: "api_key", Noun: "API key", IDs: []string{"key_id"}, NoDocumentedRead: true},
		Schema:          apiKeySchema(),
		Fetch:           readKey,
		Write:           writeKey,
		Canonical:       map[string]func(string) string{"expire_at": canonicalInstant, "ip_access_list": api.CanonicalAddress},
		SharedLists:     []string{"ip_access_list"},
		SendsWholeLists: true,
		Advise:          adviseKey,
		AdviseDestroy:   adviseDestroyKey,
	}
}

func apiKeySchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing API key and manages the attributes that you set. Its secret is never in Terraform's state.",
		Attributes: map[string]schema.Attribute{
			"key_id": uuidAttribute("UUID that identifies the key in the API, which can differ from `key_id` in the provider block."),
			"name":   managedString("Name of the key.", ""),
			"roles":  managedSet("Roles of the key.", "At least one is required. "+choices(api.KeyRoles), someOf(api.KeyRoles)),
			"expire_at": schema.StringAttribute{
				MarkdownDescription: "Expiry, in RFC 3339 format such as `2030-01-31T12:00:00Z`, or `never`.",
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{isExpiry},
			},
			"state":          configuredString("State of the key.", choices(api.KeyStates), oneOf(api.KeyStates)),
			"ip_access_list": managedAccessList("use the key"),
			"key_suffix":     computedString("Last characters of the key, to tell keys apart."),
			"created_at":     computedString("Creation time."),
		},
	}
}

// lookedUpKey also has the time of last use, which changes with every request.
func lookedUpKey() lifecycle.Definition {
	definition := apiKey()
	definition.Schema.Attributes["used_at"] = computedString("Time of last use.")
	return definition
}

func readKey(ctx context.Context, client *api.Client, prior lifecycle.Attributes) (lifecycle.Returned, error) {
	key, err := client.Key(ctx, lifecycle.Text(prior["key_id"]))
	if err != nil {
		return nil, err
	}
	return showKey(key), nil
}

func writeKey(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Returned, error) {
	before, after := lifecycle.ObjectOf[api.Key](change.Base()), lifecycle.ObjectOf[api.Key](change.Sent())
	if expireAt, ok := after.ExpireAt.Get(); ok && expireAt == never {
		after.ExpireAt = api.NullOf[string]()
	}
	key, err := client.UpdateKey(ctx, lifecycle.Text(change.Planned["key_id"]), api.KeyUpdate{
		Name:         after.Name,
		ExpireAt:     after.ExpireAt,
		State:        after.State,
		Roles:        api.ListUpdate[string]{Before: before.Roles, After: after.Roles},
		IPAccessList: accessListUpdate(change),
	})
	if err != nil {
		return nil, err
	}
	return showKey(key), nil
}

// showKey shows an expiry of null, "" or a time that stands for none as never.
func showKey(key *api.Key) lifecycle.Returned {
	shown := lifecycle.ReturnedOf(*key)
	if expireAt, ok := key.ExpireAt.Get(); key.ExpireAt.IsNull() || ok && (expireAt == "" || isNoTime(expireAt)) {
		shown["expire_at"] = types.StringValue(never)
	}
	showAccessList(shown, key.IPAccessList)
	return shown
}

func adviseKey(_ context.Context, client *api.Client, change lifecycle.Change) diag.Diagnostics {
	return slices.Concat(warnOfAddresses(change), warnOfLockout(client, change))
}

// adviseDestroyKey warns that a key may stay usable, unless Terraform has disabled it.
func adviseDestroyKey(state lifecycle.Attributes) diag.Diagnostics {
	id := lifecycle.Text(state["key_id"])
	if lifecycle.Text(state["state"]) == "disabled" {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("API key "+lifecycle.ShortID(id)+" may stay usable", fmt.Sprintf(
		"API key %s can still be used, unless it is disabled already. To disable it, keep its block, set state = \"disabled\" and apply; then remove the block.", id))}
}

// warnOfLockout warns of a plan that lets Terraform's own key do less.
func warnOfLockout(client *api.Client, change lifecycle.Change) diag.Diagnostics {
	var changes []string
	for _, name := range []string{"state", "expire_at", "roles", "ip_access_list"} {
		if change.Sets(name) && !keepsAccess(change, name) {
			changes = append(changes, name)
		}
	}
	id, reason := lifecycle.Text(change.Prior["key_id"]), whyInUse(change.Prior, client.KeyID())
	if reason == "" || len(changes) == 0 {
		return nil
	}
	// The summary names the key, so that the warning is never folded into another.
	return diag.Diagnostics{diag.NewWarningDiagnostic("Terraform uses this API key: "+lifecycle.ShortID(id), fmt.Sprintf(
		"Terraform uses API key %s: %s. This plan changes %s of the key. If that shuts Terraform out, its requests are refused from then on, even in the rest of the run. "+
			"To be safe, first configure the provider with another key.", id, reason, strings.Join(changes, ", ")))}
}

// keepsAccess reports whether a new value of an attribute lets a key do as much as before.
func keepsAccess(change lifecycle.Change, name string) bool {
	switch text := lifecycle.Text(change.Planned[name]); name {
	case "state":
		return text == "enabled"
	case "expire_at":
		was, hadExpiry := instant(lifecycle.Text(change.Prior[name]))
		is, _ := instant(text)
		return text == never || hadExpiry && is.After(was)
	}
	old, now := change.Entries(name, change.Prior[name]), change.Entries(name, change.Planned[name])
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
