package provider

import (
	"fmt"
	"net/http"
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

func newScaledPipes(t *testing.T, n int) *scaledPipes {
	t.Helper()
	env := underTest.NewVirtualEnv(nil)
	return &scaledPipes{env, env.Core(t, nil), env.AddPipes(n)}
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
// another one was waited for without success. Several that never do so do not take
// the whole wait each, until one was waited for with success.
func TestWaits(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		p := newScaledPipes(t, 14)
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
		waitFor(4)
		for range 4 {
			waitFor(0)
			waitFor(manyReads)
		}
		if last := waitFor(manyReads); last > short {
			t.Errorf("the wait after four without success took %s", last)
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
	for _, interrupted := range []bool{true, false} {
		underTest.InVirtualTime(t, func(t *testing.T) {
			var core *acctest.Core
			written, over := false, false
			env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
				written = written || c.Operation == "scalePipe"
				if c.Operation != "getPipe" || !written || over {
					return false
				}
				if interrupted {
					stop(t, core.Server)
					<-c.Request.Context().Done()
					panic(http.ErrAbortHandler)
				}
				c.Fail(w, http.StatusForbidden)
				return true
			}, mockapi.WithVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: 3}))
			core = env.Core(t, nil)
			config := acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})}
			_, err := core.Run(config)
			says := []string{acctest.ErrorText, acctest.ErrorRequestID}
			if interrupted {
				says = []string{"interrupted"}
			}
			acctest.Contains(t, fmt.Sprint(err), says...)
			over = true
			for range 3 {
				core.Must(config)
			}
			core.ExpectNoChanges(config)
		})
	}
}
