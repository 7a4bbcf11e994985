package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What lifecycle.ignore_changes covers is not sent, entries of a map included, although
// the configuration of an apply still has it.
func TestIgnoredEntries(t *testing.T) {
	t.Parallel()
	env := newEmptyEnv(t)
	c := env.Core(t, nil)
	list := func(name, home string) acctest.Configs {
		return onKey(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": name, "192.0.2.1": home}})
	}
	c.Must(list("One", "home"))
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) {
		key["ipAccessList"].([]any)[1].(mockapi.Object)["description"] = "theirs"
	})
	env.ResetRequests()
	p := c.MustPlan(list("Two", "theirs"))["api_key"] // as Terraform changes the configuration
	p.ApplyConfig = c.Config("api_key", list("Two", "home")["api_key"])
	if err := c.ApplyAll(map[string]acctest.Plan{"api_key": p}); err != nil {
		t.Error(err)
	}
	env.ExpectWrites(t, "updateKey", `{"ipAccessList":[{"source":"192.0.2.1","description":"theirs"},{"source":"10.0.0.0/8","description":"Two"}]}`)
}

// What is shown only if it is configured does not get into the state by an adoption
// without a read, which nothing would ever update, nor by a failed update. The error
// about roles that do not change names those that are wrong.
func TestUnconfiguredStaysNull(t *testing.T) {
	t.Parallel()
	for _, variants := range []mockapi.Variants{{"refuse_empty_patch=400", "echo_write_only"}, {"echo_write_only", "frozen_roles"}} {
		underTest.InVirtualTime(t, func(t *testing.T) {
			env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(variants))
			c := env.Core(t, nil)
			c.Must(onKey(map[string]any{"name": "One"}))
			if variants.Has("frozen_roles") {
				_, err := c.Run(onKey(map[string]any{"name": "Two", "roles": []any{"query_endpoints"}}))
				acctest.Contains(t, fmt.Sprint(err), "Change not confirmed by the API", "but returns admin, developer instead of query_endpoints after 30s. If that means the same, write it as the API returns it. Otherwise, it may still show:")
				env.ExpectWrites(t, "updateKey", `{"name":"One"}`, `{"name":"Two","roles":["query_endpoints"]}`)
				c.ExpectNoChanges(onKey(map[string]any{"name": "Two"}))
			}
			if state := acctest.Plain(c.Attribute("api_key", "state")); state != nil {
				t.Errorf("the state is %v", state)
			}
		})
	}
}

// The apply checks again, before it sends anything: an entry may have appeared.
func TestAdoptionIsCheckedAgain(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		object mockapi.Kind
		id     string
		list   map[string]any
	}{
		"service": {mockapi.Service, mockapi.ServiceID, map[string]any{"10.0.0.0/8": "", "192.0.2.7": ""}},
		"api_key": {mockapi.Key, mockapi.APIKeyID, map[string]any{"198.51.100.0/24": "", "2001:db8::1": ""}},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		on := map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey}[kind]
		p := c.MustPlan(on(map[string]any{"name": "Mine", "ip_access_list": test.list}))[kind]
		env.Change(test.object, test.id, func(object mockapi.Object) {
			object["ipAccessList"] = append(object["ipAccessList"].([]any), mockapi.Object{"source": "203.0.113.77", "description": "theirs"})
		})
		env.ResetRequests()
		for name, apply := range map[string]func(string, acctest.Plan) error{"planned again": c.Apply, "not planned again": c.ApplyPlanned} {
			c.Walk()
			err := apply(kind, p)
			acctest.Contains(t, fmt.Sprint(err), "Adoption would remove entries: ", "lacks: 203.0.113.77. ", `AttributeName("ip_access_list")`)
			env.ExpectOnlyReads(t)
			if !c.Instance(kind).State.IsNull() {
				t.Errorf("%s, %s: it left a state", kind, name)
			}
		}
	}
}

// An adoption of a service that no read shows adds to its lists, and removes nothing.
func TestAdoptionOnlyAdds(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"refuse_empty_patch=405"}))
	setEntries(env, "10.0.0.0/8 theirs")
	c := env.Core(t, nil)
	c.Must(onService(map[string]any{"ip_access_list": map[string]any{"203.0.113.9": "mine"}}))
	expectEntries(t, env, "10.0.0.0/8 theirs", "203.0.113.9/32 mine")
	acctest.Contains(t, fmt.Sprint(c.Warnings), "Unplanned entries: service …1111", "10.0.0.0/8")
}

