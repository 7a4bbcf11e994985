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
			"name":           "Name of the service.",
			"ip_access_list": "Addresses that may connect to the service." + lookedUpAccessList,
		},
	}
	apiKeyLookup = adopt.Lookup{
		Description: "Looks up an API key. Its secret is not part of it: no operation of the API returns it." + lookedUpByUpdate,
		Descriptions: map[string]string{
			"key_id":         "UUID by which the API names the key. " + keyIDs,
			"roles":          "Roles of the key.",
			"ip_access_list": "Addresses that may use the key." + lookedUpAccessList,
		},
	}
)
