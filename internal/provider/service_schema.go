package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

func (service) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing service and manages the attributes that you set.",
		Attributes: map[string]schema.Attribute{
			"service_id": uuidAttribute("UUID of the service."),
			"name": managedString(
				fmt.Sprintf("Name of the service. It consists of 1 to %d ASCII letters, digits and white space.", api.ServiceNameMaxLength),
				isServiceName),
			"ip_access_list": managedAccessList("connect to the service"),
			"private_endpoint_ids": managedSet(
				"IDs of the private endpoints of the service. Authoritative: IDs that are not listed are removed.",
				withoutEmpty),
			"transparent_data_encryption_key_id": managedString(
				"ID of the encryption key for transparent data encryption. Changing it rotates the encryption key.",
				notEmpty),
			"release_channel": configuredString(
				"Release channel. "+choices(api.ReleaseChannels)+" `slow` defers new releases; "+
					"`fast` delivers them as soon as possible, with a higher risk of bugs. Applies only to production services.", oneOf(api.ReleaseChannels)),
			"endpoints_enabled": schema.MapAttribute{
				MarkdownDescription: "Whether each endpoint is enabled, by protocol, such as `mysql`. Only the listed protocols are managed. " +
					"If the API does not return this value, drift is detected only when a protocol appears in or disappears from `endpoints`.",
				ElementType: types.BoolType,
				Optional:    true,
				Validators:  []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1))},
			},
			"endpoints": schema.MapNestedAttribute{
				MarkdownDescription: "Endpoints of the service, by protocol.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"host":     computedString("Host name."),
					"port":     computedInt64("TCP port."),
					"username": computedString("User name for connections."),
				}},
			},
			"db_version":            computedString("Version of the database engine."),
			"min_total_memory_gb":   computedFloat64("Minimum total memory, in GB."),
			"max_total_memory_gb":   computedFloat64("Maximum total memory, in GB."),
			"min_replica_memory_gb": computedFloat64("Minimum memory per replica, in GB."),
			"max_replica_memory_gb": computedFloat64("Maximum memory per replica, in GB."),
			"num_replicas":          computedInt64("Number of replicas."),
			"idle_scaling":          computedBool("Whether the service scales down when it is idle."),
			"idle_timeout_minutes":  computedInt64("Minutes of inactivity after which the service becomes idle."),
			"created_at":            computedTimestamp("Creation time."),
			"encryption_key": schema.StringAttribute{
				MarkdownDescription: "Encryption key of the service.", Computed: true, Sensitive: true,
			},
			"encryption_assumed_role_identifier": computedString("Role that is assumed for access to the encryption key."),
			"iam_role":                           computedString("Cloud role of the service."),
			"available_private_endpoint_ids": schema.SetAttribute{
				MarkdownDescription: "IDs of the private endpoints that are available. The plan warns about an added private endpoint that is not among them.",
				ElementType:         types.StringType,
				Computed:            true,
			},
			"data_warehouse_id":               computedString("ID of the data warehouse of the service."),
			"is_primary":                      computedBool("Whether this is the primary service of its data warehouse."),
			"is_readonly":                     computedBool("Whether the service is read-only."),
			"byoc_id":                         computedString("ID of the customer's own cloud account that the service runs in."),
			"has_transparent_data_encryption": computedBool("Whether transparent data encryption is enabled."),
			"encryption_role_id":              computedString("ID of the role for transparent data encryption."),
		},
	}
}
