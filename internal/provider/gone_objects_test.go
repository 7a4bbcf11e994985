package provider

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const notThere = "99999999-9999-4999-8999-999999999999"

// Only the API's own 404 or 410 says that an object is gone. A gateway's says
// nothing.
func TestOnlyTheAPISaysWhatIsGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status     int
		kind, body string
		gone       bool
	}{
		"404 with JSON":   {404, "application/json", acctest.ErrorBody, true},
		"404 and no body": {404, "", "", true},
		"410 with JSON":   {410, "application/json", acctest.ErrorBody, true},
		"410 and no body": {410, "", "", true},
		"404 with a page": {404, "text/html", "<html><head><title>404 Not Found</title></head></html>", false},
		"410 with a page": {410, "text/html", "<html><head><title>410 Gone</title></head></html>", false},
		"404 with text":   {404, "text/plain", "404 page not found\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failing atomic.Bool
			env := newHookedEnv(t, func(rw http.ResponseWriter, _ acctest.Call) bool {
				if !failing.Load() {
					return false
				}
				if test.kind != "" {
					rw.Header().Set("Content-Type", test.kind)
				}
				rw.WriteHeader(test.status)
				_, _ = io.WriteString(rw, test.body)
				return true
			})
			c := env.Core(t, nil)
			c.Must(firstConfigs())
			failing.Store(true)
			for kind := range firstConfigs() {
				c.Walk()
				err := c.Refresh(kind)
				gone := c.Instance(kind).State.IsNull()
				if gone != test.gone || (err == nil) != test.gone {
					t.Errorf("%s: gone: %v, error: %v", kind, gone, err)
				}
			}
		})
	}
}

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

// What was never there keeps a destroy from planning, unless it does without that
// plan.
func TestDestroyWithAnUnknownObject(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	adopted := scalingConfig(mockapi.KafkaPipeID, "replicas = 5")
	tf := env.CLI(t, adopted)
	tf.Apply()
	tf.Configure(adopted + keyConfig(notThere, ""))
	acctest.Contains(t, tf.Fails("destroy", "-auto-approve"), "404")
	tf.Must("destroy", "-auto-approve", "-refresh=false")
}

// What can neither be read nor written is not adopted. The warning that it
// cannot be read has the API's own words.
func TestUnseenObjectIsNotAdopted(t *testing.T) {
	t.Parallel()
	for kind, config := range map[string]map[string]any{
		"service": {"service_id": notThere},
		"api_key": {"key_id": notThere, "on_destroy": "keep"},
	} {
		c := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
			refused := c.Body == "{}" // before the object is looked up
			if refused {
				c.Fail(rw, http.StatusUnprocessableEntity)
			}
			return refused
		}).Core(t, nil)
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

// In another organization, or at another address, a 404 says nothing of an
// object that was last seen elsewhere.
func TestGoneFromAnotherPlaceIsNotGone(t *testing.T) {
	t.Parallel()
	here, there := newEnv(t), newEnv(t)
	there.Forget(mockapi.Pipe, mockapi.KafkaPipeID)
	there.Forget(mockapi.Service, mockapi.ServiceID)
	there.Forget(mockapi.Key, mockapi.APIKeyID)
	for name, test := range map[string]struct {
		connect func() tfprotov6.ProviderServer
		names   []string
	}{
		"organization": {
			func() tfprotov6.ProviderServer {
				return here.Connect(t, map[string]any{"organization_id": acctest.OtherOrganization})
			},
			[]string{mockapi.OrganizationID, acctest.OtherOrganization},
		},
		"address": {func() tfprotov6.ProviderServer { return there.Connect(t, nil) }, []string{here.URL, there.URL}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := here.Core(t, nil)
			c.Must(firstConfigs())
			c.Must(firstConfigs()) // refreshed, and read from a state that was saved
			atHome := c.Connect
			c.Connect = test.connect
			c.Walk()
			for kind := range firstConfigs() {
				err := c.Refresh(kind)
				if err == nil || c.Instance(kind).State.IsNull() {
					t.Errorf("%s: error: %v, state: %s", kind, err, c.Instance(kind).State)
					*c.Instance(kind) = acctest.Instance{State: c.Config(kind, nil)}
					continue
				}
				acctest.Contains(t, err.Error(), test.names...)
				acctest.Lacks(t, err.Error(), "plan again") // this is what a refresh has found
			}
			c.Connect = atHome
			c.ExpectNoChanges(firstConfigs())
		})
	}
}

