//go:build unix

package provider

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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

// TestInterrupt: Ctrl-C ends a run, whatever a request is doing.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockapi.Fault{
		"waiting for an answer": {Kind: mockapi.FaultHang, AfterActing: true},
		"between two attempts":  {Kind: mockapi.FaultReset},
		"waiting for the limit": fault(429, "Retry-After", "30"),
		"told to come back":     fault(503, "Retry-After", "30"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5")+settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 5"))
			remove := env.Fail(withOperation(fault, "scalePipe"))
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
			if took := time.Since(interrupted); took > 5*time.Second {
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

func withOperation(f mockapi.Fault, operation string) mockapi.Fault {
	f.Operation = operation
	return f
}

// TestKilled: a Terraform or a provider that is killed in the middle of an
// apply leaves something that the next apply completes.
func TestKilled(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(*testing.T, *exec.Cmd){
		"Terraform and provider": func(t *testing.T, command *exec.Cmd) {
			t.Helper()
			if err := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		},
		"provider": func(t *testing.T, command *exec.Cmd) {
			t.Helper()
			killed := 0
			for _, pid := range childrenOf(t, command.Process.Pid) {
				if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
					killed++
				}
			}
			if killed == 0 {
				t.Error("there was no provider to kill")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			resources := populate(env, 20)
			tf := env.CLI(t, hcl(resources...))
			env.Latency(5 * time.Millisecond)
			command, out := start(t, tf, "apply", "-auto-approve")
			until(t, "half of the writes", func() bool { return len(env.Sent("scalePipe")) >= 10 })
			kill(t, command)
			if err := command.Wait(); err == nil {
				t.Errorf("the apply succeeded:\n%s", out)
			}
			env.Latency(0)
			acctest.Lacks(t, tf.Apply(), "tainted", "replaced")
			tf.ExpectNoChanges()
			expectPopulation(t, env, resources)
			env.ExpectNoDeletes(t)
		})
	}
}

// childrenOf are the processes that a process has started.
func childrenOf(t *testing.T, parent int) []int {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Skipf("ps: %v", err)
	}
	var children []int
	for line := range strings.Lines(string(out)) {
		var pid, ppid int
		if n, _ := fmt.Sscan(line, &pid, &ppid); n == 2 && ppid == parent && pid != os.Getpid() {
			children = append(children, pid)
		}
	}
	return children
}

// TestStopped: what Terraform calls in the instant after it has told the
// provider to stop ends at once, and under a debugger the same server serves the
// next run.
func TestStopped(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	server := env.Connect(t, nil)
	c := env.Core(t, nil)
	c.Connect = func() tfprotov6.ProviderServer { return server }
	c.Walk()
	config := map[string]any{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "replicas": 7}
	planned, err := c.Plan("pipe_scaling", c.Config("pipe_scaling", config))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	remove := env.Fail(fault(429, "Retry-After", "30"))
	seen, stopped := len(env.Requests()), time.Now()
	if err := c.Apply("pipe_scaling", planned); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("the apply: %v", err)
	}
	if sent := len(env.Requests()) - seen; sent > 0 {
		t.Errorf("%d requests were sent", sent)
	}
	if took := time.Since(stopped); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	remove()
	env.Configure(t, server, nil)
	c.ForgetAll()
	if _, err := c.Run(map[string]map[string]any{"pipe_scaling": config}); err != nil {
		t.Errorf("the next run: %v", err)
	}
}
