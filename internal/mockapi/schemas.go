package mockapi

import "github.com/getkin/kin-openapi/openapi3"

// Schemas returns what openapi.yaml describes of an operation: the body of its
// request, nil if it has none, and its result. It panics if there is no such operation.
func Schemas(operationID string) (request, result *openapi3.Schema) {
	for _, operation := range contract() {
		if operation.id == operationID {
			return operation.body, operation.result
		}
	}
	panic("mockapi: openapi.yaml has no operation " + operationID)
}

// Members returns the members that a schema describes; none for nil.
func Members(schema *openapi3.Schema) map[string]*openapi3.Schema {
	if schema == nil {
		return nil
	}
	return properties(schema)
}

// Sources returns the kinds of source that a member of a request applies to; none for all.
func Sources(member *openapi3.Schema) (kinds []string) {
	if member == nil {
		return nil
	}
	list, _ := member.Extensions["x-sources"].([]any)
	for _, kind := range list {
		kinds = append(kinds, kind.(string))
	}
	return kinds
}

// enumOf returns the values that a member, or each element of a list, may have; nil for any.
func enumOf(member *openapi3.Schema) []any {
	if member.Items != nil {
		member = member.Items.Value
	}
	return member.Enum
}
