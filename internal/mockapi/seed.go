package mockapi

import (
	_ "embed"
	"fmt"
	"maps"
	"sync"
)

// What every fresh server holds. The ids are fixed, so that tests and
// demonstrations can name them.
const (
	// OrganizationID is the one organization.
	OrganizationID = "00000000-0000-4000-8000-000000000001"
	// KeyID and KeySecret are the credentials that may do everything, while the key
	// OwnAPIKeyID is enabled and has not expired.
	KeyID     = "mock-key-id"
	KeySecret = "mock-key-secret"

	// ServiceID is a service with every member.
	ServiceID = "11111111-1111-4111-8111-111111111111"
	// OtherServiceID is a service with few members, no pipe and no backup.
	OtherServiceID = "11111111-1111-4111-8111-222222222222"

	// KafkaPipeID and the three after it are the pipes of [ServiceID], one for
	// each kind of source, with every member except the other sources.
	KafkaPipeID         = "22222222-2222-4222-8222-111111111111"
	ObjectStoragePipeID = "22222222-2222-4222-8222-222222222222"
	KinesisPipeID       = "22222222-2222-4222-8222-333333333333"
	PostgresPipeID      = "22222222-2222-4222-8222-444444444444"

	// APIKeyID is a key with every member: it expires and has an access
	// list.
	APIKeyID = "33333333-3333-4333-8333-111111111111"
	// OtherAPIKeyID is a key that never expires, was never used and may be
	// used from everywhere.
	OtherAPIKeyID = "33333333-3333-4333-8333-222222222222"
	// NextAPIKeyID is a key that expires and may be used from everywhere.
	NextAPIKeyID = "33333333-3333-4333-8333-333333333333"
	// OwnAPIKeyID is the key of KeyID.
	OwnAPIKeyID = "33333333-3333-4333-8333-444444444444"
)

// seedSource holds the objects. The backups of [ServiceID] are in no order, one
// never finished, and the size of one is past what a float64 holds.
//
//go:embed seed.json
var seedSource []byte

// seed returns the decoded seed. No server changes it: each stores copies.
var seed = sync.OnceValue(func() Object {
	decoded, err := decode(seedSource)
	if err != nil {
		panic(fmt.Sprintf("mockapi: seed.json: %v", err))
	}
	return decoded.(Object)
})

func (st *store) seed() {
	for kind, member := range map[Kind]string{Service: "services", Key: "keys"} {
		for _, object := range list(seed(), member) {
			st.add(kind, object.(Object))
		}
	}
	for _, pipe := range list(seed(), "pipes") {
		st.addPipe(ServiceID, seedPipe(pipe.(Object)))
	}
	st.backups[ServiceID] = list(seed(), "backups")
}

// seedPipe returns pipe with the members that do not depend on its source.
func seedPipe(pipe Object) Object {
	whole := maps.Clone(seed()["everyPipe"].(Object))
	maps.Copy(whole, pipe)
	return whole
}

// AddPipes adds n pipes with a kafka source to [ServiceID] and returns their
// ids, which are the same for every server: for measuring, and for trying things
// with many.
func (s *Server) AddPipes(n int) []string {
	source := list(seed(), "pipes")[0].(Object)["source"].(Object)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("55555555-5555-4555-8555-%012d", i+1)
		s.AddPipe(ServiceID, seedPipe(Object{"id": ids[i], "name": fmt.Sprintf("Pipe %d", i+1), "source": source}))
	}
	return ids
}
