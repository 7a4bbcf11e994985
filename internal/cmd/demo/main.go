// Command demo shows what the provider does: it drives a real Terraform or OpenTofu
// through the life of examples/complete, against a mock API, and checks every step.
// It writes only to a temporary folder, which it removes. Run it with make demo.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func main() {
	all := flag.Bool("v", false, "show all output of Terraform")
	flag.Parse()
	// The demo cleans up even if its terminal is closed or its output ends in `| head`.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	folder, err := os.MkdirTemp("", "dbplatform-demo-")
	if err != nil {
		log.Fatal(err)
	}
	mock := mockapi.New()
	server := httptest.NewServer(mock)
	env := append(os.Environ(),
		"TMPDIR="+folder, // what programs leave behind is removed, too
		"TF_CLI_ARGS=-no-color",
		"TF_CLI_ARGS_init=-plugin-dir=plugins", // nothing is downloaded
		"DBPLATFORM_BASE_URL="+server.URL,
		"DBPLATFORM_ORGANIZATION_ID="+mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID="+mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET="+mockapi.KeySecret,
		"TF_VAR_service_id="+mockapi.ServiceID,
		"TF_VAR_pipe_id="+mockapi.KafkaPipeID,
		"TF_VAR_api_key_id="+mockapi.OtherAPIKeyID)
	execute := func(program string, args ...string) (output string, exitCode int) {
		command := exec.CommandContext(ctx, program, args...)
		command.Env = env
		// Unlike a killed Terraform, an interrupted one ends its provider.
		command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
		command.WaitDelay = 10 * time.Second
		text, _ := command.CombinedOutput()
		return string(text), command.ProcessState.ExitCode()
	}

	d := &demo{mock: mock, execute: execute, cli: os.Getenv("TERRAFORM"), folder: folder, all: *all, title: "0. Start"}
	d.play()
	if ctx.Err() != nil {
		d.failure = errors.New("it was interrupted")
	}
	stop()
	if err := errors.Join(d.failure, os.RemoveAll(folder)); err != nil {
		fmt.Fprintln(os.Stderr, "\nThe demo failed:", err)
		os.Exit(1)
	}
}

// A demo tells its story up to the first failure.
type demo struct {
	mock    *mockapi.Server
	execute func(program string, args ...string) (output string, exitCode int)
	cli     string // a name or a path
	folder  string // that the CLI works in
	all     bool   // shows all output of the CLI

	title   string // of this step
	seen    int    // requests before it
	failure error
}

func (d *demo) step(title, text string) {
	d.title = title
	d.print("", "\n"+title)
	d.print("   ", strings.ReplaceAll(strings.TrimSpace(text), "\t", ""))
}

// write writes a file of the configuration, and shows it.
func (d *demo) write(name, text string) {
	d.print("     ", text)
	err := os.WriteFile(filepath.Join(d.folder, name), []byte(text), 0o600)
	d.must(err == nil, "%v", err)
}

// run runs a command of the CLI. It has to end with this exit code, 2 for a plan with
// changes, and the API has to receive these updates: for each operation the body, as JSON.
func (d *demo) run(command string, exitCode int, updates map[string]string) (output string) {
	d.print("", "\n   $ "+filepath.Base(d.cli)+" "+command)
	if d.failure != nil {
		return ""
	}
	output, code := d.execute(d.cli, append([]string{"-chdir=" + d.folder}, strings.Fields(command)...)...)
	shown := output
	if code == exitCode && !d.all {
		kept := telling.FindAllString(output, -1)
		shown = fmt.Sprintf("%s\n[%d lines cut]", strings.Join(kept, "\n"), strings.Count(output, "\n")-len(kept))
	}
	d.print("     ", shown)
	d.must(code == exitCode, "the command ended with exit code %d instead of %d", code, exitCode)
	d.received(updates)
	return output
}

// telling matches the lines of the CLI that say what happens.
var telling = regexp.MustCompile(`(?m)^(No changes|Plan:|Apply|Destroy|Warning: (Adoption|Destroy)|\w+ has been successfully|  # \S+ will be | +~ \w+ += ).*$`)

// received shows the updates that the API received in this step, and checks them.
func (d *demo) received(want map[string]string) {
	requests, updates := d.mock.Requests()[d.seen:], 0
	d.seen += len(requests)
	for _, request := range requests {
		if request.Writes() {
			updates++
			d.print("   ", fmt.Sprintf("→ %s %s %s", request.Method, request.ShortPath(), request.Body))
			d.must(mockapi.SameJSON(string(request.Body), want[request.Operation]), "the configuration does not ask for this update")
			delete(want, request.Operation)
		}
	}
	d.check(len(want) == 0, "updates: %d, as expected; reads: %d", updates, len(requests)-updates)
}

// check makes a claim, and ends the demo if it does not hold.
func (d *demo) check(holds bool, claim string, args ...any) {
	claim = fmt.Sprintf(claim, args...)
	d.must(holds, "this is not true: %s", claim)
	d.print("   ", "✓ "+claim)
}

// must ends the demo if a condition does not hold.
func (d *demo) must(holds bool, problem string, args ...any) {
	if !holds && d.failure == nil {
		d.failure = fmt.Errorf(d.title+": "+problem, args...)
	}
}

// print prints the lines of a text, indented.
func (d *demo) print(indent, text string) {
	for line := range strings.Lines(text) {
		if d.failure == nil {
			fmt.Println(strings.TrimRight(indent+line, " \n"))
		}
	}
}
