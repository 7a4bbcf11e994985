//go:build unix

package provider

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What only whole runs of Terraform show.

// Two states that share a service, applied and destroyed at the same time, leave each
// other's entries alone, and those of nobody.
func TestEntriesOfTwoStates(t *testing.T) {
	t.Parallel()
	const n = 30
	entries := func(network, round string) string {
		return fmt.Sprintf(`
resource "dbplatform_service_ip_access_entry" "all" {
  count       = %d
  service_id  = %[2]q
  source      = "%[3]s.${count.index}"
  description = "team %[3]s %[4]s"
}
`, n, mockapi.ServiceID, network, round)
	}
	env := newEnv(t)
	one, other := env.CLI(t, entries("10.1.0", "")), env.CLI(t, "")
	for _, command := range []string{"apply", "destroy", "apply"} {
		other.Configure(entries("10.2.0", command))
		var running sync.WaitGroup
		running.Go(func() { one.Must(command, "-auto-approve") })
		running.Go(func() { other.Apply() })
		running.Wait()
		list, ones := listsOf(env), map[string]int{"apply": n, "destroy": 0}[command]
		if strings.Count(list, "team 10.1.0") != ones || strings.Count(list, "team 10.2.0 "+command) != n || !strings.Contains(list, "office") || !strings.Contains(list, "private network") {
			t.Errorf("after %s: %s", command, list)
		}
		other.ExpectNoChanges()
	}
}

// An API that changes one thing of a service at a time refuses all others meanwhile. One
// apply gets all changes through.
func TestBusyAPI(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusConflict, http.StatusLocked} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			var busy sync.Mutex
			var refused atomic.Int32
			env := underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
				switch {
				case !c.Writes():
					return false
				case !busy.TryLock():
					refused.Add(1)
					c.Fail(w, status)
					return true
				}
				defer busy.Unlock()
				time.Sleep(500 * time.Millisecond)
				c.Pass(w)
				return true
			})
			var config strings.Builder
			config.WriteString(scalingConfig(mockapi.KafkaPipeID, "replicas = 5") + settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 5"))
			for i := range 4 {
				fmt.Fprintf(&config, "resource %q \"e%d\" {\n service_id = %q\n source = \"203.0.113.%d\"\n}\n", "dbplatform_"+entryKind, i, mockapi.ServiceID, i)
			}
			fmt.Fprintf(&config, "resource \"dbplatform_service\" \"s\" {\n service_id = %q\n name = \"busy\"\n}\n", mockapi.ServiceID)
			tf := env.CLI(t, config.String())
			acctest.Contains(t, tf.Apply(), "7 added")
			if refused.Load() == 0 {
				t.Error("the API was never busy")
			}
			tf.ExpectNoChanges()
		})
	}
}

// Ctrl-C reaches Terraform and the provider. The next apply completes the run.
func TestInterruptOfTerraform(t *testing.T) {
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
	for deadline := time.Now().Add(time.Minute); len(env.Sent("scalePipe")) == 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	interrupted := time.Now()
	if err := syscall.Kill(-command.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := command.Wait()
	if took := time.Since(interrupted); err == nil || took > 10*time.Second { // two, and what a busy machine adds
		t.Errorf("it took %s to end: %v", took, err)
	}
	acctest.Contains(t, out.String(), "Interrupt received", "Unable to adopt pipe scaling", "interrupted")
	acctest.Lacks(t, out.String(), "panic:", "plugin crashed", "plugin did not respond")
	remove()
	acctest.Lacks(t, tf.Apply(), "tainted", "replaced")
	tf.ExpectNoChanges()
}
