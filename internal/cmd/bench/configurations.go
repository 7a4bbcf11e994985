package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A dialect is how one world writes a resource: its first line, the ids of a
// pipe, and one more attribute.
type dialect struct {
	requirement string
	// resource has the place of the type (scaling, settings), and of what is set.
	resource string
}

var (
	builtin = dialect{
		resource: `
resource "terraform_data" "%[1]s" {
  for_each = local.pipes
  input = {
    service_id = %[3]q
    pipe_id    = each.key
    %[2]s
  }
}
`,
	}
	emptyProvider = dialect{
		requirement: requirement("empty"),
		resource: `
resource "empty_thing" "%[1]s" {
  for_each   = local.pipes
  service_id = %[3]q
  pipe_id    = each.key
  replicas   = 3
}
`,
	}
	dbplatform = dialect{
		requirement: requirement("dbplatform"),
		resource: `
resource "dbplatform_pipe_%[1]s" "%[1]s" {
  for_each   = local.pipes
  service_id = %[3]q
  pipe_id    = each.key
  %[2]s
}
`,
	}
)

func requirement(provider string) string {
	return fmt.Sprintf(`terraform {
  required_providers {
    %[1]s = { source = "dbplatform/%[1]s" }
  }
}
`, provider)
}

// pipesIn is the configuration of a scaling and of settings for each pipe of
// data.json.
func pipesIn(d dialect) string {
	var text strings.Builder
	text.WriteString(d.requirement)
	text.WriteString(`
locals {
  pipes = toset(jsondecode(file("${path.module}/data.json")))
}
`)
	for _, resource := range [][2]string{{"scaling", "replicas = 3"}, {"settings", "db_max_threads = 5"}} {
		fmt.Fprintf(&text, d.resource, resource[0], resource[1], mockapi.ServiceID)
	}
	return text.String()
}

// pipeIDs are the ids of the pipes that an API with n of them has.
func pipeIDs(n int) string {
	ids := mockapi.New().AddPipes(n)
	text, err := json.Marshal(ids)
	if err != nil {
		panic(err) // strings always can be
	}
	return string(text)
}
