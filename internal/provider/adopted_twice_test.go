package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Two resources that adopt one object undo each other's changes. The plan
// warns of it, unless each of them has a provider process of its own.
func TestAdoptedTwice(t *testing.T) {
	t.Parallel()
	scaling := func(name, provider string, replicas int) string {
		return fmt.Sprintf("resource \"dbplatform_pipe_scaling\" %q {\n  provider = %s\n  service_id = %q\n  pipe_id = %q\n  replicas = %d\n}\n",
			name, provider, mockapi.ServiceID, mockapi.KafkaPipeID, replicas)
	}
	for name, test := range map[string]struct {
		first, second string // configurations; the second is applied after the first where there is one
		twice         bool
	}{
		"one provider":      {first: scaling("one", "dbplatform", 3) + scaling("two", "dbplatform", 4), twice: true},
		"beside another":    {first: scaling("one", "dbplatform", 3), second: scaling("one", "dbplatform", 3) + scaling("two", "dbplatform", 4), twice: true},
		"two keys":          {first: keyConfig(mockapi.APIKeyID, "") + strings.Replace(keyConfig(mockapi.OtherAPIKeyID, ""), `"this"`, `"other"`, 1)},
		"scaling, settings": {first: scaling("one", "dbplatform", 3) + settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 3")},
		"another name":      {first: scaling("one", "dbplatform", 3), second: scaling("two", "dbplatform", 3)},
		"another alias":     {first: scaling("one", "dbplatform", 3), second: scaling("two", "dbplatform.b", 3)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			alias := strings.Replace(env.ProviderBlock(), "{", "{\n  alias = \"b\"", 1)
			tf := env.CLI(t, alias+test.first)
			if test.second != "" {
				tf.Apply()
				tf.Configure(alias + test.second)
			}
			var twice []acctest.Diagnostic
			for _, d := range tf.Warnings("apply", "-auto-approve") {
				if strings.Contains(d.Summary, "twice") {
					twice = append(twice, d)
				}
			}
			switch {
			case test.twice && len(twice) == 0:
				t.Error("nothing warns of it")
			case !test.twice && len(twice) > 0:
				t.Errorf("it is warned of %v", twice)
			case test.twice && !strings.Contains(twice[0].Summary, "1111"):
				t.Errorf("the summary %q does not name the object", twice[0].Summary)
			}
		})
	}
}
