package mockapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// call is one request on its way through the server.
type call struct {
	*http.Request
	body    []byte
	bodyErr error // why the body could not be read in full

	operation *operation        // nil if none fits
	ids       map[string]string // the path's parameters
	methods   []string          // of a known path
}

// newCall finds the operation of a request. The variants may add
// some to those of openapi.yaml.
func newCall(r *http.Request, v Variants) *call {
	operations := contract()
	if v.Has("read_by_get") {
		operations = slices.Concat(operations, readsByGet())
	}
	c := &call{Request: r}
	segments := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	for _, candidate := range operations {
		ids, ok := candidate.match(segments)
		if !ok {
			continue
		}
		c.methods = append(c.methods, candidate.method)
		if candidate.method == r.Method {
			c.operation, c.ids = candidate, ids
		}
	}
	return c
}

// match compares a path with the operation's and returns its parameters.
func (o *operation) match(segments []string) (map[string]string, bool) {
	if len(segments) != len(o.segments) {
		return nil, false
	}
	ids := map[string]string{}
	for i, segment := range o.segments {
		name, isParameter := strings.CutPrefix(segment, "{")
		switch {
		case isParameter:
			ids[strings.TrimSuffix(name, "}")] = segments[i]
		case segment != segments[i]:
			return nil, false
		}
	}
	return ids, true
}

// OperationOf is the operationId of a request, or getService or getKey; empty if none
// fits.
func OperationOf(r *http.Request) string { return newCall(r, Variants{"read_by_get"}).name() }

// name is the operation's id; empty if no operation fits.
func (c *call) name() string {
	if c.operation == nil {
		return ""
	}
	return c.operation.id
}

// route refuses a path or a method that openapi.yaml does not have.
func (c *call) route() *problem {
	switch {
	case c.operation != nil:
		return nil
	case len(c.methods) == 0:
		return refuse(http.StatusNotFound, "there is nothing at %s", c.URL.Path)
	}
	refusal := refuse(http.StatusMethodNotAllowed, "%s does not allow %s", c.URL.Path, c.Method)
	refusal.header = http.Header{"Allow": {strings.Join(c.methods, ", ")}}
	return refusal
}

// checkIDs refuses ids that are not UUIDs.
func (c *call) checkIDs() *problem {
	for name, id := range c.ids {
		if err := checkUUID(id); err != nil {
			return refuse(http.StatusBadRequest, "path: %s: %v", name, err)
		}
	}
	return nil
}

// problem is why a request is refused.
type problem struct {
	status  int
	header  http.Header
	message string
	isPage  bool // in HTML, as a gateway writes it
}

func refuse(status int, format string, args ...any) *problem {
	return &problem{status: status, message: fmt.Sprintf(format, args...)}
}
