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

// unreadable_objects says whether a plan can run with a key that may not update,
// and whether it must not where the API shows nothing.
func TestUnreadableObjects(t *testing.T) {
	t.Parallel()
	readOnly := mockapi.Variants{ReadOnlyKey: true}
	refusing := func(status int) mockapi.Variants { return mockapi.Variants{RefuseEmptyPatch: status} }
	for name, test := range map[string]struct {
		variants           mockapi.Variants
		block, environment string
		status             string
		fails              bool
	}{
		"403":                     {variants: readOnly, status: "HTTP 403", fails: true},
		"403, warn":               {variants: readOnly, block: "warn", status: "HTTP 403"},
		"403, warn from outside":  {variants: readOnly, environment: "warn", status: "HTTP 403"},
		"403, error":              {variants: readOnly, block: "error", status: "HTTP 403", fails: true},
		"403, the block counts":   {variants: readOnly, block: "error", environment: "warn", status: "HTTP 403", fails: true},
		"400":                     {variants: refusing(400), status: "HTTP 400"},
		"405":                     {variants: refusing(405), status: "HTTP 405"},
		"422":                     {variants: refusing(422), status: "HTTP 422"},
		"422, warn":               {variants: refusing(422), block: "warn", status: "HTTP 422"},
		"400, error":              {variants: refusing(400), block: "error", status: "HTTP 400", fails: true},
		"405, error from outside": {variants: refusing(405), environment: "error", status: "HTTP 405", fails: true},
		"422, the block's counts": {variants: refusing(422), block: "error", environment: "warn", status: "HTTP 422", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			objects := func(name string) string {
				return serviceConfig(mockapi.ServiceID, fmt.Sprintf("name = %q", name)) + keyConfig(mockapi.APIKeyID, fmt.Sprintf("name = %q", name))
			}
			tf := env.CLI(t, objects("Same"))
			tf.Apply()
			env.SetVariants(test.variants)
			env.ResetRequests()
			block := env.ProviderBlock()
			if test.block != "" {
				block = env.ProviderBlock(fmt.Sprintf("unreadable_objects = %q", test.block))
			}
			tf.WriteFile("main.tf", acctest.Requirement+block+objects("Same"))
			tf.Setenv("DBPLATFORM_UNREADABLE_OBJECTS=" + test.environment)
			out, code := tf.Run("plan", "-detailed-exitcode")
			switch {
			case test.fails:
				if code != 1 {
					t.Errorf("the plan ended with %d", code)
				}
				acctest.Contains(t, out, "Unable to read service", "Unable to read API key", test.status)
			default:
				if code != 0 {
					t.Errorf("the plan ended with %d", code)
				}
				acctest.Contains(t, out, "Warning: Unable to read existing objects", "drift is not detected", "similar warning", test.status)
			}
			if test.variants.ReadOnlyKey && !test.fails {
				tf.WriteFile("main.tf", acctest.Requirement+block+objects("Other"))
				acctest.Contains(t, tf.ApplyFails(), "Unable to update service", "HTTP 403", "The key lacks permission")
			}
			for _, operation := range []string{"updateService", "updateKey"} {
				if n := len(env.Sent(operation)); !test.variants.ReadOnlyKey && n != 1 {
					t.Errorf("%s was tried %d times in one plan", operation, n)
				}
			}
		})
	}
}

// 424 is not retried: the service has to be woken.
func TestIdleService(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5"))
	tf.Apply()
	tf.Configure(scalingConfig(mockapi.KafkaPipeID, "replicas = 6"))
	tf.Must("plan", "-out=plan")
	env.SetVariants(mockapi.Variants{IdleService: true})
	env.ResetRequests()
	acctest.Contains(t, tf.Fails("plan"), "HTTP 424", "Current state: idle", "Wake it, for example by connecting to it, and run Terraform again")
	if n := len(env.Requests()); n != 1 {
		t.Errorf("the plan sent %d requests", n)
	}
	env.ResetRequests()
	acctest.Contains(t, tf.Fails("apply", "plan"), "HTTP 424", "Wake it, for example by connecting to it. Then apply again")
	if n := len(env.Requests()); n > 2 { // Terraform plans again
		t.Errorf("the apply sent %d requests", n)
	}
	env.SetVariants(mockapi.Variants{})
	tf.Apply()
	tf.ExpectNoChanges()
}

