package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// service is a service's basic details (specification, "Update service basic
// details"). Its schema has a file of its own.
type service struct{}

func (service) about() about {
	return about{
		typeName: "service",
		noun:     "service",
		ids:      []string{"service_id"},
		follows: map[string][]string{
			"endpoints_enabled": {"endpoints"},
			"transparent_data_encryption_key_id": {
				"encryption_key", "encryption_assumed_role_identifier", "encryption_role_id", "has_transparent_data_encryption",
			},
		},
	}
}

func (service) read(ctx context.Context, client *api.Client, prior serviceModel) (serviceModel, error) {
	answer, err := client.Service(ctx, prior.ServiceID.ValueString())
	if err != nil {
		return prior, err
	}
	return prior.from(answer), nil
}

func (service) write(ctx context.Context, client *api.Client, w writing[serviceModel]) (serviceModel, error) {
	answer, err := client.UpdateService(ctx, w.change.ServiceID.ValueString(), w.change.update(w.known))
	if err != nil {
		return w.want, err
	}
	return w.want.from(answer), nil
}

func (service) advise(_ context.Context, _ *api.Client, config, known attributes) diag.Diagnostics {
	return warnOfEmptying(config, known)
}
