package provider

import "github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"

// lookedUpByUpdate belongs to the data sources of objects that the API returns
// only in response to an update.
const lookedUpByUpdate = " The API returns this object only in response to an update. " +
	"The provider therefore sends an update that changes nothing, so its own API key needs permission to update the object. " +
	"Attributes that the API does not return are null."

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
		Description: "Looks up an API key. The secret is not included, because the API never returns it." + lookedUpByUpdate,
		Descriptions: map[string]string{
			"key_id":         "UUID that identifies the key in the API. " + keyIDs,
			"roles":          "Roles of the key.",
			"ip_access_list": "Addresses that may use the key." + lookedUpAccessList,
		},
	}
)
