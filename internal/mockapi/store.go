package mockapi

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Kind is a kind of object that can be looked at and changed behind the
// provider's back.
type Kind string

// The kinds of object.
const (
	Pipe    Kind = "pipe"
	Service Kind = "service"
	Key     Kind = "key"
)

// record is an object with what belongs to it and is never shown.
type record struct {
	kind     Kind
	document Object
	// versions are what the object was before its changes, oldest first.
	versions []version
	// parent is the id of the service that owns a pipe.
	parent string
	// defaults holds the scaling and settings a pipe was created with.
	defaults Object
	// late is what a pipe's scaling looks like while it is late.
	late *lateScaling
	// losesRead is set by a change. The next read may fail, see [Variants.LostRead].
	losesRead bool
	// shown counts the responses that showed the object.
	shown int
}

func (o *record) id() string { return o.document["id"].(string) }

// store holds the objects of the one organization. It is not safe for
// concurrent use; the server's mutex guards it.
type store struct {
	records map[Kind]map[string]*record
	backups map[string][]any
	now     func() time.Time
}

func newStore(now func() time.Time) *store {
	return &store{
		records: map[Kind]map[string]*record{Pipe: {}, Service: {}, Key: {}},
		backups: map[string][]any{},
		now:     now,
	}
}

// find looks an object up by its id, whose letters may be of either case.
func (st *store) find(kind Kind, id string) (*record, bool) {
	found, ok := st.records[kind][strings.ToLower(id)]
	return found, ok
}

// must is find for tests, where an unknown id is a mistake.
func (st *store) must(kind Kind, id string) *record {
	found, ok := st.find(kind, id)
	if !ok {
		panic(fmt.Sprintf("mockapi: no %s %s", kind, id))
	}
	return found
}

// pipe looks a pipe up in a service that exists.
func (st *store) pipe(serviceID, id string) (*record, bool) {
	_, known := st.find(Service, serviceID)
	found, ok := st.find(Pipe, id)
	return found, known && ok && strings.EqualFold(found.parent, serviceID)
}

// add stores a copy of document, under an id of its own or a new one.
func (st *store) add(kind Kind, document Object) *record {
	document = clone(document)
	id, ok := document["id"].(string)
	if !ok {
		id = uuid.NewString()
		document["id"] = id
	}
	added := &record{kind: kind, document: document}
	st.records[kind][strings.ToLower(id)] = added
	return added
}

// addPipe adds a pipe. Its scaling and settings become its defaults.
func (st *store) addPipe(serviceID string, document Object) *record {
	parent := st.must(Service, serviceID).id()
	added := st.add(Pipe, document)
	added.parent = parent
	added.document["serviceId"] = added.parent
	added.defaults = Object{}
	for _, name := range []string{"scaling", "settings"} {
		if _, ok := added.document[name].(Object); !ok {
			added.document[name] = Object{}
		}
		added.defaults[name] = canonical(added.document[name])
	}
	return added
}

// touch moves updatedAt to now.
func (st *store) touch(document Object) { st.advance(document, "updatedAt") }

// advance moves a time to now, and by at least one millisecond.
func (st *store) advance(document Object, member string) {
	moment := st.now().UTC().Truncate(time.Millisecond)
	if text, ok := document[member].(string); ok {
		if last, err := time.Parse(time.RFC3339, text); err == nil && !moment.After(last) {
			moment = last.Add(time.Millisecond)
		}
	}
	document[member] = moment.Format(time.RFC3339Nano)
}

// child is the object in document's member name, which is made where it is
// missing or null.
func child(document Object, name string) Object {
	object, ok := document[name].(Object)
	if !ok {
		object = Object{}
		document[name] = object
	}
	return object
}

// list is the list in document's member name; none where it is missing or
// null.
func list(document Object, name string) []any {
	elements, _ := document[name].([]any)
	return elements
}
