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

// storedObject is an object, and what belongs to it and is never shown.
type storedObject struct {
	kind     Kind
	document Object
	// versions are what the object was before its changes, oldest first.
	versions []version
	// parent is the id of the service that owns a pipe.
	parent string
	// defaults holds the scaling and settings a pipe was created with.
	defaults Object
	// late is what a pipe's scaling looks like at first; nil for as it is.
	late *lateScaling
	// losesRead is set by a change: the next read may be lost.
	losesRead bool
	// shown is how many responses have shown the object.
	shown int
}

func (o *storedObject) id() string { return o.document["id"].(string) }

// store holds the objects of the one organization. It is not safe for
// concurrent use; the server's mutex guards it.
type store struct {
	objects map[Kind]map[string]*storedObject
	backups map[string][]any
	now     func() time.Time
}

func newStore(now func() time.Time) *store {
	return &store{
		objects: map[Kind]map[string]*storedObject{Pipe: {}, Service: {}, Key: {}},
		backups: map[string][]any{},
		now:     now,
	}
}

// find looks an object up by its id, whose letters may be of either case.
func (st *store) find(kind Kind, id string) (*storedObject, bool) {
	found, ok := st.objects[kind][strings.ToLower(id)]
	return found, ok
}

// must is find for tests, where an unknown id is a mistake.
func (st *store) must(kind Kind, id string) *storedObject {
	found, ok := st.find(kind, id)
	if !ok {
		panic(fmt.Sprintf("mockapi: no %s %s", kind, id))
	}
	return found
}

// pipe looks a pipe up in a service that exists.
func (st *store) pipe(serviceID, id string) (*storedObject, bool) {
	_, known := st.find(Service, serviceID)
	found, ok := st.find(Pipe, id)
	return found, known && ok && strings.EqualFold(found.parent, serviceID)
}

// add stores a copy of document, under an id of its own or a new one.
func (st *store) add(kind Kind, document Object) *storedObject {
	document = clone(document)
	id, ok := document["id"].(string)
	if !ok {
		id = uuid.NewString()
		document["id"] = id
	}
	added := &storedObject{kind: kind, document: document}
	st.objects[kind][strings.ToLower(id)] = added
	return added
}

// addPipe adds a pipe. Its scaling and settings become its defaults.
func (st *store) addPipe(serviceID string, document Object) *storedObject {
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

// child is the object in document's member name. It is added if it is missing or null.
func child(document Object, name string) Object {
	object, ok := document[name].(Object)
	if !ok {
		object = Object{}
		document[name] = object
	}
	return object
}

// list is the list in document's member name; none if it is missing or null.
func list(document Object, name string) []any {
	elements, _ := document[name].([]any)
	return elements
}
