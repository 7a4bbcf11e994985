package main

import (
	"fmt"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A dialect is how resources for pipes are written with one provider.
type dialect struct {
	provider string
	// resource is a block for n pipes; its verbs are a name, n, what names a pipe,
	// and one attribute more.
	resource string
}

var (
	builtin = dialect{
		resource: `
resource "terraform_data" %[1]q {
  count = %[2]d
  input = {
    service_id = %[3]q
    pipe_id    = %[4]s
    %[5]s
  }
}
`,
	}
	empty = dialect{
		provider: "empty",
		resource: `
resource "empty_thing" %[1]q {
  count      = %[2]d
  service_id = %[3]q
  pipe_id    = %[4]s
  replicas   = 3
}
`,
	}
	dbplatform = dialect{
		provider: "dbplatform",
		resource: `
resource "dbplatform_pipe_%[1]s" %[1]q {
  count      = %[2]d
  service_id = %[3]q
  pipe_id    = %[4]s
  %[5]s
}
`,
	}
)

// pipeID is the id of one of the pipes of [mockapi.Server.AddPipes]. A list of
// them, for for_each or to index, would be evaluated again for each instance, and
// at a thousand of them Terraform would do little else.
const pipeID = `format("55555555-5555-4555-8555-%012d", count.index + 1)`

// pipes is the configuration of a scaling and of settings for each of n pipes.
func (d dialect) pipes(n int) string {
	return requirement(d.provider) +
		fmt.Sprintf(d.resource, "scaling", n, mockapi.ServiceID, pipeID, "replicas = 3") +
		fmt.Sprintf(d.resource, "settings", n, mockapi.ServiceID, pipeID, "db_max_threads = 5")
}

// lookedUp is that of [dialect.pipes] with a look-up of each pipe, and with
// replicas of the first that a variable changes.
func lookedUp(n int) string {
	config := strings.Replace(dbplatform.pipes(n), "replicas = 3", "replicas = count.index < var.changed ? 4 : 3", 1)
	return config + fmt.Sprintf(`
variable "changed" {
  default = 0
}

data "dbplatform_pipe" "all" {
  count      = %d
  service_id = %q
  pipe_id    = %s
}
`, n, mockapi.ServiceID, pipeID)
}

// The access list of data.json.
var (
	listInData = requirement("") + `
resource "terraform_data" "list" {
  input = tomap(jsondecode(file("${path.module}/data.json")))
}
`
	listInService = requirement("dbplatform") + `
resource "dbplatform_service" "list" {
  service_id     = "` + mockapi.ServiceID + `"
  ip_access_list = tomap(jsondecode(file("${path.module}/data.json")))
}
`
)

// addresses are n entries of an access list.
func addresses(n int) map[string]string {
	list := make(map[string]string, n)
	for i := range n {
		list[fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)] = fmt.Sprintf("office %d", i)
	}
	return list
}

// requirement says which provider a configuration needs, if any.
func requirement(provider string) string {
	if provider == "" {
		return ""
	}
	return fmt.Sprintf(`
terraform {
  required_providers {
    %[1]s = { source = "dbplatform/%[1]s" }
  }
}
`, provider)
}

// remoteState keeps the state at TF_HTTP_ADDRESS. A local one Terraform writes
// whole after each resource, which at a hundred of them takes longer than all
// else in an apply, and at a thousand nearly all of the time.
const remoteState = `
terraform {
  backend "http" {}
}
`
