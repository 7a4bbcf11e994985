package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const notThere = "99999999-9999-4999-8999-999999999999"

// A destroy does not take a gateway's 404 for the API's, and the error is not
// about ids.
func TestDestroyThroughAGateway(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`)+scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	tf.Apply()
	remove := env.Fail(mockapi.Fault{Kind: mockapi.FaultHTML, Status: 404})
	out := tf.ApplyFails("-refresh-only")
	acctest.Contains(t, out, "HTTP 404", "something other than the API responded", "The upstream server cannot be reached",
		"A gateway, a proxy or another server sent this response", "Check that base_url or DBPLATFORM_BASE_URL")
	acctest.Lacks(t, out, "Check the id")
	acctest.Contains(t, tf.Must("state", "list"), "dbplatform_api_key.this", "dbplatform_pipe_scaling.this")
	tf.Configure(scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	tf.ApplyFails("-refresh=false")
	acctest.Contains(t, tf.Must("state", "list"), "dbplatform_api_key.this")
	remove()
	tf.Apply()
	expectKey(t, env, mockapi.APIKeyID, "disabled")
	tf.ExpectNoChanges()
}

// One object that vanished does not keep a destroy from removing the others.
// An adoption of it still fails.
func TestDestroyWithAVanishedObject(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5")+keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`))
	tf.Apply()
	env.Forget(mockapi.Pipe, mockapi.KafkaPipeID)

	acctest.Contains(t, tf.Must("plan"), "Warning: Object no longer exists", mockapi.KafkaPipeID, "404")
	out := tf.Must("destroy", "-auto-approve")
	if n := strings.Count(out, "Warning: API keys are disabled, not deleted"); n != 1 {
		t.Errorf("the plan and the apply announce it %d times:\n%s", n, out)
	}
	acctest.Lacks(t, tf.Must("state", "list"), "dbplatform_")
	expectKey(t, env, mockapi.APIKeyID, "disabled")
	acctest.Contains(t, tf.ApplyFails(), "Unable to adopt pipe scaling", "404")
	env.ExpectNoDeletes(t)
}

// What can neither be read nor written is not adopted. The warning that it
// cannot be read has the API's own words.
func TestUnseenObjectIsNotAdopted(t *testing.T) {
	t.Parallel()
	for kind, config := range map[string]map[string]any{
		"service": {"service_id": notThere},
		"api_key": {"key_id": notThere, "on_destroy": "keep"},
	} {
		env := newEnv(t)
		env.Fail(fault(422))
		c := env.Core(t, nil)
		plans, err := c.PlanAll(acctest.Configs{kind: config})
		if err != nil {
			t.Fatal(err)
		}
		acctest.Contains(t, fmt.Sprint(c.Warnings), acctest.ErrorText, acctest.ErrorRequestID)
		if err := c.Apply(kind, plans[kind]); err == nil || !c.Instance(kind).State.IsNull() {
			t.Errorf("%s: error: %v, state: %s", kind, err, c.Instance(kind).State)
		}
	}
}

// A place is another organization, or another address, than that of an environment.
type place struct {
	connect func() tfprotov6.ProviderServer
	names   []string // in errors
}

func otherPlaces(t *testing.T, here, there *acctest.Env) []place {
	t.Helper()
	inOtherOrganization := func() tfprotov6.ProviderServer {
		return here.Connect(t, map[string]any{"organization_id": acctest.OtherOrganization})
	}
	return []place{
		{inOtherOrganization, []string{mockapi.OrganizationID, acctest.OtherOrganization}},
		{func() tfprotov6.ProviderServer { return there.Connect(t, nil) }, []string{here.URL, there.URL}},
	}
}

// In another organization, or at another address, a 404 says nothing of an
// object that was last seen elsewhere.
func TestGoneFromAnotherPlaceIsNotGone(t *testing.T) {
	t.Parallel()
	here, there := newEnv(t), newEnv(t)
	there.Forget(mockapi.Pipe, mockapi.KafkaPipeID)
	there.Forget(mockapi.Service, mockapi.ServiceID)
	there.Forget(mockapi.Key, mockapi.APIKeyID)
	for _, other := range otherPlaces(t, here, there) {
		c := here.Core(t, nil)
		c.Must(firstConfigs())
		c.Must(firstConfigs()) // refreshed, and read from a state that was saved
		atHome := c.Connect
		c.Connect = other.connect
		c.Walk()
		for kind := range firstConfigs() {
			err := c.Refresh(kind)
			acctest.Contains(t, fmt.Sprint(err), other.names...)
			acctest.Lacks(t, fmt.Sprint(err), "plan again") // this is what a refresh has found
		}
		c.Connect = atHome
		c.ExpectNoChanges(firstConfigs())
	}
}

// A plan that was made for one organization or address is not applied to
// another, not even to objects of the same ids.
func TestPlanStaysInItsOrganization(t *testing.T) {
	t.Parallel()
	sameObjects := func(http.ResponseWriter, acctest.Call) bool { return false }
	for _, second := range []acctest.Configs{
		secondConfigs(),
		{"api_key": nil}, // the destroy of others sends nothing
	} {
		here, there := newHookedEnv(t, sameObjects), newEnv(t)
		for _, other := range otherPlaces(t, here, there) {
			c := here.Core(t, nil)
			first := firstConfigs()
			first["api_key"]["on_destroy"] = "disable"
			c.Must(first)
			plans, err := c.PlanAll(second)
			if err != nil {
				t.Fatal(err)
			}
			c.Connect = other.connect
			c.Walk()
			here.ResetRequests()
			for kind, p := range plans {
				acctest.Contains(t, fmt.Sprint(c.Apply(kind, p)), append(other.names, "plan again with a refresh")...)
			}
			for _, operation := range []string{"scalePipe", "updatePipeSettings", "updateService", "updateKey"} {
				here.ExpectWrites(t, operation)
				there.ExpectWrites(t, operation)
			}
		}
	}
}

// A 404 about the path, or by a GET that is not documented, does not say that an
// object is gone: it stays in the state.
func TestPathThatDoesNotExist(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body, method string
		says         string
	}{
		"no route": {
			`{"message":"no Route matched with those values"}`, "PATCH",
			"The server does not have this path. Check that base_url or DBPLATFORM_BASE_URL is the API's address without /v1. If it is, check organization_id",
		},
		"no GET":        {`{"error":"Not Found"}`, "GET", `plan once with read_method = "PATCH"`},
		"no route, GET": {`{"message":"Cannot GET /v1/organizations"}`, "GET", "Check that base_url"},
		"no object":     {`{"error":"Not Found"}`, "PATCH", ""},
	} {
		env := newEnv(t, mockapi.WithVariants(mockapi.Variants{ReadByGet: true}))
		c := env.Core(t, map[string]any{"read_method": test.method})
		c.Must(onKey(nil))
		env.Fail(mockapi.Fault{Status: http.StatusNotFound, Body: test.body})
		c.Walk()
		err := c.Refresh("api_key")
		if (err == nil) != (test.says == "") || c.Instance("api_key").State.IsNull() != (test.says == "") {
			t.Errorf("%s: error %v, state %s", name, err, c.Instance("api_key").State)
		}
		if test.says != "" {
			acctest.Contains(t, fmt.Sprint(err), test.says)
		}
	}
}
