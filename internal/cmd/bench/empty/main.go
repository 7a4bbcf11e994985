// Command empty serves a provider that does nothing: one resource of three
// attributes, whose life is to be copied from plan to state. What it costs is
// what any provider costs, and the floor beside which this one is measured.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
)

func main() {
	// As the real one does, or the floor would be high with the framework's own
	// logging.
	_ = os.Setenv("TF_LOG_SDK", "off")
	err := providerserver.Serve(context.Background(), newProvider, providerserver.ServeOpts{
		Address: "registry.terraform.io/dbplatform/empty",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
