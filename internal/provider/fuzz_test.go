package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// FuzzImportID: an import id is taken for what it says, or refused with the
// form that it should have.
func FuzzImportID(f *testing.F) {
	for _, seed := range []string{
		"", "/", "//", mockapi.ServiceID, mockapi.ServiceID + "/" + mockapi.KafkaPipeID, mockapi.ServiceID + "/", " " + mockapi.ServiceID,
		strings.ToUpper("aaaaaaaa-3333-4333-8333-333333333333"), "urn:uuid:" + mockapi.ServiceID, "{" + mockapi.ServiceID + "}",
		strings.ReplaceAll(mockapi.ServiceID, "-", ""), "../" + mockapi.ServiceID, "\x00/\xff", strings.Repeat("/", 1000),
	} {
		f.Add(seed)
	}
	all := underTest.Schemas(f)
	ids := map[string][]string{
		"service": {"service_id"}, "api_key": {"key_id"},
		"pipe_scaling": {"service_id", "pipe_id"}, "pipe_settings": {"service_id", "pipe_id"},
	}
	f.Fuzz(func(t *testing.T, id string) {
		server := underTest.EnvOf(nil, "http://127.0.0.1:1").Connect(t, nil)
		for kind, names := range ids {
			answer, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "dbplatform_" + kind, ID: id})
			if err != nil {
				t.Fatal(err)
			}
			if err := acctest.Errors(answer.Diagnostics); err != nil {
				if !strings.Contains(err.Error(), strings.Join(names, "/")) {
					t.Errorf("%s %q: the form is not in %v", kind, id, err)
				}
				continue
			}
			shape := all.ResourceSchemas["dbplatform_"+kind].ValueType()
			state, err := answer.ImportedResources[0].State.Unmarshal(shape)
			if err != nil {
				t.Fatal(err)
			}
			var members map[string]tftypes.Value
			if err := state.As(&members); err != nil {
				t.Fatal(err)
			}
			parts := make([]string, len(names))
			for i, name := range names {
				if err := members[name].As(&parts[i]); err != nil || len(parts[i]) != 36 {
					t.Errorf("%s %q: %s is %q (%v)", kind, id, name, parts[i], err)
				}
			}
			if strings.Join(parts, "/") != id {
				t.Errorf("%s %q became %q", kind, id, parts)
			}
		}
	})
}