// A plan that was made for one organization or address is not applied to
// another, not even to objects of the same ids.
func TestPlanStaysInItsOrganization(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]acctest.Configs{
		"update":  secondConfigs(),
		"destroy": {"api_key": nil}, // the destroy of others sends nothing
	} {
		for _, place := range []string{"organization", "address"} {
			t.Run(name+" at another "+place, func(t *testing.T) {
				t.Parallel()
				var abroad atomic.Int64
				here := newHookedEnv(t, countOtherOrganization(&abroad))
				there := newHookedEnv(t, func(_ http.ResponseWriter, c acctest.Call) bool {
					if c.Writes() {
						abroad.Add(1)
					}
					return false
				})
				c := here.Core(t, nil)
				first := firstConfigs()
				first["api_key"]["on_destroy"] = "disable"
				c.Must(first)
				plans, err := c.PlanAll(second)
				if err != nil {
					t.Fatal(err)
				}
				c.Connect = func() tfprotov6.ProviderServer { return there.Connect(t, nil) }
				names := []string{here.URL, there.URL}
				if place == "organization" {
					c.Connect = func() tfprotov6.ProviderServer {
						return here.Connect(t, map[string]any{"organization_id": acctest.OtherOrganization})
					}
					names = []string{mockapi.OrganizationID, acctest.OtherOrganization}
				}
				c.Walk()
				for kind, p := range plans {
					acctest.Contains(t, fmt.Sprint(c.Apply(kind, p)), append(names, "plan again with a refresh")...)
				}
				if n := abroad.Load(); len(plans) == 0 || n > 0 {
					t.Errorf("%d writes of %d plans were sent to another %s", n, len(plans), place)
				}
			})
		}
	}
}

// countOtherOrganization counts what is written to the other organization.
func countOtherOrganization(n *atomic.Int64) acctest.Hook {
	return func(_ http.ResponseWriter, c acctest.Call) bool {
		if c.Writes() && strings.Contains(c.Path, acctest.OtherOrganization) {
			n.Add(1)
		}
		return false
	}
}

// A plan that creates has no private state. Its objects are not in the other
// organization, so nothing is written there.
func TestSavedCreationInAnotherOrganization(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	plans, err := c.PlanAll(firstConfigs())
	if err != nil {
		t.Fatal(err)
	}
	c.Connect = func() tfprotov6.ProviderServer {
		return env.Connect(t, map[string]any{"organization_id": acctest.OtherOrganization})
	}
	c.Walk()
	for kind, p := range plans {
		if err := c.Apply(kind, p); err == nil {
			t.Errorf("%s: the plan is applied", kind)
		}
	}
	env.ExpectOnlyReads(t)
}

// All notations of a base URL are one API: a plan that was made with one of them
// is applied with another, with a refresh and without, and what is gone is gone.
func TestNotationsOfTheBaseURL(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		for _, notation := range []func(url string) string{
			func(url string) string { return url + "/" },
			strings.ToUpper,
			func(url string) string { return url + ":443" },
		} {
			env := underTest.NewVirtualEnv(nil)
			c := env.Core(t, nil)
			c.Must(firstConfigs())
			plans, err := c.PlanAll(secondConfigs())
			if err != nil {
				t.Fatal(err)
			}
			c.Connect = func() tfprotov6.ProviderServer {
				return env.Connect(t, map[string]any{"base_url": notation(env.URL)})
			}
			c.Walk()
			for kind, p := range plans {
				if err := c.Apply(kind, p); err != nil {
					t.Errorf("%s at %s: %v", kind, notation(env.URL), err)
				}
			}
			env.Forget(mockapi.Pipe, mockapi.KafkaPipeID)
			c.Walk()
			if err := c.Refresh("pipe_scaling"); err != nil || !c.Instance("pipe_scaling").State.IsNull() {
				t.Errorf("an object that is gone, at %s: %v", notation(env.URL), err)
			}
		}
	})
}

// A server that knows no such path is at the wrong address, so the error names
// base_url before the organization.
func TestWrongPathPrefix(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"error":"Cannot %s %s"}`, r.Method, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	c := underTest.EnvOf(nil, server.URL+"/api").Core(t, nil)
	for kind, config := range firstConfigs() {
		_, err := c.Plan(kind, c.Config(kind, config))
		text := fmt.Sprint(err)
		acctest.Contains(t, text, "Cannot ", "/api/v1/organizations/", "organization_id")
		if _, remedy, _ := strings.Cut(text, "Check "); !strings.HasPrefix(remedy, "that base_url") {
			t.Errorf("%s: the error does not name base_url first: %s", kind, text)
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
		"no route":      {`{"message":"no Route matched with those values"}`, "PATCH", "Check that base_url"},
		"no GET":        {`{"error":"Not Found"}`, "GET", `plan once with read_method = "PATCH"`},
		"no route, GET": {`{"message":"Cannot GET /v1/organizations"}`, "GET", "Check that base_url"},
		"no object":     {`{"error":"Not Found"}`, "PATCH", ""},
	} {
		missing := false
		env := newHookedEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
			if missing {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(test.body))
			}
			return missing
		}, mockapi.WithVariants(mockapi.Variants{ReadByGet: true}))
		c := env.Core(t, map[string]any{"read_method": test.method})
		c.Must(onKey(map[string]any{"on_destroy": "disable"}))
		missing = true
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
