package provider

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// populate adds as many objects of each kind as n says, and returns a resource
// for each of them: two for a pipe.
func populate(env *acctest.Env, n int) []acctest.Configs {
	copied := func(kind mockapi.Kind, id string) mockapi.Object {
		object := env.Object(kind, id)
		delete(object, "id")
		return object
	}
	list := map[string]any{"10.0.0.0/8": "", "203.0.113.9": "office", "198.51.100.7": ""}
	var all []acctest.Configs
	for range n {
		pipe := env.AddPipe(mockapi.ServiceID, copied(mockapi.Pipe, mockapi.KafkaPipeID))
		all = append(all,
			acctest.Configs{"pipe_scaling": {"service_id": mockapi.ServiceID, "pipe_id": pipe, "replicas": 7}},
			acctest.Configs{"pipe_settings": {"service_id": mockapi.ServiceID, "pipe_id": pipe, "db_max_threads": 33}},
			acctest.Configs{"service": {
				"service_id": env.AddService(copied(mockapi.Service, mockapi.ServiceID)), "name": "Changed", "ip_access_list": list,
			}},
			acctest.Configs{"api_key": {
				"key_id": env.AddKey(copied(mockapi.Key, mockapi.APIKeyID)), "name": "Changed", "ip_access_list": list, "on_destroy": "keep",
			}},
		)
	}
	return all
}

// expectPopulation checks that the API has what resources of populate set.
func expectPopulation(t *testing.T, env *acctest.Env, resources []acctest.Configs) {
	t.Helper()
	for _, resource := range resources {
		for kind, config := range resource {
			var got any
			switch kind {
			case "pipe_scaling":
				got = env.Object(mockapi.Pipe, config["pipe_id"].(string))["scaling"].(mockapi.Object)["replicas"]
			case "pipe_settings":
				got = env.Object(mockapi.Pipe, config["pipe_id"].(string))["settings"].(mockapi.Object)["db_max_threads"]
			case "service":
				object := env.Object(mockapi.Service, config["service_id"].(string))
				got = fmt.Sprint(object["name"], listOf(object))
			case "api_key":
				object := env.Object(mockapi.Key, config["key_id"].(string))
				got = fmt.Sprint(object["name"], listOf(object))
			}
			const named = "Changed[10.0.0.0/8  198.51.100.7/32  203.0.113.9/32 office]"
			want := map[string]any{"pipe_scaling": int64(7), "pipe_settings": int64(33), "service": named, "api_key": named}
			if got != want[kind] {
				t.Errorf("%s %v has %v, not %v", kind, config, got, want[kind])
			}
		}
	}
}

// failSome has one request in five of the next n fail, each in a way that is
// chosen at random.
func failSome(env *acctest.Env, random *rand.Rand, n int, ways []mockapi.Fault) {
	played := 0
	for at := range n {
		if random.IntN(5) > 0 {
			continue
		}
		fault := ways[random.IntN(len(ways))]
		fault.Skip, fault.Times = at-played, 1 // a fault does not count what others play
		played++
		env.Fail(fault)
	}
}

// A fleet is many resources in one provider process, each with a core of its
// own.
type fleet struct {
	connect func() tfprotov6.ProviderServer
	cores   []*acctest.Core
	configs []acctest.Configs // one resource each
}

func newFleet(t *testing.T, env *acctest.Env, settings map[string]any, resources []acctest.Configs) *fleet {
	t.Helper()
	first := env.Core(t, settings)
	f := &fleet{connect: first.Connect, configs: resources}
	for range resources {
		f.cores = append(f.cores, first.Sibling())
	}
	return f
}

// walk begins a walk and visits all resources, thirty at a time. It returns
// their errors.
func (f *fleet) walk(visit func(i int, c *acctest.Core, kind string, config map[string]any) error) []error {
	server := f.connect()
	errs := make([]error, len(f.cores))
	places := make(chan struct{}, 30)
	var all sync.WaitGroup
	for i, c := range f.cores {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			c.Server = server
			for kind, config := range f.configs[i] {
				errs[i] = visit(i, c, kind, config)
			}
		})
	}
	all.Wait()
	return errs
}

// apply plans all resources and, unless a plan fails, applies them. It returns
// the number of those with changes, and the errors.
func (f *fleet) apply() (changed int, errs []error) {
	plans := make([]acctest.Plan, len(f.cores))
	var n atomic.Int64
	errs = f.walk(func(i int, c *acctest.Core, kind string, config map[string]any) (err error) {
		if err = c.Refresh(kind); err == nil {
			plans[i], err = c.Plan(kind, c.Config(kind, config))
		}
		if err == nil && !plans[i].Planned.Equal(c.Instance(kind).State) {
			n.Add(1)
		}
		return err
	})
	if n.Load() == 0 || errors.Join(errs...) != nil {
		return int(n.Load()), errs
	}
	return int(n.Load()), f.walk(func(i int, c *acctest.Core, kind string, _ map[string]any) error {
		if plans[i].Planned.Equal(c.Instance(kind).State) {
			return nil
		}
		return c.Apply(kind, plans[i])
	})
}

// With one request in five failing in ways that retries get over, one apply of
// hundreds of resources succeeds.
func TestChaosThatPasses(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil)
		resources := populate(env, 60)
		ways := []mockapi.Fault{fault(429, "X-RateLimit-Reset", "0.05")}
		for _, f := range faultCases() {
			if f.passes && f.fault.Status != http.StatusTooManyRequests {
				ways = append(ways, f.fault)
			}
		}
		failSome(env, seeded(t), 1200, ways)
		f := newFleet(t, env, map[string]any{"request_timeout": "1s", "max_retries": 15}, resources)
		if _, errs := f.apply(); errors.Join(errs...) != nil {
			t.Fatal(errors.Join(errs...))
		}
		if changed, errs := f.apply(); changed > 0 || errors.Join(errs...) != nil {
			t.Errorf("the second plan changes %d: %v", changed, errors.Join(errs...))
		}
		expectPopulation(t, env, resources)
	})
}

// With one request in five failing in any way, applies fail, but none does
// harm, and in the end the same apply succeeds.
func TestChaosThatLasts(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil)
		resources := populate(env, 20)
		var ways []mockapi.Fault
		for _, f := range faultCases() {
			if f.fault.Kind != mockapi.FaultEndless && f.fault.Kind != mockapi.FaultHang {
				ways = append(ways, f.fault)
			}
		}
		f := newFleet(t, env, map[string]any{"max_retries": 1}, resources)
		failSome(env, seeded(t), 400, ways)
		failures := 0
		for range 20 {
			_, errs := f.apply()
			for _, err := range errs {
				if err == nil {
					continue
				}
				failures++
				if n := strings.Count(err.Error(), "Unable to "); n != 1 {
					t.Errorf("%d errors: %v", n, err)
				}
			}
			if errors.Join(errs...) == nil {
				break
			}
		}
		if changed, errs := f.apply(); changed > 0 || errors.Join(errs...) != nil {
			t.Errorf("in the end, the plan changes %d: %v", changed, errors.Join(errs...))
		}
		expectPopulation(t, env, resources)
		if failures < 20 {
			t.Errorf("%d failures are no chaos", failures)
		}
	})
}
