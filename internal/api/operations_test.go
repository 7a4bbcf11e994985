package api

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

const wholePipe = `{
	"id": "33333333-3333-4333-8333-333333333333", "serviceId": "22222222-2222-4222-8222-222222222222",
	"name": "orders", "state": "running",
	"scaling": {"replicas": 2, "concurrency": 0, "replicaCpuMillicores": 500, "replicaMemoryGb": 0.5},
	"source": {
		"kafka": {"brokers": "b:9092", "topics": "t", "consumerGroup": "g", "iamRole": "r", "offset": {"timestamp": "2024"},
			"schemaRegistry": {"url": "https://r", "caCertificate": "c"}, "caCertificate": "c2", "reversePrivateEndpointIds": ["e"]},
		"objectStorage": {"url": "s3://b/*", "delimiter": ",", "compression": "auto", "isContinuous": true, "queueUrl": "q",
			"iamRole": "r", "connectionString": "s", "path": "p", "azureContainerName": "a"},
		"kinesis": {"streamName": "s", "region": "r", "useEnhancedFanOut": true, "timestamp": 9007199254740993, "iamRole": "i"},
		"postgres": {"host": "h", "port": 5432, "database": "d",
			"settings": {"syncIntervalSeconds": 1, "pullBatchSize": 2, "publicationName": "p", "replicationSlotName": "r",
				"allowNullableColumns": true, "initialLoadParallelism": 3, "snapshotNumRowsPerPartition": 4,
				"snapshotNumberOfParallelTables": 5, "enableFailoverSlots": false},
			"tableMappings": [{"sourceSchemaName": "s", "sourceTable": "t", "targetTable": "u", "excludedColumns": ["x"],
				"useCustomSortingKey": true, "sortingKeys": ["k"]}]}},
	"destination": {"database": "d", "table": "t", "managedTable": true,
		"tableDefinition": {"engine": {"versionColumnId": "v", "columnIds": ["c"]}, "sortingKey": ["k"], "partitionBy": "p", "primaryKey": "i"},
		"columns": [{"name": "n", "type": "String"}]},
	"fieldMappings": [{"sourceField": "a", "destinationField": "b"}],
	"settings": {"streaming_max_insert_wait_ms": 5000, "object_storage_concurrency": 1, "object_storage_polling_interval_ms": 100,
		"object_storage_max_insert_bytes": 10485760, "object_storage_max_file_count": 1, "db_max_threads": 0,
		"db_max_insert_threads": 0, "db_min_insert_block_size_bytes": 0, "db_max_download_threads": 0,
		"db_parallel_distributed_insert_select": 0, "object_storage_use_cluster_function": false,
		"db_parallel_view_processing": true, "a_later_setting": {"x": [1.50, null]}},
	"createdAt": "2024-01-01T00:00:00Z", "updatedAt": null}`

const wholeService = `{
	"id": "22222222-2222-4222-8222-222222222222", "name": "main", "dbVersion": "25.1",
	"endpoints": [{"protocol": "mysql", "host": "h", "port": 3306, "username": "u", "enabled": true}],
	"minTotalMemoryGb": 24, "maxTotalMemoryGb": 48.5, "minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 16, "numReplicas": 3,
	"idleScaling": true, "idleTimeoutMinutes": 15, "ipAccessList": [{"source": "10.0.0.0/8", "description": "vpc"}, {"source": "::1", "description": null}],
	"createdAt": "2024-01-01T00:00:00Z", "encryptionKey": "k", "encryptionAssumedRoleIdentifier": "r", "iamRole": "i",
	"privateEndpointIds": ["vpce-1"], "availablePrivateEndpointIds": [], "dataWarehouseId": "w", "isPrimary": true,
	"isReadonly": false, "byocId": null, "hasTransparentDataEncryption": true, "transparentDataEncryptionKeyId": "t",
	"encryptionRoleId": "e", "releaseChannel": "fast"}`

const wholeKey = `{
	"id": "44444444-4444-4444-8444-444444444444", "name": "ci", "roles": ["admin"], "keySuffix": "x9", "createdAt": "2024",
	"expireAt": null, "usedAt": "2025", "ipAccessList": [{"source": "0.0.0.0/0", "description": ""}], "state": "enabled"}`

const wholeBackups = `[{"id": "b", "serviceId": "s", "startedAt": "1", "finishedAt": "2", "sizeInBytes": 9007199254740993,
	"durationInSeconds": 61, "backupName": "n", "bucket": {"bucketPath": "p", "iamRoleArn": "a", "iamRoleSessionName": "s"},
	"status": "done"}]`

