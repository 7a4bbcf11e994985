package lifecycle

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// ProviderData is what resources and data sources get from the provider's
// configuration. Terraform configures the provider anew for each walk.
type ProviderData struct {
	Client *api.Client // nil while the configuration is not known
	Origin Origin

	UpdateTimeout time.Duration // how long an accepted change may take to show

	walk walk
}

var notConfigured = diag.NewErrorDiagnostic("Provider configuration is not known yet",
	"The provider block depends on a value that is known only after apply, so nothing can be read yet. "+
		"First apply what that value comes from, for example with -target.")

// configured is the data from the provider's Configure. Before that was called it is nil, and what was there stays.
func configured(data any, before *ProviderData, diags *diag.Diagnostics) *ProviderData {
	if data == nil {
		return before
	}
	typed, ok := data.(*ProviderData)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("This is a fault of the provider: it configures with %T instead of %T.", data, typed))
		return before
	}
	return typed
}
