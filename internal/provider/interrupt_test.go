//go:build unix

package provider

import (
	"bytes"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// start starts the CLI in a process group of its own, as a shell does.
func start(t *testing.T, tf *acctest.CLI, args ...string) (command *exec.Cmd, out *bytes.Buffer) {
	t.Helper()
	command = tf.Command(args...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.WaitDelay = 10 * time.Second // a child that outlives it keeps its output open
	out = &bytes.Buffer{}
	command.Stdout, command.Stderr = out, out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, out
}

// until waits for something to come true, at most a minute.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// Ctrl-C ends a run, whatever a request is doing.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockapi.Fault{
		"waiting for a response": {Kind: mockapi.FaultHang, AfterActing: true},
		"between two attempts":   {Kind: mockapi.FaultReset},
		"waiting for the limit":  fault(429, "Retry-After", "30"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5")+settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 5"))
			fault.Operation = "scalePipe"
			remove := env.Fail(fault)
			command, out := start(t, tf, "apply", "-auto-approve")
			attempts := 1
			if fault.Kind == mockapi.FaultReset {
				attempts = 4 // the pause after that is two seconds at the least
			}
			until(t, "the write", func() bool { return len(env.Sent("scalePipe")) >= attempts })
			interrupted := time.Now()
			if err := syscall.Kill(-command.Process.Pid, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			err := command.Wait()
			// Two seconds, and what a busy machine adds.
			if took := time.Since(interrupted); took > 10*time.Second {
				t.Errorf("it took %s to end", took)
			}
			if err == nil {
				t.Errorf("the apply succeeded:\n%s", out)
			}
			acctest.Contains(t, out.String(), "Interrupt received", "Unable to adopt pipe scaling", "interrupted")
			acctest.Lacks(t, out.String(), "panic:", "plugin crashed", "plugin did not respond")
			remove()
			acctest.Lacks(t, tf.Apply(), "tainted", "replaced")
			tf.ExpectNoChanges()
		})
	}
}

// A Terraform that is killed together with its provider in the middle of an apply
// leaves something that the next apply completes. It is killed while each of its
// workers waits for a response: a file that Terraform was writing would be cut.
func TestKilled(t *testing.T) {
	t.Parallel()
	const n, workers = 20, 4
	env := newEnv(t)
	env.AddPipes(n)
	tf := env.CLI(t, manyPipes(n))
	remove := env.Fail(mockapi.Fault{Operation: "scalePipe", Skip: n / 2, Kind: mockapi.FaultHang, AfterActing: true})
	command, out := start(t, tf, "apply", "-auto-approve", "-target=dbplatform_pipe_scaling.all", fmt.Sprintf("-parallelism=%d", workers))
	until(t, "half of the writes", func() bool { return len(env.Sent("scalePipe")) == n/2+workers })
	if err := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Errorf("the apply succeeded:\n%s", out)
	}
	remove()
	acctest.Lacks(t, tf.Apply(), "tainted", "replaced")
	tf.ExpectNoChanges()
}

// What Terraform calls in the instant after it has stopped the provider ends at
// once. Under a debugger, the same server serves the next run.
func TestStopped(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil)
		c := env.Core(t, nil)
		planned := c.MustPlan(acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})})["pipe_scaling"]
		stop(t, c.Server)
		remove := env.Fail(fault(429, "Retry-After", "30"))
		env.ResetRequests()
		stopped := time.Now()
		acctest.Contains(t, fmt.Sprint(c.Apply("pipe_scaling", planned)), "The run was interrupted. Apply again")
		if sent, took := len(env.Requests()), time.Since(stopped); sent > 0 || took > 0 {
			t.Errorf("it took %d requests and %s", sent, took)
		}
		remove()
		env.Configure(t, c.Server, nil)
		if err := c.Apply("pipe_scaling", planned); err != nil {
			t.Errorf("the next run: %v", err)
		}
	})
}
