package transport

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestBusyService: an API makes one change of a service at a time, and refuses others with 409. Updates
// of the service do not fail because of each other, however long a change takes. Other services
// have locks of their own, and what changes nothing has none.
func TestBusyService(t *testing.T) {
	t.Parallel()
	for _, each := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 10 * time.Second} {
		virtual(t, each.String(), func(t *testing.T) {
			const pipes = 50
			var busy sync.Mutex
			refused := 0
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodGet || strings.Contains(r.URL.Path, objectID(pipes)) {
					return success(r)
				}
				if !busy.TryLock() {
					refused++
					return returns(409, "")(r)
				}
				defer busy.Unlock()
				return after(each, success)(r)
			}, retries(12))
			started := time.Now()
			var all sync.WaitGroup
			all.Go(func() {
				for _, err := range inParallel(pipes, 10, func(i int) error {
					r := scalePipe(objectID(i))
					r.Lock = c.NewLock("service")
					defer r.Lock.Unlock()
					return do(t.Context(), c, r)
				}) {
					if err != nil {
						t.Errorf("after %s: %v", time.Since(started), err)
					}
				}
			})
			time.Sleep(5 * each) // in the middle of it
			now, other, read := time.Now(), scalePipe(objectID(pipes)), getPipe(objectID(0))
			other.Lock = c.NewLock("another service")
			for _, r := range []Request{other, read} {
				if err := do(t.Context(), c, r); err != nil {
					t.Error(err)
				}
			}
			checkTook(t, now, 0, 0)
			all.Wait()
			if refused > 40 {
				t.Errorf("%d requests were refused: they do not wait for each other", refused)
			}
		})
	}
}

// TestServiceThatRefusesChanges: the first updates wait for it, and the rest do not.
func TestServiceThatRefusesChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, returns(409, ""), retries(12))
		started := time.Now()
		for _, err := range inParallel(50, 10, func(i int) error {
			r := scalePipe(objectID(i))
			r.Lock = c.NewLock("service")
			defer r.Lock.Unlock()
			return do(t.Context(), c, r)
		}) {
			if err == nil {
				t.Error("no error")
			}
		}
		checkTook(t, started, 7*time.Second, 75*time.Second)
	})
}

// TestServiceThatIsBusyAgain: once a change has succeeded, updates wait again for a service that is busy.
func TestServiceThatIsBusyAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		respond := returns(409, "")
		c := clientOf(t, func(r *http.Request) (*http.Response, error) { return respond(r) }, retries(12))
		update := func() error {
			r := scalePipe(objectID(0))
			r.Lock = c.NewLock("service")
			defer r.Lock.Unlock()
			return do(t.Context(), c, r)
		}
		for range minFailures + 1 {
			if err := update(); err == nil {
				t.Error("no error")
			}
		}
		respond = success
		if err := update(); err != nil {
			t.Error(err)
		}
		respond = inOrder(t, returns(409, ""), returns(409, ""), success)
		if err := update(); err != nil {
			t.Error(err)
		}
	})
}

// TestFreeLock: an update that need not wait for the lock has six attempts, in about 15 s.
func TestFreeLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, r, started := clientOf(t, returns(409, ""), retries(12)), scalePipe(objectID(0)), time.Now()
		r.Lock = c.NewLock("service")
		if err := do(t.Context(), c, r); err == nil {
			t.Error("no error")
		}
		checkTook(t, started, 7*time.Second, 24*time.Second)
	})
}

// TestInterruptBeforeTheLock: Ctrl-C ends an update that waits for the lock. What has failed before
// is in the error.
func TestInterruptBeforeTheLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, objectID(0)) {
				time.Sleep(25 * time.Second) // it holds the lock until after the interrupt
			}
			return returns(409, "")(r)
		}, retries(12))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Second, cancel)
		c.NewLock("service").isNeeded.Store(true)
		errs := inParallel(2, 2, func(i int) error {
			time.Sleep(time.Duration(i) * time.Second)
			r := scalePipe(objectID(i))
			r.Lock = c.NewLock("service")
			defer r.Lock.Unlock()
			return do(ctx, c, r)
		})
		if got := fmt.Sprint(errs[1]); got != "scale pipe: not sent: interrupted" {
			t.Error(got)
		}
	})
}

// TestLockOfAnUpdate: once the service was busy, an update keeps the others waiting until its end, also between
// its requests.
func TestLockOfAnUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		c := clientOf(t, func(r *http.Request) (*http.Response, error) {
			sent = append(sent, strings.Split(r.URL.Path, "/")[7][35:])
			if len(sent) == 1 {
				return returns(409, "")(r)
			}
			return after(time.Second, success)(r)
		})
		for _, err := range inParallel(2, 2, func(i int) error {
			time.Sleep(time.Duration(i) * 100 * time.Millisecond)
			r := scalePipe(objectID(i))
			r.Lock = c.NewLock("service")
			defer r.Lock.Unlock()
			if err := do(t.Context(), c, r); err != nil {
				return err
			}
			time.Sleep(10 * time.Second)
			return do(t.Context(), c, r)
		}) {
			if err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(sent, ""); got != "00011" {
			t.Error(got)
		}
	})
}

// TestOutageOfABusyService: an outage ends the updates that wait for the lock.
func TestOutageOfABusyService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		busy  int // responses of a busy service, before the outage
		fault roundTripper
	}{
		"hangs": {1, hangs}, "503": {1, returns(503, "")}, "all were busy": {10, hangs},
	} {
		virtual(t, name, func(t *testing.T) {
			var requests atomic.Int32
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				if int(requests.Add(1)) <= test.busy {
					return after(time.Millisecond, returns(409, ""))(r)
				}
				return test.fault(r)
			}, retries(12))
			started := time.Now()
			for _, err := range inParallel(100, 10, func(i int) error {
				r := scalePipe(objectID(i))
				r.Lock = c.NewLock("service")
				defer r.Lock.Unlock()
				return do(t.Context(), c, r)
			}) {
				if err == nil {
					t.Error("no error")
				}
			}
			checkTook(t, started, 0, 6*time.Minute)
		})
	}
}
