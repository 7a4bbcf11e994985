package mockapi

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// openapi.yaml describes exactly the members that the seed fills. The provider's
// tests compare their names with its attributes.
func TestSeedHasTheMembersOfTheContract(t *testing.T) {
	t.Parallel()
	described, stored := members{}, members{}
	for _, operation := range contract() {
		if operation.id != "scalePipe" { // responds like getPipe
			described.describe(operation.id, operation.result)
		}
	}
	s := New()
	for _, id := range []string{KafkaPipeID, ObjectStoragePipeID, KinesisPipeID, PostgresPipeID} {
		stored.store("getPipe", s.Object(Pipe, id))
	}
	stored.store("updatePipeSettings", s.Object(Pipe, KafkaPipeID)["settings"])
	stored.store("updateService", s.showService(s.store.must(Service, ServiceID)))
	stored.store("updateKey", s.showKey(s.store.must(Key, APIKeyID)))
	stored.store("listBackups", s.store.backups[ServiceID])
	if diff := cmp.Diff(described, stored); diff != "" {
		t.Errorf("(-openapi.yaml +seed):\n%s", diff)
	}
}

// members are paths, such as getPipe.source.kafka.
type members map[string]bool

// describe adds the members of a schema, or of a list's elements.
func (m members) describe(path string, schema *openapi3.Schema) {
	if schema.Items != nil {
		schema = schema.Items.Value
	}
	for name, member := range properties(schema) {
		m[path+"."+name] = true
		m.describe(path+"."+name, member)
	}
}

// store adds the members of an object, or of a list's elements, that have a value.
func (m members) store(path string, value any) {
	switch value := value.(type) {
	case Object:
		for name, member := range value {
			if member != nil {
				m[path+"."+name] = true
				m.store(path+"."+name, member)
			}
		}
	case []any:
		for _, element := range value {
			m.store(path, element)
		}
	}
}
