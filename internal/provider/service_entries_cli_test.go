package provider

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// manyEntries is a configuration of n entries and a private endpoint.
func manyEntries(n int, network string) string {
	return fmt.Sprintf(`
resource "dbplatform_service_ip_access_entry" "all" {
  count       = %d
  service_id  = %[2]q
  source      = "%[3]s.${count.index}"
  description = "team %[3]s"
}

resource "dbplatform_service_private_endpoint" "one" {
  service_id          = %[2]q
  private_endpoint_id = "vpce-%[3]s"
}
`, n, mockapi.ServiceID, network)
}

// entriesIn counts the entries of the service in a network.
func entriesIn(env *acctest.Env, network string) int { return strings.Count(listsOf(env), network) }

// Two states that share a service, applied and destroyed at the same time, leave each
// other's entries alone, and those of nobody.
func TestEntriesOfTwoStates(t *testing.T) {
	t.Parallel()
	const n = 30
	env := newEnv(t)
	one, other := env.CLI(t, manyEntries(n, "10.1.0")), env.CLI(t, manyEntries(n, "10.2.0"))
	const each = 2*n + 1 // in source and description, and the endpoint
	for _, step := range []struct {
		command       []string // of one; other applies
		ones, nobodys int
	}{{[]string{"apply"}, each, 2}, {[]string{"destroy"}, 0, 2}, {[]string{"apply"}, each, 2}} {
		var running sync.WaitGroup
		running.Go(func() { one.Must(append(step.command, "-auto-approve")...) })
		running.Go(func() { other.Apply("-replace=dbplatform_service_ip_access_entry.all[0]") })
		running.Wait()
		if ones, others, nobodys := entriesIn(env, "10.1.0"), entriesIn(env, "10.2.0"), entriesIn(env, "office")+entriesIn(env, "private network"); ones != step.ones || others != each || nobodys != step.nobodys {
			t.Errorf("after %s: %d, %d and %d entries", step.command, ones, others, nobodys)
		}
		other.ExpectNoChanges()
	}
}

// The entries of a service cost one read in each walk, and one PATCH each.
func TestEntryRequests(t *testing.T) {
	t.Parallel()
	const n = 50
	env := newEnv(t)
	tf := env.CLI(t, manyEntries(n-1, "10.1.0"))
	for _, step := range []struct {
		args     []string
		requests int
	}{
		{[]string{"apply", "-auto-approve"}, n + 3}, {[]string{"plan", "-detailed-exitcode"}, 1}, {[]string{"destroy", "-auto-approve"}, n + 3},
	} {
		env.ResetRequests()
		tf.Must(step.args...)
		if requests := len(env.Requests()); requests == 0 || requests > step.requests {
			t.Errorf("%s sent %d requests, not %d", step.args, requests, step.requests)
		}
	}
	if left := entriesIn(env, "10.1.0"); left > 0 {
		t.Errorf("%d entries are left", left)
	}
}

func entryConfig(name, source, more string) string {
	return fmt.Sprintf("\nresource \"dbplatform_service_ip_access_entry\" %q {\n  service_id = %q\n  source = %s\n  %s\n}\n", name, mockapi.ServiceID, source, more)
}

// Under Terraform itself, a renamed block keeps its entry too.
func TestEntryIsRenamedByTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	for _, name := range []string{"m", "a", "z"} {
		for _, parallelism := range []string{"1", "10"} {
			tf.Configure(entryConfig(name+parallelism, `"203.0.113.9"`, ""))
			acctest.Lacks(t, tf.Apply("-parallelism="+parallelism), "Managed twice", "Removed by one of two blocks")
			expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 ")
			tf.ExpectNoChanges()
		}
	}
}

