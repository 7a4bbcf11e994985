// Command terraform-provider-dbplatform serves the Terraform provider for the
// management API of a hosted database platform.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	runtimedebug "runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/provider"
)

// version is set by the linker when a release is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger and print what Terraform needs to attach to this process")
	printVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *printVersion {
		fmt.Fprintln(os.Stdout, "terraform-provider-dbplatform "+version)
		return
	}

	// net/http logs unexpected bytes after a response, unmasked.
	log.SetOutput(io.Discard)

	// The framework writes a TRACE log of its own even if no log is enabled,
	// which costs 17 % of the CPU time of a large plan.
	if !provider.LogIsOn() {
		_ = os.Setenv("TF_LOG_SDK", "off")
	}

	// A provider runs for seconds. Collecting garbage less often saves a fifth of the
	// CPU time of a large plan. It may use 1.7 times the memory.
	if os.Getenv("GOGC") == "" {
		runtimedebug.SetGCPercent(400)
	}

	var options []tf6server.ServeOpt
	if *debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve("registry.terraform.io/dbplatform/dbplatform", provider.NewServer(version), options...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
