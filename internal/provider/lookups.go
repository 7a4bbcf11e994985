package provider

import "github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"

// lookedUpByUpdate belongs to the data sources of objects that the API returns
// only in response to an update.
const lookedUpByUpdate = " The API returns this object only in response to an update, " +
	"so the look-up sends an update without changes, and the key that Terraform uses must be allowed to update it. " +
	"What the API does not return is null."

const lookedUpAccessList = " A map from an IP address or CIDR prefix to its description (`\"\"` for none)."

// The data sources that show what a resource shows.
var (
	serviceLookup = adopt.Lookup{
		Description: "Looks up a service." + lookedUpByUpdate,
		Descriptions: map[string]string{
			"service_id":     "UUID of the service.",
			"name":           "Name of the service.",
			"ip_access_list": "Addresses from which the service can be reached." + lookedUpAccessList,
		},
	}
	apiKeyLookup = adopt.Lookup{
		Description: "Looks up an API key. Its secret is not part of it: no operation of the API returns it." + lookedUpByUpdate,
		Descriptions: map[string]string{
			"key_id":         "UUID of the key.",
			"name":           "Name of the key.",
			"roles":          "Roles of the key.",
			"ip_access_list": "Addresses from which the key may be used." + lookedUpAccessList,
		},
	}
)
