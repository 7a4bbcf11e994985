package provider

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// unreadable_objects decides whether a plan can run if the API does not show an
// object, because the key may not update or the API refuses an empty update.
func TestUnreadableObjects(t *testing.T) {
	t.Parallel()
	readOnly := mockapi.Variants{ReadOnlyKey: true}
	refusing := func(status int) mockapi.Variants { return mockapi.Variants{RefuseEmptyPatch: status} }
	for name, test := range map[string]struct {
		variants mockapi.Variants
		setting  any // unreadable_objects
		status   string
		fails    bool
	}{
		"403":        {readOnly, nil, "HTTP 403", true},
		"403, warn":  {readOnly, "warn", "HTTP 403", false},
		"403, error": {readOnly, "error", "HTTP 403", true},
		"400":        {refusing(400), nil, "HTTP 400", false},
		"405":        {refusing(405), nil, "HTTP 405", false},
		"422":        {refusing(422), nil, "HTTP 422", false},
		"422, warn":  {refusing(422), "warn", "HTTP 422", false},
		"400, error": {refusing(400), "error", "HTTP 400", true},
		"405, error": {refusing(405), "error", "HTTP 405", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			for kind, config := range map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey} {
				c := env.Core(t, map[string]any{"unreadable_objects": test.setting})
				env.SetVariants(mockapi.Variants{})
				same := config(map[string]any{"name": "Same"})
				c.Must(same)
				env.SetVariants(test.variants)
				env.ResetRequests()
				plans, err := c.PlanAll(same)
				if n := len(env.Requests()); !test.variants.ReadOnlyKey && n != 1 {
					t.Errorf("%d requests in one plan", n)
				}
				if test.fails {
					acctest.Contains(t, fmt.Sprint(err), "Unable to read", test.status)
					continue
				}
				if err != nil || len(plans) > 0 {
					t.Errorf("%s: the plan changes %v (%v)", kind, plans, err)
				}
				acctest.Contains(t, fmt.Sprint(c.Warnings), "Unable to read existing objects", "drift is not detected", test.status)
				if test.variants.ReadOnlyKey {
					_, err := c.Run(config(map[string]any{"name": "Other"}))
					acctest.Contains(t, fmt.Sprint(err), "Unable to update", "HTTP 403", "The key lacks permission")
				}
			}
		})
	}
}

// 424 is not retried: the service has to be woken.
func TestIdleService(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	replicas := func(n int) acctest.Configs {
		return acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": n})}
	}
	c.Must(replicas(5))
	plans, err := c.PlanAll(replicas(6))
	if err != nil {
		t.Fatal(err)
	}
	env.SetVariants(mockapi.Variants{IdleService: true})
	env.ResetRequests()
	_, err = c.PlanAll(replicas(6))
	acctest.Contains(t, fmt.Sprint(err), "HTTP 424", "Current state: idle", "Wake it, for example by connecting to it. Then run Terraform again")
	acctest.Contains(t, fmt.Sprint(c.Apply("pipe_scaling", plans["pipe_scaling"])), "HTTP 424", "Wake it, for example by connecting to it. Then apply again")
	if n := len(env.Requests()); n > 3 { // Terraform plans again
		t.Errorf("%d requests were sent", n)
	}
	env.SetVariants(mockapi.Variants{})
	c.Must(replicas(6))
	c.ExpectNoChanges(replicas(6))
}

// A run keeps to a rate limit however the API announces it, with clocks that
// differ, and sends nothing while no request remains.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	for i, style := range mockapi.RateLimitStyles() {
		t.Run(string(style), func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				skew := time.Duration(1-2*(i%2)) * 10 * time.Minute
				env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{Bare429: true}),
					mockapi.WithClock(func() time.Time { return time.Now().Add(skew) }))
				env.LimitRate(4, time.Second, style)
				c := env.Core(t, nil)
				all := firstConfigs()
				c.Must(all)
				refused := slices.ContainsFunc(env.Requests(), func(r mockapi.Request) bool { return r.Status == http.StatusTooManyRequests })
				announced := strings.HasPrefix(string(style), "ratelimit") || style == mockapi.RateLimitRemaining
				if refused == announced {
					t.Errorf("a request was refused: %v", refused)
				}
				c.ExpectNoChanges(all)
			})
		})
	}
}

// A host that does not exist fails at once; a refused connection is retried,
// and the log says so.
func TestConnections(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := listener.Addr().String()
	_ = listener.Close()
	// No name may have a label of more than 63 characters, so no resolver is
	// needed to find out.
	missing := strings.Repeat("x", 64) + ".example"
	for name, test := range map[string]struct {
		url, host, cause string
		retries          int
	}{
		"no such host": {"https://" + missing, missing, "no such host", 0},
		"refused":      {"http://" + refusing, refusing, "refused", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := underTest.EnvOf(nil, test.url).CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5"))
			tf.Setenv("TF_LOG_PROVIDER=INFO", "DBPLATFORM_MAX_RETRIES=1", "GODEBUG=netdns=go", "NO_PROXY=*", "no_proxy=*")
			out := tf.Fails("plan")
			acctest.Contains(t, out, "Unable to adopt pipe scaling", "no response from "+test.host, test.cause, "that the API is up")
			lines := 0
			for line := range strings.Lines(out) {
				if strings.Contains(line, "[INFO]") && strings.Contains(line, "retrying") {
					lines++
					acctest.Contains(t, line, "no response from "+test.host, test.cause, "pause=")
				}
			}
			if lines != test.retries {
				t.Errorf("%d lines about a retry, not %d:\n%s", lines, test.retries, out)
			}
		})
	}
}

// Each error about wrong credentials says what to check, in as few words as
// possible: there is one for each object.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, map[string]any{"key_secret": "wrong"})
	for kind, config := range firstConfigs() {
		_, err := c.Plan(kind, c.Config(kind, config))
		acctest.Contains(t, fmt.Sprint(err), "Unable to adopt", ": HTTP 401 Unauthorized, request", "Check key_id and key_secret.")
		if err != nil && len(err.Error()) > 250 {
			t.Errorf("%d characters: %s", len(err.Error()), err)
		}
	}
}
