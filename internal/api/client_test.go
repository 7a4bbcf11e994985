package api

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// TestResponseToAWrite: what is absent stays as it was before, also if it was sent: it may not
// have changed. What the response returns counts, null and unreadable values too.
func TestResponseToAWrite(t *testing.T) {
	t.Parallel()
	const sparse = `{"source":{"kafka":{}},"scaling":{"replicas":2,"concurrency":5,"replicaMemoryGb":1},"settings":{"db_max_threads":4}}`
	const settings = `{"source":{"kafka":{}},"settings":{"db_max_threads":2,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0}}`
	for _, test := range []struct {
		write                  func(context.Context, *Client) (*Pipe, error)
		before, response, want string
	}{
		{
			scale, sparse, `{"source":null,"scaling":{"concurrency":null},"settings":{"db_max_insert_threads":2}}`,
			`{"source":null,"scaling":{"replicas":2,"concurrency":null,"replicaMemoryGb":1},"settings":{"db_max_threads":4,"db_max_insert_threads":2}}`,
		},
		{scale, `{"scaling":{"replicas":1}}`, `{"scaling":{"replicas":2}}`, `{"scaling":{"replicas":2}}`},
		{scale, `{"scaling":{"replicas":1}}`, `{"scaling":null}`, `{"scaling":null}`},
		{scale, `{"scaling":{"replicas":1}}`, `{"scaling":{"replicas":"many"}}`, `{"scaling":{"replicas":"many"}}`},
		{
			set, settings, `{"db_max_threads":7,"db_max_insert_threads":null}`,
			`{"source":{"kafka":{}},"settings":{"db_max_threads":7,"db_max_insert_threads":null,"streaming_max_insert_wait_ms":0}}`,
		},
	} {
		c := newClient(t, func(r *http.Request) (response, error) {
			if r.Method == http.MethodGet {
				return ok(test.before), nil
			}
			return ok(test.response), nil
		})
		before := readPipe(t, c)
		after, err := test.write(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, after, shownAs(test.want))
		if readPipe(t, c) != after {
			t.Error("the result is not cached")
		}
		sameJSON(t, before, shownAs(test.before)) // callers share it
	}
}

func TestSparseResponseIsNoWholeObject(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, ok(`{"scaling":{"replicas":3}}`), ok(`{"source":{},"scaling":{"replicas":3}}`))
	got, err := scale(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `{"scaling":{"replicas":3}}`)
	sameJSON(t, readPipe(t, c), shownAs(`{"source":{},"scaling":{"replicas":3}}`))
	script.expect(scalePipe(`{"replicas":3}`), getPipe())
}

// TestAcceptedUpdates: a response that does not return the object is no failure, and the next read sends a request.
func TestAcceptedUpdates(t *testing.T) {
	t.Parallel()
	const before = `{"scaling":{"replicas":2},"settings":{"db_max_threads":2}}`
	for _, accepted := range []response{
		{200, ""},
		{204, ""},
		{202, " \n"},
		{200, `{}`},
		{200, `{"status":200,"requestId":"r"}`},
		{202, `{"status":202,"message":"accepted"}`},
		{200, `{"result":null,"message":"later"}`},
		{200, "OK"},
		{200, `{"result":"ok"}`},
		{200, `{"result":{"message":"later"}}`},
	} {
		for name, write := range map[string]func(context.Context, *Client) error{
			"scaling":  func(ctx context.Context, c *Client) error { _, err := scale(ctx, c); return err },
			"settings": func(ctx context.Context, c *Client) error { _, err := set(ctx, c); return err },
			"service": func(ctx context.Context, c *Client) error {
				_, err := c.UpdateService(ctx, serviceID, ServiceUpdate{Name: ValueOf("n")})
				return err
			},
			"key": func(ctx context.Context, c *Client) error {
				_, err := c.UpdateKey(ctx, keyID, KeyUpdate{Name: ValueOf("n")})
				return err
			},
		} {
			reads := 0
			c := newClient(t, func(r *http.Request) (response, error) {
				if r.Method == http.MethodGet {
					reads++
					return ok(before), nil
				}
				return accepted, nil
			})
			readPipe(t, c)
			if err := write(t.Context(), c); err != nil {
				t.Errorf("%s: %q: %v", name, accepted.body, err)
			}
			if reads = 0; strings.HasPrefix(name, "s") && name != "service" {
				if readPipe(t, c); reads != 1 {
					t.Errorf("%s: %q: the pipe was read %d times", name, accepted.body, reads)
				}
			}
		}
	}
}
