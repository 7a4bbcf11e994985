package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

func (service) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing service and manages its basic details. " +
			"An attribute that is left out keeps the value that it has.",
		Attributes: map[string]schema.Attribute{
			"service_id": idAttribute("The UUID of the service."),
			"name": managedString(
				fmt.Sprintf("The service's name: ASCII letters, digits and white space, 1 to %d characters.", api.ServiceNameMaxLength),
				serviceName...),
			"ip_access_list": managedAccessList(
				"The addresses from which the service can be reached."),
			"private_endpoint_ids": managedSet(
				"The ids of the private endpoints through which the service can be reached. It is the whole list: an id that is not in it is removed.",
				setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
			"transparent_data_encryption_key_id": managedString(
				"The id of the key for transparent data encryption. A change rotates the key.",
				stringvalidator.LengthAtLeast(1)),
			"release_channel": managedString(
				"When the service gets new releases. "+choices(api.ReleaseChannels)+" `slow` defers them, `default` is the regular channel, "+
					"`fast` gives them as soon as they are available, with a higher risk of bugs. Applies only to production services. "+
					notAnswered, stringvalidator.OneOf(api.ReleaseChannels...)),
			"endpoints_enabled": schema.MapAttribute{
				MarkdownDescription: "Which of the service's endpoints are enabled: a map from a protocol, such as `mysql`, to true or false. " +
					"Only the protocols that are listed are managed. The API does not answer with it: an endpoint counts as enabled or disabled " +
					"elsewhere when its protocol appears in `endpoints` or is gone from there.",
				ElementType: types.BoolType,
				Optional:    true,
				Validators:  []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1))},
			},
			"endpoints": schema.MapNestedAttribute{
				MarkdownDescription: "The service's endpoints, by protocol.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"host":     computedString("The host name."),
					"port":     computedInt64("The TCP port."),
					"username": computedString("The user name to connect with."),
				}},
			},
			"db_version":            computedString("The version of the database engine."),
			"min_total_memory_gb":   computedFloat64("The least memory of all replicas together, in GB."),
			"max_total_memory_gb":   computedFloat64("The most memory of all replicas together, in GB."),
			"min_replica_memory_gb": computedFloat64("The least memory of each replica, in GB."),
			"max_replica_memory_gb": computedFloat64("The most memory of each replica, in GB."),
			"num_replicas":          computedInt64("The number of replicas."),
			"idle_scaling":          computedBool("Whether the service scales down when it is idle."),
			"idle_timeout_minutes":  computedInt64("How long the service is unused before it counts as idle, in minutes."),
			"created_at":            computedTimestamp("When the service was created."),
			"encryption_key": schema.StringAttribute{
				MarkdownDescription: "The key that encrypts the service's data.",
				Computed:            true,
				Sensitive:           true,
			},
			"encryption_assumed_role_identifier": computedString("The role that is assumed to use the encryption key."),
			"iam_role":                           computedString("The service's role at the cloud provider."),
			"available_private_endpoint_ids": schema.SetAttribute{
				MarkdownDescription: "The ids of the private endpoints that `private_endpoint_ids` can name.",
				ElementType:         types.StringType,
				Computed:            true,
			},
			"data_warehouse_id":               computedString("The id of the data warehouse that the service belongs to."),
			"is_primary":                      computedBool("Whether the service is the primary one of its data warehouse."),
			"is_readonly":                     computedBool("Whether the service is read-only."),
			"byoc_id":                         computedString("The id of the customer's own cloud account that the service runs in."),
			"has_transparent_data_encryption": computedBool("Whether transparent data encryption is on."),
			"encryption_role_id":              computedString("The id of the role for transparent data encryption."),
		},
	}
}
