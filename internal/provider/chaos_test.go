package provider

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// populate adds as many objects of each kind as n says, and answers a resource
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

// arrived checks that the API has what resources of populate ask for.
func arrived(t *testing.T, env *acctest.Env, resources []acctest.Configs) {
	t.Helper()
	for _, resource := range resources {
		for kind, config := range resource {
			got, want := "", ""
			switch kind {
			case "pipe_scaling":
				got, want = fmt.Sprint(env.Object(mockapi.Pipe, config["pipe_id"].(string))["scaling"].(mockapi.Object)["replicas"]), "7"
			case "pipe_settings":
				got, want = fmt.Sprint(env.Object(mockapi.Pipe, config["pipe_id"].(string))["settings"].(mockapi.Object)["db_max_threads"]), "33"
			case "service":
				got, want = nameAndList(env.Object(mockapi.Service, config["service_id"].(string))), "Changed 10.0.0.0/8= 198.51.100.7= 203.0.113.9=office"
			case "api_key":
				got, want = nameAndList(env.Object(mockapi.Key, config["key_id"].(string))), "Changed 10.0.0.0/8= 198.51.100.7= 203.0.113.9=office"
			}
			if got != want {
				t.Errorf("%s %v has %s, not %s", kind, config, got, want)
			}
		}
	}
}

func nameAndList(object mockapi.Object) string {
	var entries []string
	for _, entry := range object["ipAccessList"].([]any) {
		entry := entry.(mockapi.Object)
		description, _ := entry["description"].(string)
		entries = append(entries, fmt.Sprintf("%s=%s", entry["source"], description))
	}
	slices.Sort(entries)
	return fmt.Sprintf("%s %s", object["name"], strings.Join(entries, " "))
}

// haunt has one request in five of the next n fail, each in a way that is
// chosen at random.
func haunt(env *acctest.Env, random *rand.Rand, n int, ways []mockapi.Fault) {
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

// TestChaosThatPasses: with one request in five failing in ways that may pass,
// one apply of hundreds of resources ends where it should.
func TestChaosThatPasses(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	resources := populate(env, 60)
	var ways []mockapi.Fault
	for _, m := range faultCases() {
		if m.passes && m.fault.Status != http.StatusTooManyRequests {
			ways = append(ways, m.fault)
		}
	}
	ways = append(ways, fault(429, "X-RateLimit-Reset", "0.05"))
	haunt(env, seeded(t), 1200, ways)
	p := newPeers(t, env, map[string]any{"request_timeout": "1s", "max_retries": 15}, resources)
	if _, errs := p.apply(); errors.Join(errs...) != nil {
		t.Fatal(errors.Join(errs...))
	}
	if changed, errs := p.apply(); changed > 0 || errors.Join(errs...) != nil {
		t.Errorf("the second plan changes %d: %v", changed, errors.Join(errs...))
	}
	arrived(t, env, resources)
}

// TestChaosThatLasts: with one request in five failing in any way, applies
// fail, but none does harm, and once it is over the same apply completes.
func TestChaosThatLasts(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	resources := populate(env, 20)
	var ways []mockapi.Fault
	for _, m := range faultCases() {
		if m.fault.Kind != mockapi.FaultEndless && m.fault.Kind != mockapi.FaultHang {
			ways = append(ways, m.fault)
		}
	}
	random := seeded(t)
	p := newPeers(t, env, map[string]any{"max_retries": 1}, resources)
	failures := 0
	for range 2 {
		haunt(env, random, 200, ways)
		for range 20 {
			_, errs := p.apply()
			for _, err := range errs {
				if err == nil {
					continue
				}
				failures++
				if n := strings.Count(err.Error(), "Unable to "); n != 1 {
					t.Errorf("%d diagnostics: %v", n, err)
				}
			}
			if errors.Join(errs...) == nil {
				break
			}
		}
		if changed, errs := p.apply(); changed > 0 || errors.Join(errs...) != nil {
			t.Errorf("once it is over, the plan changes %d: %v", changed, errors.Join(errs...))
		}
		arrived(t, env, resources)
		for _, c := range p.cores { // and from the start
			c.ForgetAll()
		}
	}
	if failures < 20 {
		t.Errorf("%d failures are no chaos", failures)
	}
}
