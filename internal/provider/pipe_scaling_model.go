package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

type pipeScalingModel struct {
	ServiceID            types.String  `tfsdk:"service_id"`
	PipeID               types.String  `tfsdk:"pipe_id"`
	Replicas             types.Int64   `tfsdk:"replicas"`
	Concurrency          types.Int64   `tfsdk:"concurrency"`
	ReplicaCPUMillicores types.Int64   `tfsdk:"replica_cpu_millicores"`
	ReplicaMemoryGB      types.Float64 `tfsdk:"replica_memory_gb"`
}

// from is the scaling of a pipe that the API returned.
func (m pipeScalingModel) from(pipe *api.Pipe) pipeScalingModel {
	scaling, _ := pipe.Scaling.Get()
	return pipeScalingModel{
		ServiceID:            m.ServiceID,
		PipeID:               m.PipeID,
		Replicas:             int64From(withoutNull(scaling.Replicas)),
		Concurrency:          int64From(withoutNull(scaling.Concurrency)),
		ReplicaCPUMillicores: int64From(withoutNull(scaling.ReplicaCPUMillicores)),
		ReplicaMemoryGB:      float64From(withoutNull(scaling.ReplicaMemoryGB)),
	}
}

// scaling is what the model sets.
func (m pipeScalingModel) scaling() api.Scaling {
	return api.Scaling{
		Replicas:             toInt64(m.Replicas),
		Concurrency:          toInt64(m.Concurrency),
		ReplicaCPUMillicores: toInt64(m.ReplicaCPUMillicores),
		ReplicaMemoryGB:      toFloat64(m.ReplicaMemoryGB),
	}
}
