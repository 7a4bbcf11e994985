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
		"asked to come back":     fault(503, "Retry-After", "30"),
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

// populate adds as many objects of each kind as n says, and returns a resource
// for each of them: two for a pipe.
func populate(env *acctest.Env, n int) []acctest.Configs {
	copied := func(kind mockapi.Kind, id string) mockapi.Object {
		object := env.Object(kind, id)
		delete(object, "id")
		return object
	}
	list := map[string]any{"10.0.0.0/8": "", "203.0.113.9": "office", "198.51.100.7": ""}
	var all []acctest.Configs
	for range n {
		pipe := env.AddPipe(mockapi.ServiceID, copied(mockapi.Pipe, mockapi.KafkaPipeID))
		all = append(all,
			acctest.Configs{"pipe_scaling": {"service_id": mockapi.ServiceID, "pipe_id": pipe, "replicas": 7}},
			acctest.Configs{"pipe_settings": {"service_id": mockapi.ServiceID, "pipe_id": pipe, "db_max_threads": 33}},
			acctest.Configs{"service": {
				"service_id": env.AddService(copied(mockapi.Service, mockapi.ServiceID)), "name": "Changed", "ip_access_list": list,
			}},
			acctest.Configs{"api_key": {
				"key_id": env.AddKey(copied(mockapi.Key, mockapi.APIKeyID)), "name": "Changed", "ip_access_list": list, "on_destroy": "keep",
			}},
		)
	}
	return all
}

// expectPopulation checks that the API has what resources of populate set.
func expectPopulation(t *testing.T, env *acctest.Env, resources []acctest.Configs) {
	t.Helper()
	for _, resource := range resources {
		for kind, config := range resource {
			var got any
			switch kind {
			case "pipe_scaling":
				got = env.Object(mockapi.Pipe, config["pipe_id"].(string))["scaling"].(mockapi.Object)["replicas"]
			case "pipe_settings":
				got = env.Object(mockapi.Pipe, config["pipe_id"].(string))["settings"].(mockapi.Object)["db_max_threads"]
			case "service":
				object := env.Object(mockapi.Service, config["service_id"].(string))
				got = fmt.Sprint(object["name"], listOf(object))
			case "api_key":
				object := env.Object(mockapi.Key, config["key_id"].(string))
				got = fmt.Sprint(object["name"], listOf(object))
			}
			const named = "Changed[10.0.0.0/8  198.51.100.7/32  203.0.113.9/32 office]"
			want := map[string]any{"pipe_scaling": int64(7), "pipe_settings": int64(33), "service": named, "api_key": named}
			if got != want[kind] {
				t.Errorf("%s %v has %v, not %v", kind, config, got, want[kind])
			}
		}
	}
}

// A Terraform or a provider that is killed in the middle of an apply leaves
// something that the next apply completes.
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

// What Terraform calls in the instant after it has stopped the provider ends at
// once. Under a debugger, the same server serves the next run.
func TestStopped(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil)
		c := env.Core(t, nil)
		config := onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})
		planned, err := c.Plan("pipe_scaling", c.Config("pipe_scaling", config))
		if err != nil {
			t.Fatal(err)
		}
		stop(t, c.Server)
		remove := env.Fail(fault(429, "Retry-After", "30"))
		env.ResetRequests()
		stopped := time.Now()
		acctest.Contains(t, fmt.Sprint(c.Apply("pipe_scaling", planned)), "interrupted")
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
