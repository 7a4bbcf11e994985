package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Two blocks of one provider block that adopt one object undo each other's
// changes. The plan warns of it once; another object or kind is none of it.
func TestAdoptedTwice(t *testing.T) {
	t.Parallel()
	one := newEnv(t).Core(t, nil)
	for _, block := range []struct {
		kind, pipe string
		warnings   int // in all
	}{
		{"pipe_scaling", mockapi.KafkaPipeID, 0},
		{"pipe_settings", mockapi.KafkaPipeID, 0},
		{"pipe_scaling", mockapi.KinesisPipeID, 0},
		{"pipe_scaling", mockapi.KafkaPipeID, 1},
	} {
		c := one.Sibling()
		c.Warnings = nil
		if _, err := c.Plan(block.kind, c.Config(block.kind, onPipe(block.pipe, nil))); err != nil {
			t.Fatal(err)
		}
		if found := warned(c, "Managed twice: pipe scaling …1111"); len(found) != block.warnings {
			t.Errorf("%s of %s: %q", block.kind, block.pipe, found)
		}
	}
}
