package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// whole is an object with a value for each scalar member of its struct, and with others.
func whole[T any](others string) string {
	object := map[string]any{}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch reflect.Zero(field.Type).Interface().(type) {
		case Value[string]:
			object[member] = "a " + member
		case Value[int64]:
			object[member] = i
		case Value[float64]:
			object[member] = float64(i) + 0.5
		case Value[bool]:
			object[member] = i%2 == 0
		}
	}
	_ = json.Unmarshal([]byte(others), &object)
	text, _ := json.Marshal(object)
	return string(text)
}

var wholePipe = `{
	"id": "33333333-3333-4333-8333-333333333333", "name": "orders", "updatedAt": null,
	"source": {"kafka": {"brokers": "b:9092"}, "objectStorage": {}, "kinesis": {"timestamp": 9007199254740993}, "postgres": {}},
	"scaling": ` + whole[Scaling](`{}`) + `, "settings": ` + whole[Settings](`{}`) + `}`

var wholeService = whole[Service](`{
	"id": "22222222-2222-4222-8222-222222222222", "byocId": null, "privateEndpointIds": ["vpce-1"], "availablePrivateEndpointIds": [],
	"endpoints": [{"protocol": "mysql", "host": "h", "port": 3306, "username": "u", "enabled": true}],
	"ipAccessList": [{"source": "10.0.0.0/8", "description": "vpc"}, {"source": "::1", "description": null}]}`)

var wholeKey = whole[Key](`{
	"id": "44444444-4444-4444-8444-444444444444", "roles": ["admin"], "expireAt": null,
	"ipAccessList": [{"source": "0.0.0.0/0", "description": ""}]}`)

const wholeBackups = `[{"id": "b", "serviceId": "s", "startedAt": "1", "finishedAt": "2", "sizeInBytes": 9007199254740993,
	"durationInSeconds": 61, "backupName": "n", "bucket": {"bucketPath": "p", "iamRoleArn": "a", "iamRoleSessionName": "s"},
	"status": "done"}]`

// An operation is a call of each kind, except updates of settings and lists, which
// read first.
type operation struct {
	name   string
	call   func(context.Context, *Client) (any, error)
	sent   request
	result string
}

// returned is the whole pipe, once what this package uses of it was read.
func returned(pipe *Pipe, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	var all Object
	if err := json.Unmarshal(pipe.Returned, &all); err != nil {
		return nil, err
	}
	if source, _ := pipe.Source.Get(); !slices.Equal(source, []string{"kafka", "objectStorage", "kinesis", "postgres"}) {
		return source, nil
	}
	for name, member := range map[string]any{"scaling": pipe.Scaling, "settings": pipe.Settings} {
		if all[name], err = json.Marshal(member); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func operations() []operation {
	scaling := Scaling{Replicas: ValueOf(int64(2)), ReplicaMemoryGB: ValueOf(0.5)}
	service := ServiceUpdate{
		Name: ValueOf("main"), ReleaseChannel: ValueOf("fast"), TransparentDataEncryptionKeyID: ValueOf("t"),
		Endpoints: []EndpointSwitch{{Protocol: "mysql", Enabled: false}},
	}
	key := KeyUpdate{Name: ValueOf("ci"), ExpireAt: NullOf[string](), State: ValueOf("enabled")}
	return []operation{
		{"get pipe", func(ctx context.Context, c *Client) (any, error) { return returned(c.Pipe(ctx, serviceID, pipeID)) }, getPipe(), wholePipe},
		{
			"scale pipe",
			func(ctx context.Context, c *Client) (any, error) {
				return returned(c.ScalePipe(ctx, serviceID, pipeID, scaling))
			},
			scalePipe(`{"replicas":2,"replicaMemoryGb":0.5}`), wholePipe,
		},
		{"read service", func(ctx context.Context, c *Client) (any, error) { return c.Service(ctx, serviceID) }, patchService(`{}`), wholeService},
		{
			"update service",
			func(ctx context.Context, c *Client) (any, error) { return c.UpdateService(ctx, serviceID, service) },
			patchService(`{"name":"main","releaseChannel":"fast","transparentDataEncryptionKeyId":"t","endpoints":[{"protocol":"mysql","enabled":false}]}`),
			wholeService,
		},
		{"read key", func(ctx context.Context, c *Client) (any, error) { return c.Key(ctx, keyID) }, patchKey(`{}`), wholeKey},
		{
			"update key",
			func(ctx context.Context, c *Client) (any, error) { return c.UpdateKey(ctx, keyID, key) },
			patchKey(`{"name":"ci","expireAt":null,"state":"enabled"}`), wholeKey,
		},
		{
			"list backups",
			func(ctx context.Context, c *Client) (any, error) {
				backups, err := c.Backups(ctx, serviceID)
				if err != nil {
					return nil, err
				}
				return backups.List, nil
			},
			request{"GET", "services/" + serviceID + "/backups", ""},
			wholeBackups,
		},
	}
}

// TestOperations compares each operation with the specification: what is sent, to
// the byte, and that everything that is returned is read. Errors name it.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, test := range operations() {
		c, script := scripted(t, ok(test.result), response{http.StatusForbidden, `{"error":"not yours","requestId":"r-7"}`})
		got, err := test.call(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, got, test.result)
		_, err = test.call(t.Context(), c.Fresh())
		if want := test.name + ": not yours (HTTP 403 Forbidden, request r-7)"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		script.expect(test.sent, test.sent)
	}
}

