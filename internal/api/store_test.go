package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

func getPipe() sent { return sent{"GET", "services/" + serviceID + "/pipes/" + pipeID, ""} }
func scalePipe(body string) sent {
	return sent{"PATCH", "services/" + serviceID + "/pipes/" + pipeID + "/scaling", body}
}

func putSettings(body string) sent {
	return sent{"PUT", "services/" + serviceID + "/pipes/" + pipeID + "/settings", body}
}
func patchService(body string) sent { return sent{"PATCH", "services/" + serviceID, body} }
func patchKey(body string) sent     { return sent{"PATCH", "keys/" + keyID, body} }

func readPipe(t *testing.T, c *Client) *Pipe {
	t.Helper()
	p, err := c.Pipe(t.Context(), serviceID, pipeID)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func replicas(n int64) Scaling { return Scaling{Replicas: ValueOf(n)} }

func TestConcurrentReadsAreOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := withoutNetwork(t, func(*http.Request) (stub, error) {
			requests++
			time.Sleep(time.Second)
			return ok(`{"name":"orders"}`), nil
		})
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				id := pipeID
				if i%2 == 0 {
					id = strings.ToUpper(id)
				}
				if p, err := c.Pipe(t.Context(), serviceID, id); err != nil || p.Name != ValueOf("orders") {
					t.Errorf("%v, %v", p, err)
				}
			})
		}
		all.Wait()
		readPipe(t, c)
		if requests != 1 {
			t.Errorf("%d requests", requests)
		}
	})
}

func TestObjectsAreApart(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{"name":"a"}`)), says(ok(`{"name":"b"}`)))
	c := withoutNetwork(t, talk.answer)
	a := readPipe(t, c)
	b, err := c.Pipe(t.Context(), serviceID, otherID)
	if err != nil || a.Name != ValueOf("a") || b.Name != ValueOf("b") {
		t.Errorf("%v, %v, %v", a.Name, b.Name, err)
	}
}

func TestLeavingAReadBreaksNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			select {
			case <-time.After(time.Minute / 4):
				return ok(`{"name":"orders"}`), nil
			case <-r.Context().Done():
				return stub{}, r.Context().Err()
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() { // the one that began the request
			if _, err := c.Pipe(ctx, serviceID, pipeID); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() { readPipe(t, c) })
		all.Wait()
	})
}

func TestLastToLeaveEndsTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := false
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			<-r.Context().Done()
			ended = true
			return stub{}, r.Context().Err()
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := c.Pipe(ctx, serviceID, pipeID); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !ended {
			t.Error("the request goes on for nobody")
		}
	})
}

func TestErrorsAreNotRemembered(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(reply(404, "")), says(reply(403, "")), says(ok(`{}`)))
	c := withoutNetwork(t, talk.answer)
	_, first := c.Pipe(t.Context(), serviceID, pipeID)
	_, second := c.Pipe(t.Context(), serviceID, pipeID)
	if !transport.IsNotFound(first) || second == nil || transport.IsNotFound(second) {
		t.Errorf("%v, %v", first, second)
	}
	readPipe(t, c)
}

func TestFreshAsksAndShares(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{"name":"old","state":"running"}`)), says(ok(`{"name":"new"}`)))
	c := withoutNetwork(t, talk.answer)
	readPipe(t, c)
	readPipe(t, c.Fresh())
	sameJSON(t, readPipe(t, c), `{"name":"new"}`) // a read replaces
}

func TestFreshThatFindsNothing(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{}`)), says(reply(500, "")), says(reply(404, "")), says(ok(`{"name":"back"}`)))
	c := withoutNetwork(t, talk.answer, func(config *transport.Config) { config.MaxRetries = 0 })
	readPipe(t, c)
	if _, err := c.Fresh().Pipe(t.Context(), serviceID, pipeID); err == nil {
		t.Error("no error")
	}
	readPipe(t, c) // what was known serves on
	if _, err := c.Fresh().Pipe(t.Context(), serviceID, pipeID); !transport.IsNotFound(err) {
		t.Error("found")
	}
	if p := readPipe(t, c); p.Name != ValueOf("back") {
		t.Errorf("name %v", p.Name)
	}
}

// TestRefusedReadIsRemembered: until a write's answer brings the object, nobody
// asks again.
func TestRefusedReadIsRemembered(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(reply(405, "")), says(ok(`{"name":"n"}`)), says(ok(`{"roles":["admin"]}`)))
	c := withoutNetwork(t, talk.answer)
	for range 2 {
		if _, err := c.Key(t.Context(), keyID); !isReadRefused(err) {
			t.Errorf("error %v", err)
		}
	}
	for _, change := range []KeyUpdate{{Name: ValueOf("n")}, {Roles: ValueOf([]string{"admin"})}} {
		if _, err := c.UpdateKey(t.Context(), keyID, change); err != nil {
			t.Fatal(err)
		}
	}
	key, err := c.Key(t.Context(), keyID)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, key, `{"name":"n","roles":["admin"]}`)
	if _, err := c.Fresh().Key(t.Context(), keyID); !isReadRefused(err) {
		t.Errorf("error %v", err)
	}
	talk.expect(patchKey(`{}`), patchKey(`{"name":"n"}`), patchKey(`{"roles":["admin"]}`))
}

func TestNothingToWriteIsARead(t *testing.T) {
	t.Parallel()
	talk := converse(t, slices.Repeat([]network{says(ok(`{}`))}, 3)...)
	c := withoutNetwork(t, talk.answer)
	ctx := t.Context()
	for range 2 {
		_, scaled := c.ScalePipe(ctx, serviceID, pipeID, Scaling{})
		_, set := c.UpdatePipeSettings(ctx, serviceID, pipeID, Settings{}, Settings{})
		_, updated := c.UpdateService(ctx, serviceID, ServiceUpdate{})
		_, changed := c.UpdateKey(ctx, keyID, KeyUpdate{})
		if err := errors.Join(scaled, set, updated, changed); err != nil {
			t.Fatal(err)
		}
	}
	talk.expect(getPipe(), patchService(`{}`), patchKey(`{}`))
}
