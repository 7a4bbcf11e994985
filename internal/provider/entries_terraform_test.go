package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// entryConfig is an entry of the access list, with more arguments.
func entryConfig(name, source, more string) string {
	return fmt.Sprintf("resource \"dbplatform_service_ip_access_entry\" %q {\n  service_id = %q\n  source     = %s\n  %s\n}\n", name, mockapi.ServiceID, source, more)
}

func movedBlock(from, to string) string {
	const kind = "dbplatform_service_ip_access_entry."
	return "moved {\n  from = " + kind + from + "\n  to   = " + kind + to + "\n}\n"
}

// What Terraform makes of blocks that change their address or are replaced: each plan
// fails before anything is sent, and the ways out that its error names work.
func TestEntryStoriesInTerraform(t *testing.T) {
	t.Parallel()
	const address = "dbplatform_service_ip_access_entry."
	env := newEnv(t)
	fails := func(tf *acctest.CLI, args ...string) {
		t.Helper()
		env.ResetRequests()
		out, code := tf.Run(append([]string{"plan"}, args...)...)
		if code != 1 {
			t.Errorf("%v ended with %d:\n%s", args, code, out)
		}
		acctest.Contains(t, out, "Error: "+existsAlready)
		acctest.Lacks(t, out, "may become empty")
		env.ExpectOnlyReads(t)
	}
	unchanged := func(tf *acctest.CLI, args ...string) {
		t.Helper()
		env.ResetRequests()
		acctest.Contains(t, tf.Apply(args...), "0 added, 0 changed, 0 destroyed")
		env.ExpectOnlyReads(t)
	}
	tf := env.CLI(t, entryConfig("old", `"203.0.113.9"`, `description = "mine"`))
	tf.Apply()

	// A new name.
	renamed := entryConfig("new", `"203.0.113.9"`, `description = "mine"`)
	tf.Configure(renamed)
	fails(tf)
	tf.Configure(renamed + movedBlock("old", "new"))
	unchanged(tf)

	// A replacement that is asked for, and a taint.
	fails(tf, "-replace="+address+"new")
	tf.Configure(renamed)
	tf.Must("taint", address+"new")
	fails(tf)
	tf.Must("untaint", address+"new")
	unchanged(tf)

	// Another alias.
	alias := strings.Replace(env.ProviderBlock(), "{", "{\n  alias = \"b\"", 1)
	aliased := alias + entryConfig("aliased", `"203.0.113.9"`, "provider = dbplatform.b")
	tf.Configure(aliased)
	fails(tf)
	tf.Configure(aliased + movedBlock("new", "aliased"))
	unchanged(tf)
	tf.Configure(alias + renamed + movedBlock("aliased", "new"))
	unchanged(tf)
	tf.Configure("")
	tf.Apply()

	// A count that shifts, and the keys of a for_each.
	list := func(sources string) string { return "locals {\n  all = " + sources + "\n}\n" }
	counted := entryConfig("all", "local.all[count.index]", "count = length(local.all)")
	tf.Configure(list(`["203.0.113.1", "203.0.113.2", "203.0.113.3"]`) + counted)
	tf.Apply()
	tf.Configure(list(`["203.0.113.2", "203.0.113.3"]`) + counted)
	fails(tf)
	keyed := entryConfig("all", "each.value", "for_each = local.all")
	tf.Configure(list(`{ a = "203.0.113.1", b = "203.0.113.2", c = "203.0.113.3" }`) + keyed +
		movedBlock("all[0]", `all["a"]`) + movedBlock("all[1]", `all["b"]`) + movedBlock("all[2]", `all["c"]`))
	unchanged(tf)
	tf.Configure(list(`{ z = "203.0.113.2", c = "203.0.113.3" }`) + keyed)
	fails(tf)
	tf.Configure(list(`{ z = "203.0.113.2", c = "203.0.113.3" }`) + keyed + movedBlock(`all["b"]`, `all["z"]`))
	acctest.Contains(t, tf.Apply(), "0 added, 0 changed, 1 destroyed")
	expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.2/32 ", "203.0.113.3/32 ")

	// An import that differs is a change.
	tf.Configure(list(`{ z = "203.0.113.2", c = "203.0.113.3" }`) + keyed + entryConfig("office", `"192.0.2.7"`, `description = "head office"`) +
		fmt.Sprintf("import {\n  to = %soffice\n  id = %q\n}\n", address, mockapi.ServiceID+"/192.0.2.7"))
	acctest.Contains(t, tf.Apply(), `"office" -> "head office"`, "1 imported, 0 added, 1 changed, 0 destroyed")

	// A block that is renamed stops a destroy, which plans everything first.
	tf.Configure(list(`{ y = "203.0.113.2", c = "203.0.113.3" }`) + keyed)
	if out, code := tf.Run("destroy", "-auto-approve"); code != 1 {
		t.Errorf("a destroy with a renamed block ended with %d:\n%s", code, out)
	}
	tf.Must("destroy", "-auto-approve", "-refresh=false")
	expectEntries(t, env, "10.0.0.0/8 private network")
}

// A source that is known only after apply, and is the same then, leaves a deposed object.
// What the page says gets rid of it.
func TestDeposedEntryInTerraform(t *testing.T) {
	t.Parallel()
	const address = "dbplatform_service_ip_access_entry.it"
	config := func(input int) string {
		return fmt.Sprintf("resource \"terraform_data\" \"it\" {\n  input = %d\n}\n", input) +
			entryConfig("it", `terraform_data.it.output > 0 ? "203.0.113.9" : ""`, "lifecycle {\n    create_before_destroy = true\n  }")
	}
	env := newEnv(t)
	tf := env.CLI(t, config(1))
	tf.Apply()
	tf.Configure(config(2))
	for _, command := range [][]string{{"apply", "-auto-approve"}, {"plan"}} {
		out, code := tf.Run(command...)
		acctest.Contains(t, out, "Error: "+existsAlready)
		if code != 1 {
			t.Errorf("%v ended with %d", command, code)
		}
	}
	tf.Must("state", "rm", address)
	tf.Must("import", address, mockapi.ServiceID+"/203.0.113.9")
	tf.ExpectNoChanges()
}