// TestBackups: nulls are left out, and all reads in one run are one request, unless
// it fails. Each says whether there are more.
func TestBackups(t *testing.T) {
	t.Parallel()
	c, _ := scripted(t, response{403, ""}, ok(`[{"sizeInBytes":1.5},null,{"sizeInBytes":"7"}]`), response{200, `{"result":[],"hasMore":true}`}, ok(`[5]`))
	if _, err := c.Backups(t.Context(), serviceID); err == nil {
		t.Error("no error")
	}
	for range 2 {
		backups, err := c.Backups(t.Context(), serviceID)
		if err != nil || backups.HasMore {
			t.Fatalf("%+v, %v", backups, err)
		}
		sameJSON(t, backups.List, `[{"sizeInBytes":1.5},{"sizeInBytes":"7"}]`)
	}
	if backups, err := c.Backups(t.Context(), otherID); err != nil || backups.List == nil || len(backups.List) > 0 || !backups.HasMore {
		t.Errorf("%+v, %v", backups, err)
	}
	if _, err := c.Fresh().Backups(t.Context(), serviceID); err == nil {
		t.Error("no error for an element that is no object")
	}
}

// TestHiddenObjects: a read of a service or key that fails with certain statuses is
// hidden, and not asked for again, by either method.
func TestHiddenObjects(t *testing.T) {
	t.Parallel()
	for _, status := range slices.Concat(RefusalsOfReads, []int{401, 404, 409, 503}) {
		for _, hides := range []bool{false, true} {
			for _, method := range []string{"", http.MethodGet} {
				synctest.Test(t, func(t *testing.T) {
					for _, read := range operations() {
						requests, byUpdate := 0, read.sent.Body == "{}"
						c := newClient(t, func(r *http.Request) (response, error) {
							requests++
							if want := cmp.Or(method, http.MethodPatch); byUpdate && (r.Method != want || (r.ContentLength == 0) != (want == http.MethodGet)) {
								t.Errorf("%s with %d bytes", r.Method, r.ContentLength)
							}
							return response{status, `{"error":"no"}`}, nil
						}, retries(2), func(config *Config) { config.ReadMethod, config.HidesRefused = method, hides })
						if c.ReadsByUpdate() != (method == "") {
							t.Errorf("%q reads by update: %t", method, c.ReadsByUpdate())
						}
						_, _ = read.call(t.Context(), c)
						_, err := read.call(t.Context(), c)
						hidden := byUpdate && hides && slices.Contains(RefusalsOfReads, status)
						if err == nil || !strings.Contains(err.Error(), ": no ") || errors.Is(err, ErrHidden) != hidden || (hidden || status == 401) != (requests == 1) || transport.IsNotFound(err) != (status == 404) {
							t.Errorf("%s by %q, %d, %v: %v, %d requests", read.name, method, status, hides, err, requests)
						}
					}
				})
			}
		}
	}
}

// TestLeftOutListsAreEmpty, and so is an expiry, unless the read shows no more of the object than its id and name.
func TestLeftOutListsAreEmpty(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{}`:             `{}`,
		`{"name":"n"}`:   `{"name":"n"}`,
		`{"state":null}`: `{"state":null,"roles":null,"expireAt":null,"ipAccessList":null}`,
		`{"keySuffix":"x","roles":["admin"],"ipAccessList":7}`: `{"keySuffix":"x","roles":["admin"],"expireAt":null,"ipAccessList":7}`,
	} {
		c, _ := scripted(t, ok(result))
		key, err := c.Key(t.Context(), keyID)
		if err != nil {
			t.Error(err)
		}
		sameJSON(t, key, want)
	}
	for result, want := range map[string]string{
		`{"id":"` + serviceID + `","name":"n"}`: `{"id":"` + serviceID + `","name":"n"}`,
		`{"isPrimary":true}`:                    `{"isPrimary":true,"ipAccessList":null,"privateEndpointIds":null}`,
	} {
		c, _ := scripted(t, ok(result))
		service, err := c.Service(t.Context(), serviceID)
		if err != nil {
			t.Error(err)
		}
		sameJSON(t, service, want)
	}
}

// TestRateLimitHidesNothing: a 403 that asks to wait for too long is a rate limit.
func TestRateLimitHidesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, nil, func(c *Config) { c.Transport.RoundTripper = limitedFor20s{} })
		if _, err := c.Key(t.Context(), keyID); err == nil || errors.Is(err, ErrHidden) {
			t.Error(err)
		}
	})
}

type limitedFor20s struct{}

func (limitedFor20s) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Retry-After": {"20"}}, Body: http.NoBody}, nil
}
