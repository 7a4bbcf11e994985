package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An entry that the API has with another description than the state is removed
// as the API shows it, in the notation that it was added in.
func TestRemovalOfAnotherDescription(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{EntryIdentity: mockapi.Whole, RefuseEmptyPatch: 405}))
	c := env.Core(t, nil)
	listed := func(sources ...string) acctest.Configs {
		list := map[string]any{}
		for _, source := range sources {
			list[source] = "office"
		}
		return onService(map[string]any{"ip_access_list": list})
	}
	c.Must(listed("10.0.0.0/8", "192.0.2.7"))
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
		service["ipAccessList"] = []any{
			mockapi.Object{"source": "10.0.0.0/8", "description": "office"}, mockapi.Object{"source": "192.0.2.7", "description": "private network"},
		}
	})
	c.Must(listed("10.0.0.0/8"))
	if got := env.AccessList(mockapi.Service, mockapi.ServiceID); len(got) != 1 {
		t.Errorf("the list is %v", got)
	}
}
