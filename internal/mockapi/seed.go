package mockapi

import "fmt"

// What every fresh server holds. The ids are fixed, so that tests and
// demonstrations can name them.
const (
	// OrganizationID is the one organization.
	OrganizationID = "00000000-0000-4000-8000-000000000001"
	// KeyID and KeySecret are the credentials that the server accepts.
	KeyID     = "mock-key-id"
	KeySecret = "mock-key-secret"

	// ServiceID is a service with every member filled.
	ServiceID = "11111111-1111-4111-8111-111111111111"
	// OtherServiceID is a service with hardly any member, no pipe, no backup.
	OtherServiceID = "11111111-1111-4111-8111-222222222222"

	// KafkaPipeID and the three after it are the pipes of [ServiceID], one for
	// each kind of source, with every member filled but the other sources.
	KafkaPipeID         = "22222222-2222-4222-8222-111111111111"
	ObjectStoragePipeID = "22222222-2222-4222-8222-222222222222"
	KinesisPipeID       = "22222222-2222-4222-8222-333333333333"
	PostgresPipeID      = "22222222-2222-4222-8222-444444444444"

	// APIKeyID is a key with every member filled: it expires and has an access
	// list.
	APIKeyID = "33333333-3333-4333-8333-111111111111"
	// OtherAPIKeyID is a key that never expires, was never used and may be
	// used from everywhere.
	OtherAPIKeyID = "33333333-3333-4333-8333-222222222222"
)

func (st *store) seed() {
	st.add(Service, seedService())
	st.add(Service, seedOtherService())
	for _, pipe := range seedPipes() {
		st.addPipe(ServiceID, pipe)
	}
	st.add(Key, seedKey())
	st.add(Key, seedOtherKey())
	st.backups[ServiceID] = canonical(seedBackups()).([]any)
}

func seedService() Object {
	return Object{
		"id":        ServiceID,
		"name":      "Orders",
		"dbVersion": "25.3",
		"endpoints": []any{
			Object{"protocol": "mysql", "host": "orders.db.example", "port": 3306, "username": "orders", "enabled": true},
		},
		"minTotalMemoryGb":   24,
		"maxTotalMemoryGb":   48.5,
		"minReplicaMemoryGb": 8,
		"maxReplicaMemoryGb": 16.25,
		"numReplicas":        3,
		"idleScaling":        true,
		"idleTimeoutMinutes": 15,
		"ipAccessList": []any{
			Object{"source": "10.0.0.0/8", "description": "private network"},
			Object{"source": "192.0.2.7", "description": "office"},
		},
		"createdAt":                       "2025-03-01T09:30:00Z",
		"encryptionKey":                   "encryption-key-1",
		"encryptionAssumedRoleIdentifier": "arn:aws:iam::111122223333:role/encryption",
		"iamRole":                         "arn:aws:iam::111122223333:role/orders",
		"privateEndpointIds":              []any{"vpce-0a1b2c3d", "vpce-4e5f6a7b"},
		"availablePrivateEndpointIds":     []any{"vpce-0a1b2c3d", "vpce-4e5f6a7b", "vpce-8c9d0e1f"},
		"dataWarehouseId":                 "warehouse-1",
		"isPrimary":                       true,
		"isReadonly":                      false,
		"byocId":                          "byoc-1",
		"hasTransparentDataEncryption":    true,
		"transparentDataEncryptionKeyId":  "tde-key-1",
		"encryptionRoleId":                "encryption-role-1",
		"releaseChannel":                  "default",
	}
}

func seedOtherService() Object {
	return Object{
		"id":                 OtherServiceID,
		"name":               "Sandbox",
		"dbVersion":          "25.3",
		"numReplicas":        1,
		"ipAccessList":       []any{},
		"privateEndpointIds": []any{},
		"createdAt":          "2025-06-15T12:00:00Z",
	}
}

func seedKey() Object {
	return Object{
		"id":        APIKeyID,
		"name":      "Deployment",
		"roles":     []any{"admin", "developer"},
		"keySuffix": "x7Kq",
		"createdAt": "2025-03-02T10:00:00Z",
		"expireAt":  "2031-01-01T00:00:00Z",
		"usedAt":    "2025-07-20T08:15:30Z",
		"ipAccessList": []any{
			Object{"source": "198.51.100.0/24", "description": "runners"},
			Object{"source": "2001:db8::1", "description": "bastion"},
		},
		"state": "enabled",
	}
}

func seedOtherKey() Object {
	return Object{
		"id":           OtherAPIKeyID,
		"name":         "Dashboards",
		"roles":        []any{"query_endpoints"},
		"keySuffix":    "p2Zd",
		"createdAt":    "2025-04-11T16:45:00Z",
		"expireAt":     nil,
		"usedAt":       nil,
		"ipAccessList": []any{},
		"state":        "enabled",
	}
}

// seedBackups are in no order; the third never finished, and the last one's
// size is past what a float64 holds.
func seedBackups() []any {
	backup := func(n int, started, finished string, seconds, bytes int64) Object {
		return Object{
			"id":                fmt.Sprintf("44444444-4444-4444-8444-%012d", n),
			"serviceId":         ServiceID,
			"startedAt":         started,
			"finishedAt":        finished,
			"sizeInBytes":       bytes,
			"durationInSeconds": seconds,
			"backupName":        fmt.Sprintf("backup-%d", n),
			"bucket": Object{
				"bucketPath":         fmt.Sprintf("s3://backups.example/orders/%d", n),
				"iamRoleArn":         "arn:aws:iam::111122223333:role/backups",
				"iamRoleSessionName": "backups",
			},
		}
	}
	running := backup(4, "2025-07-04T01:00:00Z", "", 0, 0)
	for _, name := range []string{"finishedAt", "sizeInBytes", "durationInSeconds"} {
		running[name] = nil
	}
	return []any{
		backup(2, "2025-07-02T01:00:00Z", "2025-07-02T01:20:00Z", 1200, 734_003_200),
		backup(3, "2025-07-03T01:00:00Z", "2025-07-03T01:25:30Z", 1530, 751_619_276),
		running,
		backup(1, "2025-07-01T01:00:00Z", "2025-07-01T03:46:40Z", 10000, 9_007_199_254_740_993),
	}
}