// A read that an apply needs is refused once. The apply sends nothing, fails and says which argument lets it go on: a list
// that is sent whole would remove what a colleague has added.
func TestRefusedReadOfAnApply(t *testing.T) {
	t.Parallel()
	type list = map[string]any
	for name, test := range map[string]struct {
		on        func(map[string]any) acctest.Configs
		object    mockapi.Kind
		id        string
		before    list
		requests  int // reads of an apply
		operation string
	}{
		"a key":     {onKey, mockapi.Key, mockapi.APIKeyID, list{"198.51.100.0/24": "runners", "2001:db8::1": "bastion"}, 2, "updateKey"},
		"a service": {onService, mockapi.Service, mockapi.ServiceID, list{"10.0.0.0/8": "private network", "192.0.2.7": "office"}, 1, "updateService"},
	} {
		for at := range test.requests {
			for _, status := range []int{400, 403, 422} {
				t.Run(fmt.Sprintf("%s, read %d, %d", name, at, status), func(t *testing.T) {
					t.Parallel()
					underTest.InVirtualTime(t, func(t *testing.T) {
						env := underTest.NewVirtualEnv(nil)
						c, mine, all := env.Core(t, nil), maps.Clone(test.before), maps.Clone(test.before)
						c.Must(test.on(map[string]any{"ip_access_list": test.before}))
						mine["203.0.113.9"] = "mine"
						all["203.0.113.9"], all["203.0.113.77"] = "mine", "a colleague's"
						p := c.MustPlan(test.on(map[string]any{"ip_access_list": mine}))
						env.Change(test.object, test.id, func(object mockapi.Object) {
							object["ipAccessList"] = append(object["ipAccessList"].([]any), mockapi.Object{"source": "203.0.113.77", "description": "a colleague's"})
						})
						env.ResetRequests()
						refusal := fault(status)
						refusal.Operation, refusal.Skip, refusal.Times = test.operation, at, 1
						env.Fail(refusal)
						for kind := range p {
							c.Walk()
							acctest.Contains(t, fmt.Sprint(c.ApplyPlanned(kind, p[kind])), "Unable to update ", acctest.ErrorText, `unreadable_objects = "warn"`)
						}
						env.ExpectOnlyReads(t)
						if len(env.Requests()) != at+1 {
							t.Errorf("%d requests", len(env.Requests()))
						}
						c.Must(test.on(map[string]any{"ip_access_list": all}))
						c.ExpectNoChanges(test.on(map[string]any{"ip_access_list": all}))
						if has := listOf(env.Object(test.object, test.id)); !slices.Contains(has, "203.0.113.77/32 a colleague's") {
							t.Errorf("the list is %s", has)
						}
					})
				})
			}
		}
	}
}

// In another organization, or at another address, a 404 says nothing of an object that
// was last seen elsewhere, and no plan is applied, not even to objects of the same ids.
func TestStateOfAnotherOrganization(t *testing.T) {
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
				}
				acctest.Contains(t, fmt.Sprint(c.Apply(kind, p)), append(other.names, "make a new plan")...)
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

// An object that was imported or adopted is known where it was seen. If the API has moved, a refresh at the new address
// sees it there, and the next plan can be applied.
func TestMovedAPI(t *testing.T) {
	t.Parallel()
	for _, imported := range []bool{true, false} {
		here, there := newEnv(t), newEnv(t)
		c, config := here.Core(t, nil), onService(map[string]any{"name": "Moved"})
		if imported {
			if err := c.Import("service", mockapi.ServiceID); err != nil {
				t.Fatal(err)
			}
		} else {
			c.Must(onService(nil))
		}
		c.Connect = func() tfprotov6.ProviderServer { return there.Connect(t, nil) }
		c.Walk()
		p := planWithoutRefresh(t, c, config) // without a refresh
		acctest.Contains(t, fmt.Sprint(c.Apply("service", p)), "Another organization or API", here.URL, there.URL)
		there.ExpectWrites(t, "updateService")
		c.Must(config)
		there.ExpectWrites(t, "updateService", `{"name":"Moved"}`)
		c.ExpectNoChanges(config)
	}
}

