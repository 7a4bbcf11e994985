package provider

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const notThere = "99999999-9999-4999-8999-999999999999"

// A destroy begins with a plan of everything: there, an object that vanished is a warning
// and does not keep the others from being removed. An adoption of it still fails.
func TestDestroyWithAVanishedObject(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c, config := env.Core(t, nil), acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 5})}
	c.Must(config)
	env.Forget(mockapi.Pipe, mockapi.KafkaPipeID)
	c.MustPlan(config)
	acctest.Contains(t, fmt.Sprint(c.Warnings), "Not found: pipe scaling …1111", mockapi.KafkaPipeID, "404")
	_, err := c.PlanAll(config)
	acctest.Contains(t, fmt.Sprint(err), "Unable to adopt pipe scaling", "404")
}

// What can neither be read nor written is not adopted. The warning that it
// cannot be read has the API's own words.
func TestUnseenObjectIsNotAdopted(t *testing.T) {
	t.Parallel()
	for kind, config := range map[string]map[string]any{
		"service": {"service_id": notThere},
		"api_key": {"key_id": notThere},
	} {
		env := newEnv(t)
		env.Fail(fault(422))
		c := env.Core(t, nil)
		plans := c.MustPlan(acctest.Configs{kind: config})
		acctest.Contains(t, fmt.Sprint(c.Warnings), acctest.ErrorText, acctest.ErrorRequestID)
		if err := c.Apply(kind, plans[kind]); err == nil || !c.Instance(kind).State.IsNull() {
			t.Errorf("%s: error: %v, state: %s", kind, err, c.Instance(kind).State)
		}
	}
}

// In another organization, or at another address, a 404 says nothing of an object that
// was last seen elsewhere, and no plan is applied, not even to objects of the same ids.
func TestAnotherPlace(t *testing.T) {
	t.Parallel()
	sameObjects := func(http.ResponseWriter, acctest.Call) bool { return false }
	for name, here := range map[string]*acctest.Env{"gone": newEnv(t), "same objects": underTest.NewEnv(t, sameObjects)} {
		there := newEnv(t)
		if name == "gone" {
			there.Forget(mockapi.Pipe, mockapi.KafkaPipeID)
			there.Forget(mockapi.Service, mockapi.ServiceID)
			there.Forget(mockapi.Service, mockapi.OtherServiceID)
			there.Forget(mockapi.Key, mockapi.APIKeyID)
		}
		for _, other := range []struct {
			connect func() tfprotov6.ProviderServer
			names   []string // in errors
		}{
			{func() tfprotov6.ProviderServer {
				return here.Connect(t, map[string]any{"organization_id": acctest.OtherOrganization})
			}, []string{mockapi.OrganizationID, acctest.OtherOrganization}},
			{func() tfprotov6.ProviderServer { return there.Connect(t, nil) }, []string{here.URL, there.URL}},
		} {
			c := here.Core(t, nil)
			c.Must(firstConfigs())
			c.Must(firstConfigs()) // refreshed, and read from a state that was saved
			plans := c.MustPlan(secondConfigs())
			atHome := c.Connect
			c.Connect = other.connect
			c.Walk()
			here.ResetRequests()
			for kind, p := range plans {
				if name == "gone" {
					err := c.Refresh(kind)
					acctest.Contains(t, fmt.Sprint(err), other.names...)
					acctest.Lacks(t, fmt.Sprint(err), "plan again") // this is what a refresh has found
				}
				acctest.Contains(t, fmt.Sprint(c.Apply(kind, p)), append(other.names, "plan again with a refresh", "If the API refuses to return the object, remove it from the state (terraform state rm) and adopt it again")...)
			}
			for _, operation := range []string{"scalePipe", "updatePipeSettings", "updateService", "updateKey"} {
				here.ExpectWrites(t, operation)
				there.ExpectWrites(t, operation)
			}
			c.Connect = atHome
			c.ExpectNoChanges(firstConfigs())
			c.Must(acctest.Configs{entryKind: nil, endpointKind: nil})
		}
	}
}

// A refresh that another place refuses has not seen the object there: an update still fails.
func TestHiddenInAnotherPlace(t *testing.T) {
	t.Parallel()
	there := newEnv(t, mockapi.WithVariants(mockapi.Variants{RefuseEmptyPatch: http.StatusMethodNotAllowed}))
	c := newEnv(t).Core(t, nil)
	c.Must(onService(map[string]any{"name": "One"}))
	c.Connect = func() tfprotov6.ProviderServer { return there.Connect(t, nil) }
	_, err := c.Run(onService(map[string]any{"name": "Two"}))
	acctest.Contains(t, fmt.Sprint(err), "Another organization or API")
	there.ExpectWrites(t, "updateService")
}

// A 404 about the path, of a gateway, or by a GET that is not documented does not
// say that an object is gone: it stays in the state.
func TestNotFoundThatIsNotAboutTheObject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  mockapi.Fault
		method string
		says   string // "": the object is gone
	}{
		"no route": {
			mockapi.Fault{Status: 404, Body: `{"message":"no Route matched with those values"}`},
			"PATCH",
			"The server does not have this path. Check that base_url or DBPLATFORM_BASE_URL is the API's address without /v1. If it is, check organization_id",
		},
		"a gateway": {
			mockapi.Fault{Status: 404, Kind: mockapi.FaultHTML},
			"PATCH",
			"Check base_url (the API's address, without /v1), and any proxy in between.",
		},
		"no GET":        {mockapi.Fault{Status: 404, Body: `{"error":"Not Found"}`}, "GET", `use terraform destroy -refresh=false. After a GET, a 404 can also mean that the API has no GET for this kind of object: run once with read_method = "PATCH" to find out.`},
		"no route, GET": {mockapi.Fault{Status: 404, Body: `{"message":"Cannot GET /v1/organizations"}`}, "GET", "After a GET, a 404 can also mean"},
		"no object":     {mockapi.Fault{Status: 404, Body: `{"error":"Not Found"}`}, "PATCH", ""},
	} {
		env := newEnv(t, mockapi.WithVariants(mockapi.Variants{ReadByGet: true}))
		c := env.Core(t, map[string]any{"read_method": test.method})
		c.Must(onKey(nil))
		env.Fail(test.fault)
		c.Walk()
		err := c.Refresh("api_key")
		if isGone := c.Instance("api_key").State.IsNull(); isGone != (test.says == "") || isGone != (err == nil) {
			t.Errorf("%s: gone: %t, %v", name, isGone, err)
		}
		if err == nil {
			continue
		}
		acctest.Contains(t, err.Error(), test.says)
		acctest.Lacks(t, err.Error(), "Check the id")
	}
}
