package provider

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// scaledPipes are pipes in one provider process, each with a core and a
// configuration of its own.
type scaledPipes struct {
	*acctest.Env
	core *acctest.Core
	ids  []string
}

func newScaledPipes(t *testing.T, env *acctest.Env, n int, settings map[string]any) *scaledPipes {
	t.Helper()
	return &scaledPipes{env, env.Core(t, settings), env.AddPipes(n)}
}

// scale adopts the scaling of a pipe.
func (p *scaledPipes) scale(t *testing.T, i int) error {
	t.Helper()
	c := p.core.Sibling()
	planned, err := c.Plan("pipe_scaling", c.Config("pipe_scaling", map[string]any{
		"service_id": mockapi.ServiceID, "pipe_id": p.ids[i], "replicas": 7,
	}))
	if err != nil {
		t.Fatal(err)
	}
	return c.Apply("pipe_scaling", planned)
}

// late has the responses of the next changes show old values, for this many
// reads.
func (p *scaledPipes) late(reads int) {
	if reads == 0 {
		p.SetVariants(mockapi.Variants{})
		return
	}
	p.SetVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: reads})
}

// An object that shows its new values after a while is waited for, also when
// another one was waited for without success.
func TestEachObjectIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := newScaledPipes(t, newEnv(t), 2, nil)
	p.late(1000)
	if err := p.scale(t, 0); err == nil {
		t.Error("an object that never shows its new values is adopted")
	}
	p.late(4)
	if err := p.scale(t, 1); err != nil {
		t.Errorf("the second object: %v", err)
	}
}

// Objects that never show their new values do not take the whole wait each,
// whatever those in between do.
func TestWaitsWithoutSuccessGetShort(t *testing.T) {
	t.Parallel()
	const stuck = 5
	p := newScaledPipes(t, newEnv(t), 2*stuck, nil)
	var first, last time.Duration
	for i := range stuck {
		p.late(1000)
		started := time.Now()
		if err := p.scale(t, 2*i); err == nil {
			t.Error("an object that never shows its new values is adopted")
		}
		last = time.Since(started)
		if i == 0 {
			first = last
		}
		p.late(0)
		if err := p.scale(t, 2*i+1); err != nil {
			t.Error(err)
		}
	}
	if last > first/2 {
		t.Errorf("object %d without success was waited for for %s, the first for %s", stuck, last, first)
	}
}

// What ends a wait is what the error is about.
func TestWaitThatEndsEarly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault func(t *testing.T, co *acctest.Core, rw http.ResponseWriter, c acctest.Call)
		says  []string
	}{
		"interrupted": {interrupt, []string{"interrupt"}},
		"a read that fails": {
			func(_ *testing.T, _ *acctest.Core, rw http.ResponseWriter, c acctest.Call) { c.Fail(rw, 403) },
			[]string{acctest.ErrorText, acctest.ErrorRequestID},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var co *acctest.Core
			var written, over atomic.Bool
			env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
				if c.Operation == "scalePipe" {
					written.Store(true)
				}
				if c.Operation != "getPipe" || !written.Load() || over.Load() {
					return false
				}
				test.fault(t, co, rw, c)
				return true
			}, mockapi.WithVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: 3}))
			co = env.Core(t, nil)
			config := acctest.Configs{"pipe_scaling": {"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "replicas": 7}}
			_, err := co.Run(config)
			if err == nil {
				t.Fatal("no error")
			}
			for _, words := range test.says {
				if !strings.Contains(strings.ToLower(err.Error()), words) {
					t.Errorf("%q is not in: %v", words, err)
				}
			}
			over.Store(true)
			for range 3 {
				co.Must(config)
			}
			co.ExpectNoChanges(config)
		})
	}
}

// Some objects whose writes fail do not keep the others from being written,
// one after the other as they are.
func TestBreakerSparesHealthyObjects(t *testing.T) {
	t.Parallel()
	const n = 12
	fails := func(i int) bool { return i%6 == 1 || i%6 == 2 }
	p := newScaledPipes(t, newEnv(t), n, map[string]any{"max_retries": 2})
	for i, id := range p.ids {
		if fails(i) {
			p.Fail(mockapi.Fault{Operation: "scalePipe", ID: id, Status: 500, Body: acctest.ErrorBody})
		}
	}
	for i, id := range p.ids {
		err := p.scale(t, i)
		if fails(i) {
			if err == nil || !strings.Contains(err.Error(), "500") {
				t.Errorf("pipe %d, whose writes fail: %v", i, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("pipe %d: %v", i, err)
		}
		if replicas := p.Object(mockapi.Pipe, id)["scaling"].(mockapi.Object)["replicas"]; replicas != int64(7) {
			t.Errorf("pipe %d has %v replicas", i, replicas)
		}
	}
}
