package adopt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// gadget is an object of the API.
type gadget struct {
	NumReplicas api.Value[int64] `json:"numReplicas,omitzero"`
}

// An API may list a role twice.
func TestSetOf(t *testing.T) {
	t.Parallel()
	if got := setOf([]string{"b", "a", "b"}); !got.Equal(set("a", "b")) {
		t.Errorf("%s", got)
	}
}

// Unknown sets no member. An attribute of a type that its member cannot have is a mistake
// in the code.
func TestObjectOf(t *testing.T) {
	t.Parallel()
	if object := objectOf[gadget](Attributes{"num_replicas": types.Int64Unknown()}); object.NumReplicas.IsKnown() {
		t.Errorf("%+v", object)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "num_replicas") || !strings.Contains(text, "gadget") {
			t.Errorf("the panic does not name attribute and object: %s", text)
		}
	}()
	objectOf[gadget](Attributes{"num_replicas": types.StringValue("3")})
}