// A refresh that another place refuses has not seen the object there: an update still fails.
func TestHiddenInAnotherPlace(t *testing.T) {
	t.Parallel()
	there := newEnv(t, mockapi.WithVariants(mockapi.Variants{"refuse_empty_patch=405"}))
	c := newEnv(t).Core(t, nil)
	c.Must(onService(map[string]any{"name": "One"}))
	c.Connect = func() tfprotov6.ProviderServer { return there.Connect(t, nil) }
	_, err := c.Run(onService(map[string]any{"name": "Two"}))
	acctest.Contains(t, fmt.Sprint(err), "Another organization or API")
	there.ExpectWrites(t, "updateService")
}

// A lossyEnv can lose the writes of an apply, or the responses to them.
type lossyEnv struct {
	*acctest.Env
	core   *acctest.Core
	losing string // "writes", or "responses" to them
}

func newLossyEnv(t *testing.T, variants mockapi.Variants) *lossyEnv {
	t.Helper()
	e := &lossyEnv{}
	e.Env = underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		if e.losing == "" || !c.Writes() {
			return false
		}
		if e.losing == "responses" {
			c.Record()
		}
		c.Fail(w, http.StatusBadGateway)
		return true
	}, mockapi.WithVariants(variants))
	emptyLists(e.Env)
	e.core = e.Core(t, map[string]any{"max_retries": 0})
	return e
}

// lose applies configurations and loses their writes, or the responses to them.
func (e *lossyEnv) lose(t *testing.T, what string, configs acctest.Configs) {
	t.Helper()
	e.losing = what
	if _, err := e.core.Run(configs); err == nil {
		t.Fatal("no error")
	}
	e.losing = ""
	e.ResetRequests()
}

