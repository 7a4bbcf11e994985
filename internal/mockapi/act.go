package mockapi

import (
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// handler does one operation, under the server's mutex.
type handler struct {
	// act changes the object; nil if the operation changes nothing.
	act func(s *Server, target *storedObject, body Object) *problem
	// show is the operation's result in full.
	show func(s *Server, target *storedObject) any
}

// handlers has one for each operationId of openapi.yaml and of [readsByGet].
var handlers = map[string]handler{
	"getPipe":            {nil, (*Server).showPipe},
	"scalePipe":          {(*Server).scalePipe, (*Server).showPipe},
	"updatePipeSettings": {(*Server).updatePipeSettings, (*Server).showSettings},
	"updateService":      {(*Server).updateService, (*Server).showService},
	"updateKey":          {(*Server).updateKey, (*Server).showKey},
	"listBackups":        {nil, (*Server).showBackups},
	"getService":         {nil, (*Server).showService},
	"getKey":             {(*Server).useKey, (*Server).showKey},
}

// act carries out a request, or refuses it.
func (s *Server) act(c *call) reply {
	s.mu.Lock()
	response, refusal := s.perform(c)
	s.mu.Unlock()
	if refusal != nil {
		return s.refusal(refusal)
	}
	return response
}

// perform changes nothing if it refuses a request. The checks are in a real server's order:
// credentials, operation, object, body.
func (s *Server) perform(c *call) (reply, *problem) {
	credential, refusal := authenticate(c.Request)
	if refusal != nil {
		return reply{}, refusal
	}
	if refusal := c.route(); refusal != nil {
		return reply{}, refusal
	}
	if refusal := c.checkIDs(); refusal != nil {
		return reply{}, refusal
	}
	if refusal := s.authorize(c, credential); refusal != nil {
		return reply{}, refusal
	}
	target, refusal := s.locate(c)
	if refusal != nil {
		return reply{}, refusal
	}
	if refusal := s.variants.refuseOperation(c, target); refusal != nil {
		return reply{}, refusal
	}
	body, refusal := s.readBody(c)
	if refusal != nil {
		return reply{}, refusal
	}
	if refusal := s.loseRead(c, target, body); refusal != nil {
		return reply{}, refusal
	}
	handler := handlers[c.operation.id]
	if handler.act != nil {
		before := clone(target.document)
		if refusal := handler.act(s, target, body); refusal != nil {
			return reply{}, refusal
		}
		s.keepVersion(target, before)
	}
	isUpdate := len(body) > 0
	target.losesRead = target.losesRead || isUpdate
	response, refusal := s.respond(c, target, body, handler.show(s, target))
	if refusal == nil && isUpdate {
		response = s.variants.updated(response)
	}
	return response, refusal
}

// locate finds the object that the path names.
func (s *Server) locate(c *call) (*storedObject, *problem) {
	if organization := c.ids["organizationId"]; !strings.EqualFold(organization, OrganizationID) {
		return nil, refuse(http.StatusNotFound, "organization %s not found", organization)
	}
	serviceID, pipeID, keyID := c.ids["serviceId"], c.ids["pipeId"], c.ids["keyId"]
	target, found := s.store.find(Service, serviceID)
	what := "service " + serviceID
	switch {
	case keyID != "":
		target, found = s.store.find(Key, keyID)
		what = "API key " + keyID
	case pipeID != "":
		target, found = s.store.pipe(serviceID, pipeID)
		what = "pipe " + pipeID
	}
	if !found {
		return nil, s.variants.missing(what)
	}
	return target, nil
}

func (v Variants) missing(what string) *problem {
	if v.Has("gone") {
		return refuse(http.StatusGone, "%s no longer exists", what)
	}
	return refuse(http.StatusNotFound, "%s not found", what)
}

// readBody decodes the body and checks it against openapi.yaml.
func (s *Server) readBody(c *call) (Object, *problem) {
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
	if isObject && c.operation.id == "updatePipeSettings" {
		value = s.variants.documentedSettings(body)
	}
	if err := check(c.operation.body, value); err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	return body, nil
}

// respond shows a result under the variants, and checks it against openapi.yaml under those
// that keep its types.
func (s *Server) respond(c *call, target *storedObject, body Object, result any) (reply, *problem) {
	target.shown++
	show := func(v Variants) any {
		return v.sparse(c.operation, v.present(c.operation, result, target.shown, body), body)
	}
	isMistyped := func(name string) bool { return name == "numbers=quoted" || name == "capital_enums" }
	documented := slices.DeleteFunc(slices.Clone(s.variants), isMistyped)
	envelope := s.variants.envelope(http.StatusOK)
	envelope["result"] = show(documented)
	if err := check(c.operation.envelope, envelope); err != nil {
		// No client retries a 501: the mistake shows at once.
		return reply{}, refuse(http.StatusNotImplemented, "mockapi: what is stored does not fit openapi.yaml: %v", err)
	}
	if len(documented) < len(s.variants) {
		envelope["result"] = show(s.variants)
	}
	header := s.variants.announceMore(c, envelope)
	text, _ := json.Marshal(envelope)
	response := jsonReply(http.StatusOK, text)
	maps.Copy(response.header, header)
	return response, nil
}

// refuseOperation refuses what an object does not offer.
func (v Variants) refuseOperation(c *call, target *storedObject) *problem {
	if v.Has("idle_service") && c.ids["serviceId"] != "" {
		return refuse(http.StatusFailedDependency, "FAILED_DEPENDENCY: the service is not running. Current state: idle")
	}
	status := v.number("postgres_settings")
	if status > 0 && c.operation.id == "updatePipeSettings" && slices.Contains(target.sources(), "postgres") {
		return refuse(status, "cannot %s %s", c.Method, c.URL.Path)
	}
	return nil
}
