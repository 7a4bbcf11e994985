//go:build unix

package provider

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Ctrl-C reaches Terraform and the provider. The next apply completes the run.
func TestInterruptInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	remove := env.Fail(mockapi.Fault{Operation: "scalePipe", Kind: mockapi.FaultHang, AfterActing: true})
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5")+settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 5"))
	command, out := tf.Command("apply", "-auto-approve"), &bytes.Buffer{}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as in a shell
	command.WaitDelay = 10 * time.Second                      // a child that outlives it keeps its output open
	command.Stdout, command.Stderr = out, out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for len(env.Sent("scalePipe")) == 0 {
		select {
		case err := <-ended:
			t.Fatalf("it ended before the interrupt: %v\n%s", err, out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := syscall.Kill(-command.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the apply succeeded")
	}
	// If the interrupt did not end the request, its timeout would, and the error would say so.
	acctest.Contains(t, out.String(), "Interrupt received", "Unable to adopt pipe scaling", "interrupted")
	acctest.Lacks(t, out.String(), "panic:", "plugin crashed", "plugin did not respond")
	if n := len(env.Sent("scalePipe")); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
	remove()
	acctest.Lacks(t, tf.Apply(), "tainted", "replaced")
	tf.ExpectNoChanges()
}
