package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A plan warns of private endpoints that it adds and that are not available, if the API
// shows which ones are.
func TestUnavailableEndpoints(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int{mockapi.ServiceID: 1, mockapi.OtherServiceID: 0} {
		c := newEmptyEnv(t).Core(t, nil)
		config := acctest.Configs{"service": {"service_id": id, "private_endpoint_ids": []any{"vpce-8c9d0e1f", "vpce-none", "vpce-b", "vpce-c", "vpce-a"}}}
		plans := c.MustPlan(config)
		if found := warned(c, "Private endpoint is not available: service …1111: The plan adds private endpoints that available_private_endpoint_ids of the service does not list: vpce-a, vpce-b, vpce-c, vpce-none."); len(found) != want {
			t.Errorf("%s: %q", id, c.Warnings)
		}
		if err := c.ApplyAll(plans); err != nil {
			t.Error(err)
		}
		c.MustPlan(config)
		if found := warned(c, "Private endpoint is not available"); len(found) > 0 {
			t.Errorf("after the apply: %q", found)
		}
	}
	c := newEmptyEnv(t, mockapi.WithVariants(mockapi.Variants{Missing: mockapi.AsEmpty})).Core(t, nil) // none is
	c.MustPlan(acctest.Configs{"service": {"service_id": mockapi.OtherServiceID, "private_endpoint_ids": []any{"vpce-none"}}})
	if found := warned(c, "Private endpoint is not available: service …2222"); len(found) != 1 {
		t.Errorf("none is available: %q", c.Warnings)
	}
	c = newEnv(t).Core(t, nil) // an id that is known only after apply may be available
	notKnown := func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if v.Equal(tftypes.NewValue(tftypes.String, "later")) {
			v = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
		return v, nil
	}
	config, _ := tftypes.Transform(c.Config("service", onService(map[string]any{"private_endpoint_ids": []any{"vpce-8c9d0e1f", "later"}})["service"]), notKnown)
	if _, err := c.Plan("service", config); err != nil || len(warned(c, "Private endpoint is not available")) > 0 {
		t.Errorf("an unknown id: %v, %q", err, c.Warnings)
	}
}
