package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const (
	importOfNone = `
import {
  to = dbplatform_pipe_scaling.none
  id = "` + mockapi.ServiceID + "/" + mockapi.ServiceID + `"
}
`
	importOfMany = `
import {
  for_each = toset(["` + mockapi.ServiceID + "/" + mockapi.KafkaPipeID + `"])

  to = dbplatform_pipe_scaling.many[each.key]
  id = each.key
}
`
)

// provocations bring about the messages of the CLI that the guide explains. Each
// answers what the CLI prints.
var provocations = map[string]func(*world, *cli) string{
	"Cannot import non-existent remote object": func(_ *world, tf *cli) string {
		write(tf.t, filepath.Join(tf.dir, "import.tf"), importOfNone)
		return tf.fails("plan", "-generate-config-out=generated.tf")
	},
	"Target generated file already exists": func(_ *world, tf *cli) string {
		write(tf.t, filepath.Join(tf.dir, "import.tf"), importOfNone)
		write(tf.t, filepath.Join(tf.dir, "generated.tf"), "")
		return tf.fails("plan", "-generate-config-out=generated.tf")
	},
	"Configuration generation for count and for_each resources not supported": func(_ *world, tf *cli) string {
		write(tf.t, filepath.Join(tf.dir, "import.tf"), importOfMany)
		return tf.fails("plan", "-generate-config-out=generated.tf")
	},
	"Resource already managed by Terraform": func(_ *world, tf *cli) string {
		tf.must("apply", "-auto-approve")
		return tf.fails("import", keyAddress, mockapi.APIKeyID)
	},
	`resource address "…" does not exist in the configuration`: func(_ *world, tf *cli) string {
		return tf.fails("import", "dbplatform_api_key.unknown", mockapi.APIKeyID)
	},
	"Failed to query available provider packages": func(_ *world, tf *cli) string {
		tf.mirror()
		return tf.fails("init")
	},
	"Failed to install provider": func(_ *world, tf *cli) string {
		address, folder := tf.mirror()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			tf.t.Fatal(err)
		}
		write(tf.t, filepath.Join(folder, "terraform-provider-dbplatform"), "another build")
		write(tf.t, filepath.Join(tf.dir, ".terraform.lock.hcl"),
			fmt.Sprintf("provider %q {\n  version = \"0.1.0\"\n  hashes  = [\"h1:%s=\"]\n}\n", address, strings.Repeat("A", 43)))
		out := tf.fails("init")
		says(tf.t, out, "doesn't match any of the checksums")
		return out
	},
	"Check block assertion failed": func(w *world, tf *cli) string {
		return tf.looksUp(w, "")
	},
	"Module output value precondition failed": func(w *world, tf *cli) string {
		return tf.looksUp(w, "require_backup = true")
	},
}

// fails is run for what has to fail.
func (tf *cli) fails(args ...string) string {
	tf.t.Helper()
	out, code := tf.run(args...)
	if code == 0 {
		tf.t.Errorf("terraform %v succeeded:\n%s", args, out)
	}
	return out
}

// mirror has the CLI install the provider from a folder alone. It answers the
// provider's address, and the folder that its files go into.
func (tf *cli) mirror() (address, folder string) {
	tf.t.Helper()
	root := tf.t.TempDir()
	rc := filepath.Join(root, "cli.tfrc")
	write(tf.t, rc, fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", root))
	tf.env = append(tf.env, "TF_CLI_CONFIG_FILE="+rc)
	address = "registry.terraform.io/dbplatform/dbplatform"
	if tf.isOpenTofu() {
		address = "registry.opentofu.org/dbplatform/dbplatform"
	}
	return address, filepath.Join(root, filepath.FromSlash(address), "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
}

// looksUp plans the look-up of a service without a backup.
func (tf *cli) looksUp(w *world, arguments string) string {
	tf.t.Helper()
	example := w.copyOfExamples(tf.t, "examples/modules")
	example.configure(requirement + w.provider() +
		fmt.Sprintf("module \"sandbox\" {\n  source     = \"./overview\"\n  service_id = %q\n  %s\n}\n", mockapi.OtherServiceID, arguments))
	example.must("get")
	out, _ := example.run("plan")
	return out
}

func (tf *cli) isOpenTofu() bool {
	tf.t.Helper()
	return strings.Contains(tf.must("version"), "OpenTofu")
}

// The CLI says what the guide quotes, OpenTofu under its own name.
func TestMessagesOfTheCLI(t *testing.T) {
	t.Parallel()
	for heading, provoke := range provocations {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tf := w.cli(t, keyConfig(mockapi.APIKeyID, ""))
			want := regexp.QuoteMeta(heading)
			switch {
			case tf.isOpenTofu():
				want = strings.ReplaceAll(want, "Terraform", "OpenTofu")
			case strings.Contains(heading, "for_each"):
				want = "Invalid import 'to' expression|Cannot generate configuration"
			}
			if out := provoke(w, tf); !regexp.MustCompile(strings.ReplaceAll(want, "…", ".*")).MatchString(flat(out)) {
				t.Errorf("the CLI says:\n%s", out)
			}
		})
	}
}