// After a lost response it is unknown what the API has of an attribute that it
// does not return. The next plan sends it again, also if it is what the state
// had before.
func TestLostResponseIsNotForgotten(t *testing.T) {
	t.Parallel()
	unreadable, absent := mockapi.Variants{"refuse_empty_patch=400"}, mockapi.Variants{"missing=absent"}
	for name, test := range map[string]struct {
		variants  mockapi.Variants
		on        func(map[string]any) acctest.Configs
		attribute string
		one, two  any
		again     string // the body once the configuration is reverted
	}{
		"state":           {mockapi.Variants{}, onKey, "state", "enabled", "disabled", `{"state":"enabled"}`},
		"release_channel": {mockapi.Variants{}, onService, "release_channel", "fast", "slow", `{"releaseChannel":"fast"}`},
		"endpoints_enabled": {
			mockapi.Variants{"endpoints_always_listed"},
			onService, "endpoints_enabled",
			map[string]any{"mysql": true},
			map[string]any{"mysql": false},
			`{"endpoints":[{"protocol":"mysql","enabled":true}]}`,
		},
		"endpoints_enabled, switched on": {
			mockapi.Variants{"endpoints_always_listed"},
			onService, "endpoints_enabled",
			map[string]any{"mysql": false},
			map[string]any{"mysql": true},
			`{"endpoints":[{"protocol":"mysql","enabled":false}]}`,
		},
		"a number that the API leaves out if it is 0": {mockapi.Variants{"omit_empty=all"}, onScaling, "concurrency", 5, 0, `{"concurrency":5}`},
		"roles of a key that cannot be read":          {unreadable, onKey, "roles", []any{"admin"}, []any{"developer"}, `{"roles":["admin"]}`},
		"an expiry that the API leaves out if there is none": {
			absent, onKey, "expire_at",
			"2032-01-01T00:00:00Z", "never", `{"expireAt":"2032-01-01T00:00:00Z"}`,
		},
		"addresses of a key that the API leaves out if there are none": {
			absent, onKey, "ip_access_list",
			map[string]any{"::1": ""},
			map[string]any{},
			`{"ipAccessList":[{"source":"::1","description":""}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := test.on(map[string]any{test.attribute: test.one}), test.on(map[string]any{test.attribute: test.two})
			e := newLossyEnv(t, test.variants)
			e.core.Must(one)
			e.lose(t, "responses", two)
			e.core.Must(one)
			if sent := slices.Concat(e.Writes("updateKey"), e.Writes("updateService"), e.Writes("scalePipe")); len(sent) != 1 || sent[0] != test.again {
				t.Errorf("sent %s, not %s", sent, test.again)
			}
			e.core.ExpectNoChanges(one)
		})
	}
}

// A removal whose outcome is unknown is sent again, and nothing else: lists that
// are sent as differences keep their prior value.
func TestLostRemovalIsSentAgain(t *testing.T) {
	t.Parallel()
	both := onService(map[string]any{"ip_access_list": map[string]any{"::1": "", "::2": ""}, "private_endpoint_ids": []any{"vpce-1", "vpce-2"}})
	one := onService(map[string]any{"ip_access_list": map[string]any{"::1": ""}, "private_endpoint_ids": []any{"vpce-1"}})
	e := newLossyEnv(t, mockapi.Variants{"refuse_empty_patch=400"})
	e.core.Must(both)
	e.lose(t, "writes", one)
	e.core.Must(one)
	e.ExpectWrites(t, "updateService", `{"ipAccessList":{"remove":[{"source":"::2","description":""}]},"privateEndpointIds":{"remove":["vpce-2"]}}`)
	e.core.ExpectNoChanges(one)
}

// A change may have worked although the response shows the old value. If the
// object cannot be read, reverting the configuration sends the old value again.
func TestUnconfirmedChangeIsNotForgotten(t *testing.T) {
	t.Parallel()
	unreadable := mockapi.Variants{"refuse_empty_patch=400"}
	env := newEnv(t, mockapi.WithVariants(unreadable))
	c := env.Core(t, nil)
	named := func(name string) acctest.Configs { return onKey(map[string]any{"name": name}) }
	c.Must(named("One"))
	env.SetVariants(mockapi.Variants{"refuse_empty_patch=400", "stale_keys=1h"})
	_, err := c.Run(named("Two"))
	acctest.Contains(t, fmt.Sprint(err), "not confirmed")
	env.SetVariants(unreadable)
	c.Must(named("One"))
	if got := env.Object(mockapi.Key, mockapi.APIKeyID)["name"]; got != "One" {
		t.Errorf("the name is %v", got)
	}
}

// An API that changes one thing of a service at a time refuses all others meanwhile. One
// apply gets all changes through, although Terraform applies all blocks at once.
func TestBusyAPI(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusConflict, http.StatusLocked} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				var busy sync.Mutex
				var refused atomic.Int32
				env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
					switch {
					case !c.Writes():
						return false
					case !busy.TryLock():
						refused.Add(1)
						c.Fail(w, status)
						return true
					}
					defer busy.Unlock()
					time.Sleep(500 * time.Millisecond)
					c.Pass(w)
					return true
				})
				configs := []acctest.Configs{onScaling(map[string]any{"replicas": 5}), onSettings(map[string]any{"db_max_threads": 5}), onService(map[string]any{"name": "busy"})}
				for i := range 4 {
					configs = append(configs, onEntry(fmt.Sprint("203.0.113.", i), nil))
				}
				blocks, plans := siblings(t, env, len(configs)), make([]acctest.Plan, len(configs))
				for _, applies := range []bool{true, false} {
					walk(blocks)
					for i, c := range blocks {
						for kind := range configs[i] {
							if err := c.Refresh(kind); err != nil {
								t.Error(err)
							}
							if plans[i] = planWithoutRefresh(t, c, configs[i]); !applies && !plans[i].Planned.Equal(c.Instance(kind).State) {
								t.Errorf("the next plan changes %v", configs[i])
							}
						}
					}
					if !applies {
						break
					}
					walk(blocks)
					var all sync.WaitGroup
					for i, c := range blocks {
						all.Go(func() {
							for kind := range configs[i] {
								if err := c.Apply(kind, plans[i]); err != nil {
									t.Error(err)
								}
							}
						})
					}
					all.Wait()
				}
				if refused.Load() == 0 {
					t.Error("the API was never busy")
				}
			})
		})
	}
}
