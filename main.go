// Command terraform-provider-dbplatform serves the Terraform provider for the
// management API of a hosted database platform.
package main

import (
	"flag"
	"fmt"
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

	// The framework writes its own TRACE log to stderr even when nobody
	// listens, and spends half of a plan on it. This has to be decided before
	// anything logs.
	if !provider.LogsWanted() {
		_ = os.Setenv("TF_LOG_SDK", "off")
	}

	// A provider lives for seconds, and most of what it allocates dies with the
	// call that needed it. Collecting that less often than Go does takes a sixth
	// off the CPU time of a plan, and stays at about the memory of an empty provider.
	if os.Getenv("GOGC") == "" {
		runtimedebug.SetGCPercent(400)
	}

	var options []tf6server.ServeOpt
	if *debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	err := tf6server.Serve("registry.terraform.io/dbplatform/dbplatform", provider.NewServer(version), options...)
	provider.EndRun()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
