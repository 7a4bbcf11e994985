package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// scaledPipes are pipes in one provider process, each with a state of its own.
type scaledPipes struct {
	*acctest.Env
	core *acctest.Core
	ids  []string
}

func newScaledPipes(t *testing.T, n int, settings map[string]any) *scaledPipes {
	t.Helper()
	env := underTest.NewVirtualEnv(nil)
	return &scaledPipes{env, env.Core(t, settings), env.AddPipes(n)}
}

// scale adopts the scaling of a pipe.
func (p *scaledPipes) scale(t *testing.T, i int) error {
	t.Helper()
	c := p.core.Sibling()
	planned, err := c.Plan("pipe_scaling", c.Config("pipe_scaling", onPipe(p.ids[i], map[string]any{"replicas": 7})))
	if err != nil {
		t.Fatal(err)
	}
	return c.Apply("pipe_scaling", planned)
}

// showOld has the responses to the next changes show old values for this many
// reads.
func (p *scaledPipes) showOld(reads int) {
	if reads == 0 {
		p.SetVariants(mockapi.Variants{})
		return
	}
	p.SetVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: reads})
}

const manyReads = 1000

// An object that shows its new values after a while is waited for, also after
// another one was waited for without success.
func TestEachObjectIsWaitedFor(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		p := newScaledPipes(t, 2, nil)
		p.showOld(manyReads)
		acctest.Contains(t, fmt.Sprint(p.scale(t, 0)), "Change not confirmed by the API", "change to replicas but still returns 2")
		p.showOld(4)
		if err := p.scale(t, 1); err != nil {
			t.Errorf("the second object: %v", err)
		}
	})
}

// Objects that never show their new values do not take the whole wait each.
// One that was waited for with success ends that.
func TestWaitsWithoutSuccessGetShort(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		p := newScaledPipes(t, 13, nil)
		n := 0
		waitFor := func(reads int) time.Duration {
			p.showOld(reads)
			started := time.Now()
			if err := p.scale(t, n); (err == nil) != (reads < manyReads) {
				t.Errorf("after %d reads with old values: %v", reads, err)
			}
			n++
			return time.Since(started)
		}
		const long, short = 25 * time.Second, 6 * time.Second
		if first := waitFor(manyReads); first < long {
			t.Errorf("the first wait took %s", first)
		}
		for range 4 {
			waitFor(0)
			waitFor(manyReads)
		}
		if last := waitFor(manyReads); last > short {
			t.Errorf("the sixth wait took %s", last)
		}
		waitFor(3)
		if last := waitFor(manyReads); last < long {
			t.Errorf("the wait after one with success took %s", last)
		}
	})
}

// What ends a wait is what the error is about.
func TestWaitThatEndsEarly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault func(t *testing.T, co *acctest.Core, rw http.ResponseWriter, c acctest.Call)
		says  []string
	}{
		"interrupted":       {interrupt, []string{"interrupt"}},
		"a read that fails": {failWith(403), []string{acctest.ErrorText, acctest.ErrorRequestID}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				var co *acctest.Core
				written, over := false, false
				env := underTest.NewVirtualEnv(func(rw http.ResponseWriter, c acctest.Call) bool {
					written = written || c.Operation == "scalePipe"
					if c.Operation != "getPipe" || !written || over {
						return false
					}
					test.fault(t, co, rw, c)
					return true
				}, mockapi.WithVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: 3}))
				co = env.Core(t, nil)
				config := acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})}
				_, err := co.Run(config)
				acctest.Contains(t, strings.ToLower(fmt.Sprint(err)), test.says...)
				over = true
				for range 3 {
					co.Must(config)
				}
				co.ExpectNoChanges(config)
			})
		})
	}
}

// failWith responds with an error.
func failWith(status int) func(*testing.T, *acctest.Core, http.ResponseWriter, acctest.Call) {
	return func(_ *testing.T, _ *acctest.Core, rw http.ResponseWriter, c acctest.Call) { c.Fail(rw, status) }
}

// interrupt stops the provider while it waits for a response.
func interrupt(t *testing.T, co *acctest.Core, _ http.ResponseWriter, c acctest.Call) {
	t.Helper()
	stop(t, co.Server)
	<-c.Request.Context().Done()
	panic(http.ErrAbortHandler)
}
