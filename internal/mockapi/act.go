package mockapi

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"
)

// handler does one operation on its object and returns the result in full;
// under the server's mutex.
type handler func(s *Server, target *record, body Object) (any, *problem)

// handlers has one for each operation of the contract.
var handlers = map[string]handler{
	"getPipe":            (*Server).getPipe,
	"scalePipe":          (*Server).scalePipe,
	"updatePipeSettings": (*Server).updatePipeSettings,
	"updateService":      (*Server).updateService,
	"updateKey":          (*Server).updateKey,
	"listBackups":        (*Server).listBackups,
}

// act does what a request asks for and answers it. A refused request changes
// nothing. The order of the checks is a real server's: who asks, for what,
// whether it exists, and only then how.
func (s *Server) act(c *call) reply {
	if refusal := authenticate(c.Request); refusal != nil {
		return s.refusal(refusal)
	}
	if refusal := c.route(); refusal != nil {
		return s.refusal(refusal)
	}
	if refusal := c.checkIDs(); refusal != nil {
		return s.refusal(refusal)
	}
	s.mu.Lock()
	answer, refusal := s.perform(c)
	s.mu.Unlock()
	if refusal != nil {
		return s.refusal(refusal)
	}
	return answer
}

func authenticate(r *http.Request) *problem {
	id, secret, ok := r.BasicAuth()
	known := subtle.ConstantTimeCompare([]byte(id), []byte(KeyID)) & subtle.ConstantTimeCompare([]byte(secret), []byte(KeySecret))
	if ok && known == 1 {
		return nil
	}
	refusal := refuse(http.StatusUnauthorized, "the key id or the key secret is missing or wrong")
	refusal.header = http.Header{"Www-Authenticate": {`Basic realm="management API"`}}
	return refusal
}

func (s *Server) perform(c *call) (reply, *problem) {
	target, refusal := s.locate(c)
	if refusal != nil {
		return reply{}, refusal
	}
	body, refusal := c.readBody(target)
	if refusal != nil {
		return reply{}, refusal
	}
	result, refusal := handlers[c.operation.id](s, target, body)
	if refusal != nil {
		return reply{}, refusal
	}
	return s.answer(c, target, body, result)
}

// locate finds the object that the path names.
func (s *Server) locate(c *call) (*record, *problem) {
	if organization := c.ids["organizationId"]; !strings.EqualFold(organization, OrganizationID) {
		return nil, refuse(http.StatusNotFound, "organization %s not found", organization)
	}
	serviceID, pipeID, keyID := c.ids["serviceId"], c.ids["pipeId"], c.ids["keyId"]
	var (
		target *record
		ok     bool
		what   string
	)
	switch {
	case keyID != "":
		target, ok = s.store.find(Key, keyID)
		what = "API key " + keyID
	case pipeID != "":
		target, ok = s.store.pipe(serviceID, pipeID)
		what = "pipe " + pipeID
	default:
		target, ok = s.store.find(Service, serviceID)
		what = "service " + serviceID
	}
	if !ok {
		return nil, refuse(http.StatusNotFound, "%s not found", what)
	}
	return target, nil
}

// readBody holds the body against the contract and decodes it.
func (c *call) readBody(target *record) (Object, *problem) {
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](c.bodyErr)
	switch {
	case isTooLarge:
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	case c.bodyErr != nil:
		return nil, refuse(http.StatusBadRequest, "the body ends too early: %v", c.bodyErr)
	case c.operation.body == nil && len(c.body) > 0:
		return nil, refuse(http.StatusBadRequest, "%s takes no body", c.operation.id)
	case c.operation.body == nil:
		return nil, nil
	}
	if given, _, err := mime.ParseMediaType(c.Header.Get("Content-Type")); err != nil || given != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, "the body must be application/json, not %q", c.Header.Get("Content-Type"))
	}
	value, err := decode(c.body)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "body: not JSON: %v", err)
	}
	body, isObject := value.(Object)
	if isObject {
		value = target.withoutOwnSettings(c.operation, body)
	}
	if err := check(c.operation.body, value); err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	return body, nil
}

// answer shows a result as the readings say, and holds it against the
// contract.
func (s *Server) answer(c *call, target *record, body Object, result any) (reply, *problem) {
	target.shown++
	shown := s.readings.present(c.operation, result, target.shown)
	shown = s.readings.sparse(c.operation, shown, body)
	envelope := s.readings.envelope(http.StatusOK)
	envelope["result"] = shown

	var err error
	if s.readings.LooseEnvelope { // which the contract does not allow for
		err = check(c.operation.result, shown)
	} else {
		err = check(c.operation.envelope, envelope)
	}
	if err != nil {
		// No client retries 501, so that the mistake is seen at once.
		return reply{}, refuse(http.StatusNotImplemented, "mockapi: what is stored breaks the contract: %v", err)
	}
	text, _ := json.Marshal(envelope)
	return jsonReply(http.StatusOK, text), nil
}
