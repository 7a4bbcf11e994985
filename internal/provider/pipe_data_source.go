package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// pipeLookup looks up an ingestion pipe (operation getPipe).
func pipeLookup() adopt.Lookup {
	attributes := pipeSchema()
	attributeTypes := attributes.Type().(types.ObjectType).AttrTypes
	return adopt.Lookup{
		TypeName:       "pipe",
		Noun:           "pipe",
		IDs:            []string{"service_id", "pipe_id"},
		Schema:         attributes,
		ValidateConfig: checkPipeID,
		Read: func(ctx context.Context, client *api.Client, ids adopt.Attributes) (adopt.Attributes, error) {
			pipe, err := client.Pipe(ctx, adopt.Text(ids["service_id"]), adopt.Text(ids["pipe_id"]))
			if err != nil {
				return nil, err
			}
			var object api.Object
			_ = json.Unmarshal(pipe.Returned, &object) // a pipe was decoded from it
			shown := adopt.FromObject(ctx, attributeTypes, object)
			if kinds, _ := pipe.Source.Get(); len(kinds) == 1 {
				shown["source_type"] = types.StringValue(adopt.AttributeName(kinds[0]))
			}
			return shown, nil
		},
	}
}

func pipeSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Looks up an ingestion pipe." + lookedUp,
		Attributes: attributeMap{
			"service_id": lookedUpID("UUID of the service that owns the pipe."),
			"pipe_id":    lookedUpID("UUID of the pipe."),
			"name":       readString("Name of the pipe."),
			"state":      readString("State of the pipe. The values are not documented."),
			"scaling":    readObject("Scaling of the pipe.", adopt.LookupAttributes(pipeScaling{})),
			"source":     readObject("Source of the data. Only the attribute for the pipe's kind of source is not null.", sourceAttributes()),
			"source_type": readString("Kind of source that the pipe reads from: `kafka`, `object_storage`, `kinesis` or `postgres`. " +
				"Null if the API returns none or several of these."),
			"destination":    readObject("Destination of the data.", destinationAttributes()),
			"field_mappings": readObjects("Mapping of source fields to destination fields.", fieldMappingAttributes()),
			"settings":       readObject("Settings of the pipe.", adopt.LookupAttributes(pipeSettings{})),
			"created_at":     readString("Creation time, in an undocumented format."),
			"updated_at":     readString("Time of the last change, in an undocumented format."),
		},
	}
}
