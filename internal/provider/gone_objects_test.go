package provider

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

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
		"404 with JSON":   {404, "application/json", faultBody, true},
		"404 and no body": {404, "", "", true},
		"410 with JSON":   {410, "application/json", faultBody, true},
		"410 and no body": {410, "", "", true},
		"404 with a page": {404, "text/html", "<html><head><title>404 Not Found</title></head></html>", false},
		"410 with a page": {410, "text/html", "<html><head><title>410 Gone</title></head></html>", false},
		"404 with text":   {404, "text/plain", "404 page not found\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failing atomic.Bool
			w := newHookedEnv(t, func(rw http.ResponseWriter, _ call) bool {
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
			c := w.coreOf(t, nil)
			c.must(before())
			failing.Store(true)
			for kind := range before() {
				c.walk()
				err := c.refresh(kind)
				gone := c.instance(kind).state.IsNull()
				if gone != test.gone || (err == nil) != test.gone {
					t.Errorf("%s: gone: %v, error: %v", kind, gone, err)
				}
			}
		})
	}
}

// A destroy does not take a gateway's 404 for the key's.
func TestDestroyThroughAGateway(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	tf := w.cli(t, keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`)+scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	tf.must("apply", "-auto-approve")
	remove := w.Fail(mockapi.Fault{Kind: mockapi.FaultHTML, Status: 404})
	if out, code := tf.run("apply", "-refresh-only", "-auto-approve"); code == 0 {
		t.Errorf("the refresh succeeded:\n%s", out)
	}
	says(t, tf.must("state", "list"), "dbplatform_api_key.this", "dbplatform_pipe_scaling.this")
	tf.change(w, scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	for _, args := range [][]string{{"apply", "-auto-approve"}, {"apply", "-auto-approve", "-refresh=false"}} {
		if out, code := tf.run(args...); code == 0 {
			t.Errorf("%v succeeded:\n%s", args, out)
		}
		says(t, tf.must("state", "list"), "dbplatform_api_key.this")
	}
	remove()
	tf.must("apply", "-auto-approve")
	if state := w.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "disabled" {
		t.Errorf("the key is %v", state)
	}
	tf.empty()
}

// One object that vanished does not keep a destroy from removing the others.
// An adoption of it still fails.
func TestDestroyWithAVanishedObject(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	tf := w.cli(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5")+keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`))
	tf.must("apply", "-auto-approve")
	w.Forget(mockapi.Pipe, mockapi.KafkaPipeID)

	says(t, tf.must("plan"), "Warning: ", mockapi.KafkaPipeID, "404")
	if out, code := tf.run("apply", "-auto-approve"); code == 0 {
		t.Errorf("what does not exist is adopted:\n%s", out)
	}
	tf.must("apply", "-refresh-only", "-auto-approve")

	tf = w.cli(t, settingsConfig(mockapi.ObjectStoragePipeID, "db_max_threads = 5")+keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`))
	tf.must("apply", "-auto-approve")
	w.Forget(mockapi.Pipe, mockapi.ObjectStoragePipeID)
	tf.must("destroy", "-auto-approve")
	if out := strings.TrimSpace(tf.must("state", "list")); strings.Contains(out, "dbplatform_") {
		t.Errorf("the state still has:\n%s", out)
	}
	if state := w.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "disabled" {
		t.Errorf("the key is %v", state)
	}
	w.neverDeleted(t)
}

// What was never there keeps a destroy from planning. The error says how to do
// without that plan.
func TestDestroyWithAnUnknownObject(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	adopted := scalingConfig(mockapi.KafkaPipeID, "replicas = 5")
	tf := w.cli(t, adopted)
	tf.must("apply", "-auto-approve")
	tf.change(w, adopted+keyConfig(notThere, ""))
	says(t, tf.fails("destroy", "-auto-approve"), "404", "terraform destroy -refresh=false")
	tf.must("destroy", "-auto-approve", "-refresh=false")
}

// What can neither be read nor written is not adopted.
func TestUnseenObjectIsNotAdopted(t *testing.T) {
	t.Parallel()
	for kind, config := range map[string]map[string]any{
		"service": {"service_id": notThere},
		"api_key": {"key_id": notThere, "on_destroy": "keep"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newHookedEnv(t, refuseReads)
			c := w.coreOf(t, nil)
			if _, err := c.run(configs{kind: config}); err == nil {
				t.Error("it is adopted")
			}
			if !c.instance(kind).state.IsNull() {
				t.Errorf("the state is %s", c.instance(kind).state)
			}
		})
	}
}

// refuseReads refuses a PATCH without members before the object is looked up.
func refuseReads(rw http.ResponseWriter, c call) bool {
	refused := c.body == "{}"
	if refused {
		c.fail(rw, http.StatusUnprocessableEntity)
	}
	return refused
}

// The warning about what cannot be seen has the API's words.
func TestUnseenObjectInTheAPIsWords(t *testing.T) {
	t.Parallel()
	w := newHookedEnv(t, refuseReads)
	tf := w.cli(t, serviceConfig(mockapi.ServiceID, `name = "Blind"`)+keyConfig(mockapi.APIKeyID, `name = "Blind"`))
	found := 0
	for _, d := range tf.warnings("plan") {
		if strings.Contains(d.Detail, faultWords) && strings.Contains(d.Detail, faultRequestID) {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d warnings have what the API said", found)
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
				return here.connected(t, map[string]any{"organization_id": otherOrganization})
			},
			[]string{mockapi.OrganizationID, otherOrganization},
		},
		"address": {func() tfprotov6.ProviderServer { return there.connected(t, nil) }, []string{here.url, there.url}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := here.coreOf(t, nil)
			c.must(before())
			c.must(before()) // refreshed, and read from a state that was saved
			atHome := c.connect
			c.connect = test.connect
			c.walk()
			for kind := range before() {
				err := c.refresh(kind)
				if err == nil || c.instance(kind).state.IsNull() {
					t.Errorf("%s: error: %v, state: %s", kind, err, c.instance(kind).state)
					c.states[kind] = nil
					continue
				}
				says(t, err.Error(), test.names...)
			}
			c.connect = atHome
			c.nothing(before())
		})
	}
}

// A plan that was made for one organization or address is not applied to
// another, not even to objects of the same ids.
func TestPlanStaysInItsOrganization(t *testing.T) {
	t.Parallel()
	for name, destroys := range map[string]bool{"update": false, "destroy": true} {
		for _, place := range []string{"organization", "address"} {
			t.Run(name+" at another "+place, func(t *testing.T) {
				t.Parallel()
				var abroad atomic.Int64
				here := newHookedEnv(t, countOtherOrganization(&abroad))
				there := newHookedEnv(t, func(_ http.ResponseWriter, c call) bool {
					if c.writes() {
						abroad.Add(1)
					}
					return false
				})
				c := here.coreOf(t, nil)
				first, second := before(), afterwards()
				first["api_key"]["on_destroy"], second["api_key"]["on_destroy"] = "disable", "disable"
				c.must(first)
				c.walk()
				plans := map[string]plan{}
				for kind := range second {
					if err := c.refresh(kind); err != nil {
						t.Fatal(err)
					}
					config := tftypes.NewValue(c.shape(kind), nil)
					if !destroys {
						config = c.config(kind, second[kind])
					}
					p, err := c.plan(kind, config)
					if err != nil {
						t.Fatal(err)
					}
					plans[kind] = p
				}
				c.connect = func() tfprotov6.ProviderServer { return there.connected(t, nil) }
				names := []string{here.url, there.url}
				if place == "organization" {
					c.connect = func() tfprotov6.ProviderServer {
						return here.connected(t, map[string]any{"organization_id": otherOrganization})
					}
					names = []string{mockapi.OrganizationID, otherOrganization}
				}
				c.walk()
				for kind, p := range plans {
					if destroys && kind != "api_key" {
						continue // their destruction sends nothing anywhere
					}
					if err := c.apply(kind, p); err == nil {
						t.Errorf("%s: the plan is applied", kind)
					} else {
						says(t, err.Error(), names...)
					}
				}
				if n := abroad.Load(); n > 0 {
					t.Errorf("%d writes were sent to another %s", n, place)
				}
			})
		}
	}
}

// countOtherOrganization counts what is written to the other organization.
func countOtherOrganization(n *atomic.Int64) hook {
	return func(_ http.ResponseWriter, c call) bool {
		if c.writes() && strings.Contains(c.path, otherOrganization) {
			n.Add(1)
		}
		return false
	}
}

// The organization of the environment is no part of a saved plan.
func TestSavedPlanInAnotherOrganization(t *testing.T) {
	t.Parallel()
	var abroad atomic.Int64
	w := newHookedEnv(t, countOtherOrganization(&abroad))
	config := func(name string) string {
		provider := strings.Replace(w.provider(), fmt.Sprintf("organization_id = %q", mockapi.OrganizationID), "", 1)
		return requirement + provider + keyConfig(mockapi.APIKeyID, fmt.Sprintf("name = %q", name)) +
			scalingConfig(mockapi.KafkaPipeID, fmt.Sprintf("replicas = %d", len(name)))
	}
	tf := w.cli(t, "")
	in := func(organization string) {
		tf.env = append(tf.env, "DBPLATFORM_ORGANIZATION_ID="+organization)
	}
	in(mockapi.OrganizationID)
	tf.configure(config("One"))
	tf.must("apply", "-auto-approve")
	tf.configure(config("Three"))
	tf.must("plan", "-out=plan")

	in(otherOrganization)
	says(t, tf.fails("apply", "plan"), mockapi.OrganizationID, otherOrganization)
	if n := abroad.Load(); n > 0 {
		t.Errorf("%d writes were sent to the other organization", n)
	}
	in(mockapi.OrganizationID)
	tf.must("apply", "-auto-approve")
	tf.empty()
}

// A plan that creates has no private state. Its objects are not in the other
// organization, so nothing is written there.
func TestSavedCreationInAnotherOrganization(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	c := w.coreOf(t, nil)
	c.walk()
	plans := map[string]plan{}
	for kind, config := range before() {
		p, err := c.plan(kind, c.config(kind, config))
		if err != nil {
			t.Fatal(err)
		}
		plans[kind] = p
	}
	w.ResetRequests()
	c.connect = func() tfprotov6.ProviderServer {
		return w.connected(t, map[string]any{"organization_id": otherOrganization})
	}
	c.walk()
	for kind, p := range plans {
		if err := c.apply(kind, p); err == nil {
			t.Errorf("%s: the plan is applied", kind)
		}
	}
	for _, request := range w.Requests() {
		if request.Method != http.MethodGet && string(request.Body) != "{}" {
			t.Errorf("sent %s %s", request.Path, request.Body)
		}
	}
}
