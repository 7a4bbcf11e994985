package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// service is a service (operation updateService). Its schema is in
// service_schema.go.
type service struct{}

func (service) Metadata() adopt.Metadata {
	return adopt.Metadata{
		TypeName: "service",
		Noun:     "service",
		IDs:      []string{"service_id"},
		Path:     "services/{service_id}",
		Derived: map[string][]string{
			"endpoints_enabled": {"endpoints"},
			"transparent_data_encryption_key_id": {
				"encryption_key", "encryption_assumed_role_identifier", "encryption_role_id", "has_transparent_data_encryption",
			},
		},
		NotReturned:  []string{"release_channel", "endpoints_enabled"},
		Incremental:  []string{"ip_access_list", "private_endpoint_ids"},
		ReadByUpdate: true,
	}
}

func (service) Read(ctx context.Context, client *api.Client, prior serviceModel) (serviceModel, error) {
	service, err := client.Service(ctx, prior.ServiceID.ValueString())
	if err != nil {
		return prior, err
	}
	return prior.from(service), nil
}

func (service) Write(ctx context.Context, client *api.Client, update adopt.Update[serviceModel]) (serviceModel, error) {
	service, err := client.UpdateService(ctx, update.Change.ServiceID.ValueString(), update.Change.update(update.Base))
	if err != nil {
		return update.Change, err
	}
	return update.Change.from(service), nil
}

func (service) Advise(_ context.Context, _ *api.Client, change adopt.Change) diag.Diagnostics {
	return warnOfEmptyList(change)
}