// TestOperations holds each operation against the specification: what is sent,
// to the byte, and that everything that comes back is read.
func TestOperations(t *testing.T) {
	t.Parallel()
	const organization = "/v1/organizations/" + organizationID
	const service = organization + "/services/" + serviceID
	const pipe = service + "/pipes/" + pipeID
	for _, test := range []struct {
		name               string
		call               func(context.Context, *Client) (any, error)
		method, path, body string
		result, want       string
	}{
		{
			name:   "get pipe",
			call:   func(ctx context.Context, c *Client) (any, error) { return c.Pipe(ctx, serviceID, pipeID) },
			method: "GET", path: pipe, result: wholePipe, want: wholePipe,
		},
		{
			name: "scale pipe",
			call: func(ctx context.Context, c *Client) (any, error) {
				return c.ScalePipe(ctx, serviceID, pipeID, Scaling{Replicas: ValueOf(int64(2)), ReplicaMemoryGB: ValueOf(0.5)})
			},
			method: "PATCH", path: pipe + "/scaling", body: `{"replicas":2,"replicaMemoryGb":0.5}`, result: wholePipe, want: wholePipe,
		},
		{
			name:   "read service",
			call:   func(ctx context.Context, c *Client) (any, error) { return c.Service(ctx, serviceID) },
			method: "PATCH", path: service, body: `{}`, result: wholeService, want: wholeService,
		},
		{
			name: "update service",
			call: func(ctx context.Context, c *Client) (any, error) {
				return c.UpdateService(ctx, serviceID, ServiceUpdate{
					Name:                           ValueOf("main"),
					ReleaseChannel:                 ValueOf("fast"),
					TransparentDataEncryptionKeyID: ValueOf("t"),
					Endpoints:                      []EndpointSwitch{{Protocol: "mysql", Enabled: false}},
				})
			},
			method: "PATCH", path: service,
			body:   `{"name":"main","releaseChannel":"fast","transparentDataEncryptionKeyId":"t","endpoints":[{"protocol":"mysql","enabled":false}]}`,
			result: wholeService, want: wholeService,
		},
		{
			name:   "read key",
			call:   func(ctx context.Context, c *Client) (any, error) { return c.Key(ctx, keyID) },
			method: "PATCH", path: organization + "/keys/" + keyID, body: `{}`, result: wholeKey, want: wholeKey,
		},
		{
			name: "update key",
			call: func(ctx context.Context, c *Client) (any, error) {
				return c.UpdateKey(ctx, keyID, KeyUpdate{
					Name:         ValueOf("ci"),
					Roles:        ValueOf([]string{"admin"}),
					ExpireAt:     NullOf[string](),
					State:        ValueOf("enabled"),
					IPAccessList: ValueOf([]AccessEntry{{Source: "0.0.0.0/0", Description: ValueOf("")}}),
				})
			},
			method: "PATCH", path: organization + "/keys/" + keyID,
			body:   `{"name":"ci","roles":["admin"],"expireAt":null,"state":"enabled","ipAccessList":[{"source":"0.0.0.0/0","description":""}]}`,
			result: wholeKey, want: wholeKey,
		},
		{
			name:   "list backups",
			call:   func(ctx context.Context, c *Client) (any, error) { return c.Backups(ctx, serviceID) },
			method: "GET", path: service + "/backups", result: wholeBackups, want: wholeBackups,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requests++
				if r.Method != test.method || r.URL.Path != test.path || r.URL.RawQuery != "" {
					t.Errorf("%s %s, want %s %s", r.Method, r.URL, test.method, test.path)
				}
				if id, secret, ok := r.BasicAuth(); !ok || id != "key-id" || secret != keySecret {
					t.Errorf("credentials %q, %q, %t", id, secret, ok)
				}
				wantHeader(t, r, "Accept", "application/json")
				wantHeader(t, r, "User-Agent", "terraform-provider-dbplatform/test")
				if test.body != "" {
					wantHeader(t, r, "Content-Type", "application/json")
				}
				body, err := io.ReadAll(r.Body)
				if err != nil || string(body) != test.body {
					t.Errorf("body %s, %v; want %s", body, err, test.body)
				}
				_, _ = io.WriteString(w, enveloped(test.result))
			})
			got, err := test.call(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, got, test.want)
			if requests != 1 {
				t.Errorf("%d requests", requests)
			}
		})
	}
}

func wantHeader(t *testing.T, r *http.Request, name, want string) {
	t.Helper()
	if got := r.Header.Get(name); got != want {
		t.Errorf("header %s: %q, want %q", name, got, want)
	}
}

func TestBackupsOfNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		result string
		want   int
	}{{`[]`, 0}, {`[null]`, 0}, {`[{},null,{}]`, 2}} {
		c := withoutNetwork(t, converse(t, says(ok(test.result))).answer)
		got, err := c.Backups(t.Context(), serviceID)
		if err != nil || len(got) != test.want {
			t.Errorf("%s: %d backups, %v", test.result, len(got), err)
		}
	}
}

