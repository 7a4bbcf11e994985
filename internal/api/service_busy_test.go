package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestUpdatesTakeTurns: an API that makes one change of a service at a time refuses others of it and
// of its pipes. After that, the updates take turns, and none of them fails.
func TestUpdatesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var busy sync.Mutex
		var refused atomic.Int32
		c := newClient(t, func(r *http.Request) (response, error) {
			if r.Method == http.MethodGet {
				return ok(`{"settings":{"db_max_threads":1}}`), nil
			}
			if _, isRead := patchOf(t, r); isRead {
				return ok(`{"ipAccessList":[]}`), nil
			}
			if !busy.TryLock() {
				refused.Add(1)
				return conflict(), nil
			}
			defer busy.Unlock()
			time.Sleep(2 * time.Second)
			return ok(`{}`), nil
		}, retries(12))
		var all sync.WaitGroup
		for i := range 10 {
			pipe := fmt.Sprintf("%s%02d", pipeID[:len(pipeID)-2], i)
			update := func(err error) {
				if err != nil {
					t.Error(err)
				}
			}
			all.Go(func() {
				_, err := c.ScalePipe(t.Context(), serviceID, pipe, replicas(3))
				update(err)
			})
			all.Go(func() {
				_, err := c.UpdatePipeSettings(t.Context(), strings.ToUpper(serviceID), pipe, threads(), Settings{})
				update(err)
			})
			all.Go(func() {
				added := entry(fmt.Sprintf("10.0.0.%d", i), "")
				_, err := c.UpdateService(t.Context(), serviceID, EntryUpdate(nil, &added))
				update(err)
			})
		}
		all.Wait()
		if n := refused.Load(); n > 29 { // all but the first, once
			t.Errorf("%d were refused", n)
		}
	})
}
