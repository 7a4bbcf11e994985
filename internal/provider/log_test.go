package provider

import (
	"strings"
	"testing"
)

func TestLogIsOn(t *testing.T) {
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
			if LogIsOn() != want {
				t.Errorf("wanted: %t", !want)
			}
		})
	}
}