// TestBackupsAreReadOnce: all that ask for one service's backups share a request.
func TestBackupsAreReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := withoutNetwork(t, func(*http.Request) (stub, error) {
			if requests++; requests == 1 {
				return reply(403, ""), nil
			}
			time.Sleep(time.Second)
			return ok(wholeBackups), nil
		})
		if _, err := c.Backups(t.Context(), serviceID); err == nil {
			t.Error("no error")
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if list, err := c.Backups(t.Context(), serviceID); err != nil || len(list) != 1 {
					t.Errorf("%v, %v", list, err)
				}
			})
		}
		all.Wait()
		if _, err := c.Backups(t.Context(), serviceID); err != nil || requests != 2 {
			t.Errorf("%d requests, %v", requests, err)
		}
		if _, err := c.Backups(t.Context(), otherID); err != nil || requests != 3 {
			t.Errorf("%d requests, %v", requests, err)
		}
	})
}

// TestBackupsOfAnotherType: a member costs that member, an element the list.
func TestBackupsOfAnotherType(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`[{"sizeInBytes":1.5,"durationInSeconds":600.0,"status":"error"},{"sizeInBytes":"7"}]`)), says(ok(`[5]`)))
	c := withoutNetwork(t, talk.answer)
	list, err := c.Backups(t.Context(), serviceID)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, list, `[{"sizeInBytes":1.5,"durationInSeconds":600,"status":"error"},{"sizeInBytes":7}]`)
	if got := Unreadable(list); !slices.Equal(got, []string{"[0].sizeInBytes"}) {
		t.Errorf("unreadable: %q", got)
	}
	if _, err := c.Fresh().Backups(t.Context(), serviceID); err == nil {
		t.Error("no error for an element that is no object")
	}
}

// TestErrorsNameTheirOperation: the operation's name is all that tells a
// reader which of several requests failed.
func TestErrorsNameTheirOperation(t *testing.T) {
	t.Parallel()
	for name, call := range everyOperation() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := withoutNetwork(t, func(*http.Request) (stub, error) {
				return reply(http.StatusForbidden, `{"error":"not yours"}`, "X-Request-Id", "r-7"), nil
			})
			e := asError(t, call(t.Context(), c))
			if e.Operation != name || e.Status != 403 || e.RequestID != "r-7" || e.Message != "not yours" || e.OutcomeUnknown {
				t.Errorf("%+v", e)
			}
			if want := name + ": not yours (HTTP 403 Forbidden, request r-7)"; e.Error() != want {
				t.Errorf("text %q, want %q", e.Error(), want)
			}
		})
	}
}

// everyOperation calls each operation by the name its errors give it. Updating
// settings reads first and is not among them.
func everyOperation() map[string]func(context.Context, *Client) error {
	return map[string]func(context.Context, *Client) error{
		"get pipe": func(ctx context.Context, c *Client) error {
			_, err := c.Pipe(ctx, serviceID, pipeID)
			return err
		},
		"scale pipe": func(ctx context.Context, c *Client) error {
			_, err := c.ScalePipe(ctx, serviceID, pipeID, Scaling{Replicas: ValueOf(int64(3))})
			return err
		},
		"read service": func(ctx context.Context, c *Client) error {
			_, err := c.Service(ctx, serviceID)
			return err
		},
		"update service": func(ctx context.Context, c *Client) error {
			_, err := c.UpdateService(ctx, serviceID, ServiceUpdate{Name: ValueOf("n")})
			return err
		},
		"read key": func(ctx context.Context, c *Client) error {
			_, err := c.Key(ctx, keyID)
			return err
		},
		"update key": func(ctx context.Context, c *Client) error {
			_, err := c.UpdateKey(ctx, keyID, KeyUpdate{Name: ValueOf("n")})
			return err
		},
		"list backups": func(ctx context.Context, c *Client) error {
			_, err := c.Backups(ctx, serviceID)
			return err
		},
	}
}

func TestReadRefused(t *testing.T) {
	t.Parallel()
	reads := everyOperation()
	for _, name := range []string{"read service", "read key"} {
		for _, status := range []int{400, 405, 422} {
			c := withoutNetwork(t, converse(t, says(reply(status, `{"error":"empty body"}`))).answer)
			if err := reads[name](t.Context(), c); !isReadRefused(err) || asError(t, err).Message != "empty body" {
				t.Errorf("%s, %d: %v", name, status, err)
			}
		}
		for _, status := range []int{401, 403, 404, 409} {
			c := withoutNetwork(t, converse(t, says(reply(status, ""))).answer)
			if err := reads[name](t.Context(), c); err == nil || isReadRefused(err) || transport.IsNotFound(err) != (status == 404) {
				t.Errorf("%s, %d: %v", name, status, err)
			}
		}
	}
	c := withoutNetwork(t, converse(t, says(reply(400, ""))).answer)
	if err := reads["get pipe"](t.Context(), c); isReadRefused(err) {
		t.Errorf("a pipe is read by GET: %v", err)
	}
}
