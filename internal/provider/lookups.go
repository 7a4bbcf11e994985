package provider

import "github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"

// lookedUp ends the description of a data source that shows one object.
const lookedUp = " Fails if it does not exist. Attributes that the API does not return are null."

const lookedUpAccessList = " A map from an IP address or CIDR prefix to its description (`\"\"` for none)."

// The data sources that show what a resource shows.

func serviceLookup() adopt.Lookup {
	return adopt.LookupOf(service{}, "Looks up a service."+lookedUp, map[string]string{
		"name":              "Name of the service.",
		"ip_access_list":    "IP addresses that may connect to the service." + lookedUpAccessList,
		"endpoints_enabled": "Whether each endpoint is enabled, by protocol.",
	})
}

func apiKeyLookup() adopt.Lookup {
	return adopt.LookupOf(apiKey{}, "Looks up an API key, without its secret."+lookedUp, map[string]string{
		"key_id":         "UUID that identifies the key in the API. " + keyIDs,
		"roles":          "Roles of the key.",
		"ip_access_list": "IP addresses that may use the key." + lookedUpAccessList,
	})
}
