package provider

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func TestLogsWanted(t *testing.T) {
	for variable, want := range map[string]bool{
		"TF_LOG=TRACE": true, "TF_LOG_PROVIDER=DEBUG": true, "TF_LOG_PROVIDER_DBPLATFORM=info": true,
		"TF_LOG=off": false, "TF_LOG_PROVIDER=": false, "TF_LOG_CORE=TRACE": false, "TF_LOG_PATH=log": false,
	} {
		t.Run(variable, func(t *testing.T) {
			for _, name := range []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK"} {
				t.Setenv(name, "")
			}
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
			if LogsWanted() != want {
				t.Errorf("wanted: %t", !want)
			}
		})
	}
}

// A call ends with its context.
func TestContextOfACall(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil)
		env.Fail(mockapi.Fault{Kind: mockapi.FaultHang})
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := env.Core(t, nil)
		c.Context = ctx
		for kind, ids := range map[string]map[string]string{
			"service": {"service_id": mockapi.ServiceID}, "api_key": {"key_id": mockapi.APIKeyID},
			"pipe": {"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID}, "backups": {"service_id": mockapi.ServiceID},
		} {
			if _, err := c.LookUp(kind, ids); err == nil || time.Since(began) > time.Second {
				t.Errorf("%s: after %s: %v", kind, time.Since(began), err)
			}
		}
		stop(t, c.Server) // others may wait for the reads, so they go on
	})
}
