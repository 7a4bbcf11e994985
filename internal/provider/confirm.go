package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// confirm holds an answer against what the configuration sets: every
// attribute must come back as asked. One that the answer leaves out counts as
// confirmed, because an answer may leave out anything.
func confirm(want, answer attributes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, name := range sortedNames(want) {
		asked, said := want[name], answer[name]
		if asked.IsNull() || said.IsUnknown() || equivalent(asked, said) {
			continue
		}
		diags.AddAttributeError(path.Root(name),
			"The API did not do what it was asked",
			fmt.Sprintf("The API accepted the change, but still reports %s = %s. "+
				"Either something else changes the object at the same time, or the platform does not allow this value here. "+
				"Plan again to see what it reports now.", name, describe(said)))
	}
	return diags
}
