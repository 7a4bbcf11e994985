package mockapi

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
)

// contractSource is the OpenAPI 3.1 description of the API. The server checks
// every request and every response against it.
//
//go:embed openapi.yaml
var contractSource []byte

// operation is one of the contract's operations.
type operation struct {
	id       string
	method   string
	segments []string // of the path; a parameter is "{name}"
	body     *openapi3.Schema
	envelope *openapi3.Schema // of the response
	result   *openapi3.Schema // of the response's result
}

// contract loads the description once; no server changes it.
var contract = sync.OnceValue(func() []*operation {
	document, err := openapi3.NewLoader().LoadFromData(contractSource)
	if err == nil {
		err = document.Validate(context.Background())
	}
	if err != nil {
		panic(fmt.Sprintf("mockapi: openapi.yaml: %v", err))
	}
	var operations []*operation
	for path, item := range document.Paths.Map() {
		for method, described := range item.Operations() {
			loaded := &operation{
				id:       described.OperationID,
				method:   method,
				segments: strings.Split(strings.Trim(path, "/"), "/"),
			}
			if described.RequestBody != nil {
				loaded.body = jsonSchema(described.RequestBody.Value.Content)
			}
			loaded.envelope = jsonSchema(described.Responses.Status(http.StatusOK).Value.Content)
			loaded.result = properties(loaded.envelope)["result"]
			operations = append(operations, loaded)
		}
	}
	return operations
})

// readsByGet are operations that openapi.yaml does not have: GET on the path of a
// service and of a key. Their responses are those of the updates.
var readsByGet = sync.OnceValue(func() []*operation {
	var reads []*operation
	for _, update := range contract() {
		if id, ok := map[string]string{"updateService": "getService", "updateKey": "getKey"}[update.id]; ok {
			read := *update
			read.id, read.method, read.body = id, http.MethodGet, nil
			reads = append(reads, &read)
		}
	}
	return reads
})

func jsonSchema(content openapi3.Content) *openapi3.Schema {
	return content["application/json"].Schema.Value
}

// properties are the members that a schema describes, also in its allOf. Later
// parts of an allOf override earlier ones.
func properties(schema *openapi3.Schema) map[string]*openapi3.Schema {
	described := map[string]*openapi3.Schema{}
	for _, part := range schema.AllOf {
		maps.Copy(described, properties(part.Value))
	}
	for name, member := range schema.Properties {
		described[name] = member.Value
	}
	return described
}

// The formats in openapi.yaml. kin-openapi enforces none by itself.
var formats = []openapi3.SchemaValidationOption{
	openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(checkUUID)),
	openapi3.WithStringFormatValidator("date-time", openapi3.NewCallbackValidator(checkTime)),
}

func checkUUID(text string) error {
	const length = 36 // the parser takes three other forms besides
	if len(text) != length {
		return fmt.Errorf("%q is not a UUID of %d characters", text, length)
	}
	_, err := uuid.Parse(text)
	return err
}

func checkTime(text string) error {
	_, err := time.Parse(time.RFC3339, text)
	return err
}

// check validates value. The error names every violation and its place.
//
// It calls VisitJSON because the validator that kin-openapi prefers for OpenAPI
// 3.1 compiles the schema for every value, and its errors are less clear.
func check(schema *openapi3.Schema, value any) error {
	err := schema.VisitJSON(value, append([]openapi3.SchemaValidationOption{openapi3.MultiErrors()}, formats...)...)
	if err == nil {
		return nil
	}
	violations := describe(err)
	slices.Sort(violations) // the validator visits members in no order
	return errors.New(strings.Join(slices.Compact(violations), "; "))
}

func describe(err error) []string {
	if several, ok := errors.AsType[openapi3.MultiError](err); ok {
		var all []string
		for _, one := range several {
			all = append(all, describe(one)...)
		}
		return all
	}
	violation, ok := errors.AsType[*openapi3.SchemaError](err)
	if !ok {
		return []string{err.Error()}
	}
	where := "body"
	if path := violation.JSONPointer(); len(path) > 0 {
		where = strings.Join(path, ".")
	}
	what := violation.Reason
	if violation.Schema != nil && violation.Schema.Title != "" {
		what += ": it must be " + violation.Schema.Title
	}
	return []string{where + ": " + what}
}
