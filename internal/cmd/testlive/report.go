package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A survey is what responses show: what was seen, by the point that the documentation
// leaves open.
type survey map[string][]string

func (s survey) see(point, seen string) {
	if !slices.Contains(s[point], seen) {
		s[point] = append(s[point], seen)
	}
}

// report prints the table. It goes into bug reports: it has no values of the account.
func (s survey) report(out io.Writer) {
	fmt.Fprintf(out, "\n| Open point | This API |\n|---|---|\n")
	for _, point := range names(s) {
		fmt.Fprintf(out, "| %s | %s |\n", point, strings.ReplaceAll(strings.Join(slices.Sorted(slices.Values(s[point])), "; "), "|", `\|`))
	}
}

// names returns the keys of a map, sorted.
func names[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// kindOf returns what is at a path, and the operation whose result describes it.
func kindOf(path string) (kind, operation string) {
	switch {
	case strings.HasPrefix(path, "/keys/"):
		return "key", "updateKey"
	case strings.Contains(path, "/pipes/"):
		return "pipe", "getPipe"
	case strings.HasSuffix(path, "/backups"):
		return "backups", "listBackups"
	}
	return "service", "updateService"
}

// surveyOf looks at all responses of a run. unknown is the id of a pipe that should
// not exist.
func surveyOf(exchanges []*exchange, unknown string) survey {
	s := survey{}
	for _, e := range exchanges {
		kind, operation := kindOf(e.path)
		request, object := e.method, "the "+kind
		if request == http.MethodPatch && !e.isWrite() {
			request = "PATCH with {}"
		}
		if strings.HasSuffix(e.path, unknown) {
			object = "a pipe that should not exist"
		}
		s.see(fmt.Sprintf("%s of %s", request, object), fmt.Sprintf("%d, %s", e.status, e.form()))
		if e.isShown() {
			_, result := mockapi.Schemas(operation)
			s.value(kind, result, e.envelope["result"])
		}
	}
	return s
}

// form is that of a response's body.
func (e *exchange) form() string {
	switch {
	case e.envelope != nil:
		return "JSON: " + strings.Join(names(e.envelope), ", ")
	case e.hasBody:
		return "no JSON"
	}
	return "no body"
}

// value looks at a value of a response: whether it is as openapi.yaml describes it.
func (s survey) value(path string, schema *openapi3.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		s.members(path, mockapi.Members(schema), value)
		return
	case []any:
		if len(value) == 0 {
			s.see("Members that are empty", path)
		}
		for _, element := range value {
			if schema != nil && schema.Items != nil {
				s.value(path, schema.Items.Value, element)
			}
		}
		return
	case nil:
		s.see("Members that are null", path)
		return
	}
	text, isText := value.(string)
	switch {
	case schema != nil && schema.VisitJSON(plain(value)) != nil:
		s.see("Members in another form than documented", fmt.Sprintf("%s: a %T", path, plain(value)))
	case isText && text == "" && !strings.HasSuffix(path, ".description"):
		s.see("Members that are empty", path)
	}
}

func (s survey) members(path string, documented map[string]*openapi3.Schema, object map[string]any) {
	for name, schema := range documented {
		if value, isThere := object[name]; isThere {
			s.value(path+"."+name, schema, value)
		} else {
			s.see("Members that are left out", path+"."+name)
		}
	}
	for name := range object {
		if len(documented) > 0 && documented[name] == nil {
			s.see("Members that are not documented", path+"."+name)
		}
	}
}
