package provider

import "github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"

// lookedUpByUpdate belongs to the data sources of objects that the API returns
// only in response to an update.
const lookedUpByUpdate = " The API documents no operation that reads this object. " +
	"By default, the provider sends an update that changes nothing, so its own API key needs permission to update the object; " +
	"see `read_method` of the provider. Attributes that the API does not return are null."

const lookedUpAccessList = " A map from an IP address or CIDR prefix to its description (`\"\"` for none)."

// The data sources that show what a resource shows.

func serviceLookup() adopt.Lookup {
	return adopt.LookupOf(service{}, "Looks up a service."+lookedUpByUpdate, map[string]string{
		"name":              "Name of the service.",
		"ip_access_list":    "Addresses that may connect to the service." + lookedUpAccessList,
		"endpoints_enabled": "Whether each endpoint is enabled, by protocol.",
	})
}

func apiKeyLookup() adopt.Lookup {
	return adopt.LookupOf(apiKey{}, "Looks up an API key. The secret is not included, because the API never returns it."+lookedUpByUpdate, map[string]string{
		"key_id":         "UUID that identifies the key in the API. " + keyIDs,
		"roles":          "Roles of the key.",
		"ip_access_list": "Addresses that may use the key." + lookedUpAccessList,
	})
}
