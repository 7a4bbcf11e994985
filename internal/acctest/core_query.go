package acctest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A Query is a list block.
type Query struct {
	Kind            string
	Config          map[string]any
	Limit           int64
	IncludeResource bool
}

// A Found is what a query found. Resource is null if the query did not ask for it.
type Found struct {
	Name     string
	Identity *tfprotov6.ResourceIdentityData
	Resource tftypes.Value
}

// Query validates a list block and lists what exists. Like Terraform, it reads no further
// than its limit, and stops at the first error.
func (c *Core) Query(q Query) (all []Found, err error) {
	c.t.Helper()
	server, typeName := c.Server.(tfprotov6.ListResourceServer), "dbplatform_"+q.Kind
	shape := c.schemas.ListResourceSchemas[typeName].ValueType().(tftypes.Object)
	config := must(tfprotov6.NewDynamicValue(shape, object(shape, q.Config)))
	validated := must(server.ValidateListResourceConfig(c.Context, &tfprotov6.ValidateListResourceConfigRequest{TypeName: typeName, Config: &config}))
	if err := c.errorOf(validated.Diagnostics); err != nil {
		return nil, err
	}
	stream := must(server.ListResource(c.Context, &tfprotov6.ListResourceRequest{
		TypeName: typeName, Config: &config, Limit: q.Limit, IncludeResource: q.IncludeResource,
	}))
	for result := range stream.Results {
		if err := c.errorOf(result.Diagnostics); err != nil {
			return all, err
		}
		if result.Identity == nil { // it only warns
			continue
		}
		found := Found{result.DisplayName, result.Identity, tftypes.NewValue(c.Type(q.Kind), nil)}
		if result.Resource != nil {
			found.Resource = c.Unpack(q.Kind, result.Resource)
		}
		if all = append(all, found); int64(len(all)) == q.Limit {
			break
		}
	}
	return all, nil
}