// A gateway's 404 is no word about the object, and its advice is not about ids.
func TestGatewayNotFound(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5")+keyConfig(mockapi.APIKeyID, `name = "Same"`))
	tf.Apply()
	remove := env.Fail(mockapi.Fault{Kind: mockapi.FaultHTML, Status: http.StatusNotFound})
	out := tf.Fails("plan")
	acctest.Contains(t, out, "HTTP 404", "something other than the API responded", "The upstream server cannot be reached",
		"A gateway, a proxy or another server sent this response", "Check that base_url or DBPLATFORM_BASE_URL")
	acctest.Lacks(t, out, "Check the id")
	acctest.Contains(t, tf.Must("state", "list"), "dbplatform_pipe_scaling.this", "dbplatform_api_key.this")
	remove()
	tf.ExpectNoChanges()
}

// An HTML page whose title says nothing shows its text, cut to length.
func TestTerseHTML(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5"))
	long := strings.Repeat("and so on ", 200)
	env.Fail(mockapi.Fault{
		Operation: "scalePipe", Status: http.StatusUnprocessableEntity, Header: http.Header{"Content-Type": {"text/html"}},
		Body: "<title>422</title><style>p { color: red }</style><body><p>the pipe &amp; its table are locked</p>" + long + "</body>",
	})
	out := tf.ApplyFails()
	acctest.Contains(t, out, "HTTP 422", "the pipe & its table are locked and so on")
	acctest.Lacks(t, out, "<p>", "color")
	if n := strings.Count(acctest.Flat(out), "and so on"); n > 50 {
		t.Errorf("the text was not cut: %d repetitions", n)
	}
	env.SetVariants(mockapi.Variants{ErrorShape: mockapi.ErrorTerseHTML})
	tf.Configure(scalingConfig("99999999-9999-4999-8999-999999999999", "replicas = 5"))
	acctest.Contains(t, tf.Fails("plan"), "HTTP 404", "99999999-9999-4999-8999-999999999999")
}

// A run keeps to a rate limit however the API announces it, by clocks that
// differ, and sends nothing while no request remains.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	for i, style := range mockapi.RateLimitStyles() {
		t.Run(string(style), func(t *testing.T) {
			t.Parallel()
			skew := time.Duration(1-2*(i%2)) * 10 * time.Minute
			env := newEnv(t, mockapi.WithVariants(mockapi.Variants{Bare429: true}),
				mockapi.WithClock(func() time.Time { return time.Now().Add(skew) }))
			env.AddPipes(3)
			env.LimitRate(4, time.Second, style)
			tf := env.CLI(t, manyPipes(3))
			tf.Setenv("TF_LOG_PROVIDER=INFO")
			out := tf.Apply("-parallelism=1")
			refused := slices.ContainsFunc(env.Requests(), func(r mockapi.Request) bool { return r.Status == http.StatusTooManyRequests })
			announced := strings.HasPrefix(string(style), "ratelimit") || style == mockapi.RateLimitRemaining
			if refused == announced {
				t.Errorf("a request was refused: %v", refused)
			}
			if refused {
				acctest.Contains(t, out, "waiting for the API's rate limit")
			}
			env.LimitRate(0, 0, "")
			tf.ExpectNoChanges()
		})
	}
}

// A host that does not exist fails at once; a refused connection is retried, and
// the log says so.
func TestConnections(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := listener.Addr().String()
	_ = listener.Close()
	// No name may have a label of more than 63 characters, which needs no
	// resolver to be found out.
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
			env := newEnv(t)
			env.URL = test.url
			tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 5"))
			tf.Setenv("TF_LOG_PROVIDER=INFO", "DBPLATFORM_MAX_RETRIES=1", "GODEBUG=netdns=go", "NO_PROXY=*", "no_proxy=*")
			out := tf.Fails("plan")
			acctest.Contains(t, out, "Unable to adopt pipe scaling", "no response from "+test.host, test.cause)
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