// A sensitive source and description are in nothing that a run prints or logs.
func TestEntryIsSensitive(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{AddExisting: mockapi.RefuseBadRequest}))
	setEntries(env, "203.0.113.9 old")
	tf := env.CLI(t, `
variable "entry" {
  sensitive = true
  default = { source = "203.0.113.9", description = "concealed words" }
}
`+entryConfig("hidden", "var.entry.source", "description = var.entry.description")+entryConfig("again", "var.entry.source", ""))
	tf.Setenv("TF_LOG=TRACE")
	out := tf.Must("plan")
	acctest.Contains(t, out, `Entry exists already in ip_access_list of service …1111: description (was "old")`, "Warning: Entry exists already with dbplatform", "Managed twice")
	out += tf.Fails("apply", "-auto-approve")
	acctest.Contains(t, out, "Unable to add access list entry of service …1111: bad request (400)", "*** is in the list already")
	env.SetVariants(mockapi.Variants{})
	tf.Configure("variable \"entry\" {\n  sensitive = true\n  default = { source = \"203.0.113.9\", description = \"concealed words\" }\n}\n" +
		entryConfig("hidden", "var.entry.source", "description = var.entry.description"))
	out += tf.Apply() + tf.Must("destroy", "-auto-approve")
	acctest.Contains(t, out, "Access list becomes empty: service …1111")
	acctest.Lacks(t, out, "203.0.113.9", "concealed words")
}

// The guide's way from the whole list to the entries of two states: nothing is sent, so
// no entry is missing at any time. Afterwards, each state has its own.
func TestEntriesInTheGuide(t *testing.T) {
	t.Parallel()
	const guide = "docs/guides/sharing-a-service.md"
	team, check := blocksWith(t, guide, "terraform", "import {", 1)[0], blocksWith(t, guide, "terraform", "check ", 1)[0]
	env := newEnv(t)
	one := env.CLI(t, serviceConfig(mockapi.ServiceID, "name = \"Orders\"\n  ip_access_list = { \"10.0.0.0/8\" = \"private network\", \"192.0.2.7\" = \"office\" }"))
	one.Apply()
	env.ResetRequests()
	one.Configure(serviceConfig(mockapi.ServiceID, `name = "Orders"`) + team)
	acctest.Contains(t, one.Apply(), "1 imported, 0 added, 0 changed, 0 destroyed")
	other := env.CLI(t, strings.Replace(team, `"10.0.0.0/8" = "private network"`, `"192.0.2.7" = "office"`, 1)+check)
	out := other.Apply()
	acctest.Contains(t, out, "1 imported, 0 added, 0 changed, 0 destroyed")
	acctest.Lacks(t, out, "open to everyone")
	env.ExpectOnlyReads(t)

	setEntries(env, "10.0.0.0/8 private network", "192.0.2.7 office", "0.0.0.0/0 ")
	acctest.Contains(t, other.Must("plan"), "The service is open to everyone.")
	other.Must("destroy", "-auto-approve")
	expectEntries(t, env, "0.0.0.0/0 ", "10.0.0.0/8 private network")
	one.ExpectNoChanges()

	// Back to the list: without the removed block, the entry would go.
	list := serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "private network", "0.0.0.0/0" = "" }`)
	one.Configure(list)
	acctest.Contains(t, one.Must("plan"), "Managed twice: ip_access_list of service …1111")
	removed := blocksWith(t, "docs/guides/destroying-resources.md", "terraform", "removed {", 1)[0]
	one.Configure(list + strings.Replace(removed, "dbplatform_pipe_scaling.events", "dbplatform_service_ip_access_entry.team", 1))
	env.ResetRequests()
	acctest.Lacks(t, one.Apply(), "Managed twice")
	env.ExpectOnlyReads(t)
	one.ExpectNoChanges()
}

// A removed block stops managing an entry, as the page of each resource shows.
func TestEntryIsForgotten(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"service_ip_access_entry", "service_private_endpoint"} {
		env := newEnv(t)
		tf := env.CLI(t, content(t, "examples/resources/dbplatform_"+page+"/resource.tf"))
		before := listsOf(env)
		tf.Apply()
		tf.Configure(blocksWith(t, "docs/resources/"+page+".md", "terraform", "removed {", 1)[0] + anyPipe)
		tf.Apply()
		if after := listsOf(env); after != before { // the entry was there before
			t.Errorf("%s: %s became %s", page, before, after)
		}
		acctest.Lacks(t, tf.Must("state", "list"), ".private", ".analytics")
	}
}
