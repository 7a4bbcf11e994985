package main

import "fmt"

// provider is what is measured, with two resources for each of a number of pipes.
type provider struct {
	name      string
	builtIn   bool   // into Terraform; there is no program
	resources string // HCL; the verbs are the number of pipes, the service id and a pipe id
}

var providers = []provider{terraformData, empty, dbplatform}

var terraformData = provider{name: "terraform_data", builtIn: true, resources: `
resource "terraform_data" "scaling" {
  count = %[1]d
  input = { service_id = %[2]q, pipe_id = %[3]s, replicas = 3 }
}

resource "terraform_data" "settings" {
  count = %[1]d
  input = { service_id = %[2]q, pipe_id = %[3]s, db_max_threads = 5 }
}
`}

var empty = provider{name: "empty", resources: `
resource "empty_pipe_scaling" "scaling" {
  count      = %[1]d
  service_id = %[2]q
  pipe_id    = %[3]s
  replicas   = 3
}

resource "empty_pipe_settings" "settings" {
  count          = %[1]d
  service_id     = %[2]q
  pipe_id        = %[3]s
  db_max_threads = 5
}
`}

var dbplatform = provider{name: "dbplatform", resources: `
resource "dbplatform_pipe_scaling" "scaling" {
  count      = %[1]d
  service_id = %[2]q
  pipe_id    = %[3]s
  replicas   = 3
}

resource "dbplatform_pipe_settings" "settings" {
  count          = %[1]d
  service_id     = %[2]q
  pipe_id        = %[3]s
  db_max_threads = 5
}
`}

// config is a configuration for n pipes, whose state is kept by [stateStore].
func (p provider) config(n int) string {
	requirement := ""
	if !p.builtIn {
		requirement = fmt.Sprintf("required_providers {\n    %s = { source = %q }\n  }", p.name, p.source())
	}
	return fmt.Sprintf("terraform {\n  backend \"http\" {}\n  %s\n}\n", requirement) +
		fmt.Sprintf(p.resources, n, serviceID, pipeID)
}

// source names the registry, because Terraform's and OpenTofu's defaults differ.
func (p provider) source() string { return "registry.terraform.io/dbplatform/" + p.name }
