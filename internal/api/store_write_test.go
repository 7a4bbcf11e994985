package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// TestAnswerIsLaidOverWhatIsKnown: absent keeps, null replaces, and what was
// sent counts where the answer says nothing of it.
func TestAnswerIsLaidOverWhatIsKnown(t *testing.T) {
	t.Parallel()
	talk := converse(t,
		says(ok(`{"name":"orders","state":"running","scaling":{"replicas":2,"concurrency":5,"replicaMemoryGb":1},"settings":{"db_max_threads":4,"x":1}}`)),
		says(ok(`{"state":null,"scaling":{"concurrency":null},"settings":{"x":2}}`)),
	)
	c := withoutNetwork(t, talk.answer)
	before := readPipe(t, c)
	was := asJSON(t, before)
	after, err := c.ScalePipe(t.Context(), serviceID, pipeID, replicas(3))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, after, `{"name":"orders","state":null,"scaling":{"replicas":3,"concurrency":null,"replicaMemoryGb":1},"settings":{"db_max_threads":4,"x":2}}`)
	if readPipe(t, c) != after {
		t.Error("the write's answer does not serve reads")
	}
	if asJSON(t, before) != was {
		t.Errorf("what was handed out before changed to %s", asJSON(t, before))
	}
	talk.expect(getPipe(), scalePipe(`{"replicas":3}`))
}

func TestAnswerContradictsWhatWasSent(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{"scaling":{"replicas":1}}`)), says(ok(`{"scaling":{"replicas":2}}`)))
	c := withoutNetwork(t, talk.answer)
	readPipe(t, c)
	after, err := c.ScalePipe(t.Context(), serviceID, pipeID, replicas(3))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, after, `{"scaling":{"replicas":2}}`)
}

func TestSparseAnswerIsNoWholeObject(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{}`)), says(ok(`{"name":"orders","scaling":{"replicas":3}}`)))
	c := withoutNetwork(t, talk.answer)
	got, err := c.ScalePipe(t.Context(), serviceID, pipeID, replicas(3))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `{"scaling":{"replicas":3}}`)
	if p := readPipe(t, c); p.Name != ValueOf("orders") {
		t.Error("the answer of a write that nothing was known before was taken for the whole")
	}
	talk.expect(scalePipe(`{"replicas":3}`), getPipe())
}

func TestWriteOfUnknownOutcomeForgets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		answer  stub
		forgets bool
	}{
		{"server error", reply(500, ""), true},
		{"not JSON", reply(200, "OK"), true},
		{"refused", reply(400, ""), false},
		{"not found", reply(404, ""), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := []sent{getPipe(), scalePipe(`{"replicas":3}`)}
			answers := []network{says(ok(`{}`)), says(test.answer)}
			if test.forgets {
				want = append(want, getPipe())
				answers = append(answers, says(ok(`{}`)))
			}
			talk := converse(t, answers...)
			c := withoutNetwork(t, talk.answer, func(config *transport.Config) { config.MaxRetries = 0 })
			readPipe(t, c)
			if _, err := c.ScalePipe(t.Context(), serviceID, pipeID, replicas(3)); err == nil {
				t.Error("no error")
			}
			readPipe(t, c)
			talk.expect(want...)
		})
	}
}

func TestOldValueServesDuringAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if r.Method == http.MethodPatch {
				time.Sleep(time.Second)
				return ok(`{"scaling":{"replicas":3}}`), nil
			}
			return ok(`{"scaling":{"replicas":2}}`), nil
		})
		readPipe(t, c)
		var write sync.WaitGroup
		write.Go(func() {
			if err := scale(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":2}}`)
		write.Wait()
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
	})
}

// TestReadOvertakenByAWrite: what a read began before a write finds after it
// must not replace the write's answer.
func TestReadOvertakenByAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if r.Method == http.MethodPatch {
				return ok(`{"scaling":{"replicas":3}}`), nil
			}
			time.Sleep(time.Second)
			return ok(`{"scaling":{"replicas":2}}`), nil
		})
		readPipe(t, c)
		var read sync.WaitGroup
		read.Go(func() { readPipe(t, c.Fresh()) })
		synctest.Wait()
		if err := scale(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		read.Wait()
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
	})
}

// TestReadAfterAWriteJoinsNoneFromBefore: what was asked before a write of
// unknown outcome says nothing about it.
func TestReadAfterAWriteJoinsNoneFromBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if r.Method == http.MethodPatch {
				return reply(500, ""), nil
			}
			if reads++; reads == 1 {
				time.Sleep(20 * time.Second)
				return ok(`{"scaling":{"replicas":2}}`), nil
			}
			return ok(`{"scaling":{"replicas":3}}`), nil
		}, func(config *transport.Config) { config.MaxRetries = 0 })
		var early sync.WaitGroup
		early.Go(func() { readPipe(t, c) })
		synctest.Wait()
		if err := scale(t.Context(), c); err == nil {
			t.Error("no error")
		}
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
		early.Wait()
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
	})
}

// TestWritesToOneObjectAreSerialised: scaling and settings of a pipe are one
// object, and another pipe is another.
func TestWritesToOneObjectAreSerialised(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		writing, most := map[string]int{}, map[string]int{}
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if r.Method == http.MethodGet {
				return ok(`{}`), nil
			}
			object := pipeID
			if strings.Contains(r.URL.Path, otherID) {
				object = otherID
			}
			mu.Lock()
			writing[object]++
			writing["all"]++
			most[object] = max(most[object], writing[object])
			most["all"] = max(most["all"], writing["all"])
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			writing[object]--
			writing["all"]--
			mu.Unlock()
			return ok(`{}`), nil
		})
		var all sync.WaitGroup
		for i := range int64(3) {
			for _, id := range []string{pipeID, otherID} {
				all.Go(func() {
					if _, err := c.ScalePipe(t.Context(), serviceID, id, replicas(i+1)); err != nil {
						t.Error(err)
					}
				})
				all.Go(func() {
					if _, err := c.UpdatePipeSettings(t.Context(), serviceID, id, Settings{DBMaxThreads: ValueOf(i)}, Settings{}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		if most[pipeID] != 1 || most[otherID] != 1 || most["all"] != 2 {
			t.Errorf("writes at a time: %v", most)
		}
	})
}

func TestWaitingToWriteEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(*http.Request) (stub, error) {
			time.Sleep(20 * time.Second)
			return ok(`{}`), nil
		})
		var first sync.WaitGroup
		first.Go(func() {
			if err := scale(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := scale(ctx, c)
		if e := asError(t, err); !errors.Is(err, context.DeadlineExceeded) || e.Operation != "scale pipe" || e.OutcomeUnknown {
			t.Errorf("%+v", e)
		}
		first.Wait()
	})
}
