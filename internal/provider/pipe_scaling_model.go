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

// from is what a pipe says of the scaling that m names.
func (m pipeScalingModel) from(pipe *api.Pipe) pipeScalingModel {
	scaling, _ := pipe.Scaling.Get()
	m.Replicas = int64From(stated(scaling.Replicas))
	m.Concurrency = int64From(stated(scaling.Concurrency))
	m.ReplicaCPUMillicores = int64From(stated(scaling.ReplicaCPUMillicores))
	m.ReplicaMemoryGB = float64From(stated(scaling.ReplicaMemoryGB))
	return m
}

// scaling is what m sets, as the API takes it.
func (m pipeScalingModel) scaling() api.Scaling {
	return api.Scaling{
		Replicas:             toInt64(m.Replicas),
		Concurrency:          toInt64(m.Concurrency),
		ReplicaCPUMillicores: toInt64(m.ReplicaCPUMillicores),
		ReplicaMemoryGB:      toFloat64(m.ReplicaMemoryGB),
	}
}
