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

//go:embed openapi.yaml
var contractSource []byte

// Contract is the OpenAPI 3.1 description (YAML) of the API, against which the
// server checks every request and each of its own answers.
func Contract() []byte { return slices.Clone(contractSource) }

// operation is one of the contract's operations.
type operation struct {
	id       string
	method   string
	segments []string // of the path; a parameter is "{name}"
	body     *openapi3.Schema
	envelope *openapi3.Schema // of the answer
	result   *openapi3.Schema // of the answer's result
}

// contract loads the description once; no server changes it.
var contract = sync.OnceValue(func() []*operation {
	operations, err := loadContract(contractSource)
	if err != nil {
		panic(fmt.Sprintf("mockapi: openapi.yaml: %v", err))
	}
	return operations
})

func loadContract(source []byte) ([]*operation, error) {
	document, err := openapi3.NewLoader().LoadFromData(source)
	if err != nil {
		return nil, err
	}
	if err := document.Validate(context.Background()); err != nil {
		return nil, err
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
	return operations, nil
}

func jsonSchema(content openapi3.Content) *openapi3.Schema {
	return content["application/json"].Schema.Value
}

// properties are the members that a schema describes, in its allOf as well. A
// later part of an allOf describes a member more closely.
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

// The formats of the contract. kin-openapi enforces none by itself.
var formats = []openapi3.SchemaValidationOption{
	openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(checkUUID)),
	openapi3.WithStringFormatValidator("uuid4", openapi3.NewCallbackValidator(checkUUID4)),
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

func checkUUID4(text string) error {
	if err := checkUUID(text); err != nil {
		return err
	}
	if version := uuid.MustParse(text).Version(); version != 4 {
		return fmt.Errorf("%q is a UUID of version %d, not 4", text, version)
	}
	return nil
}

func checkTime(text string) error {
	_, err := time.Parse(time.RFC3339, text)
	return err
}

// check holds value against schema. The error names every fault and where it
// is.
//
// It is kin-openapi's own validator that checks. The one it prefers for OpenAPI
// 3.1 compiles the schema anew for every value, which would cost more than all
// the rest of a request, and names faults less clearly. The contract needs
// nothing that only the other one knows.
func check(schema *openapi3.Schema, value any) error {
	err := schema.VisitJSON(value, append([]openapi3.SchemaValidationOption{openapi3.MultiErrors()}, formats...)...)
	if err == nil {
		return nil
	}
	faults := describe(err)
	slices.Sort(faults) // the validator visits members in no order
	return errors.New(strings.Join(slices.Compact(faults), "; "))
}

func describe(err error) []string {
	if several, ok := errors.AsType[openapi3.MultiError](err); ok {
		var all []string
		for _, one := range several {
			all = append(all, describe(one)...)
		}
		return all
	}
	fault, ok := errors.AsType[*openapi3.SchemaError](err)
	if !ok {
		return []string{err.Error()}
	}
	where := "body"
	if path := fault.JSONPointer(); len(path) > 0 {
		where = strings.Join(path, ".")
	}
	what := fault.Reason
	if fault.Schema != nil && fault.Schema.Title != "" {
		what += ": it must be " + fault.Schema.Title
	}
	return []string{where + ": " + what}
}
