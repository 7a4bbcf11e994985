package provider

import (
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// sourceNames are the kinds of source as messages name them.
var sourceNames = map[string]string{
	api.Kafka:         "Kafka",
	api.ObjectStorage: "object storage",
	api.Kinesis:       "Kinesis",
	api.Postgres:      "Postgres",
}

// scalingSources are the kinds of source that a scaling attribute applies to. One
// that is not listed applies to all.
var scalingSources = map[string][]string{
	"replicas":               {api.Kafka},
	"concurrency":            {api.ObjectStorage},
	"replica_cpu_millicores": {api.Kafka, api.Kinesis},
	"replica_memory_gb":      {api.Kafka, api.Kinesis},
}

func namesOf(kinds []string) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = sourceNames[kind]
	}
	return strings.Join(names, " and ")
}
