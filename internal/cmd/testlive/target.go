package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A kind is a resource of the provider.
type kind struct {
	resource          string // without dbplatform_
	operation, method string // of its update
	part              string // of the object; empty: all of it
}

var (
	service      = kind{"service", "updateService", http.MethodPatch, ""}
	apiKey       = kind{"api_key", "updateKey", http.MethodPatch, ""}
	pipeScaling  = kind{"pipe_scaling", "scalePipe", http.MethodPatch, "scaling"}
	pipeSettings = kind{"pipe_settings", "updatePipeSettings", http.MethodPut, "settings"}
)

// never are members that no run changes: a mistake would cut somebody off, a new
// encryption key is a rotation, and no response shows the original of the others.
var never = []string{"endpoints", "privateEndpointIds", "transparentDataEncryptionKeyId", "state", "releaseChannel"}

// A target is an object under test, as one resource.
type target struct {
	kind
	object   string // in the output
	path     string // below the organization
	ids      map[string]any
	importID string
	folder   string
}

// updatePath is the path of its update, below the organization.
func (t target) updatePath() string { return strings.TrimSuffix(t.path+"/"+t.part, "/") }

// targets are the objects that are named, as resources.
func (s *settings) targets() (all []target) {
	add := func(k kind, object, path string, ids map[string]any, importID string) {
		folder := filepath.Join(s.folder, fmt.Sprintf("%d-%s", len(all), k.resource))
		all = append(all, target{k, object, path, ids, importID, folder})
	}
	servicePath := "/services/" + s.serviceID
	if s.serviceID != "" {
		add(service, "service "+s.serviceID, servicePath, map[string]any{"service_id": s.serviceID}, s.serviceID)
	}
	if s.apiKeyID != "" {
		add(apiKey, "API key "+s.apiKeyID, "/keys/"+s.apiKeyID, map[string]any{"key_id": s.apiKeyID}, s.apiKeyID)
	}
	for _, pipe := range s.pipeIDs {
		for _, k := range []kind{pipeScaling, pipeSettings} {
			add(k, "pipe "+pipe, servicePath+"/pipes/"+pipe, map[string]any{"service_id": s.serviceID, "pipe_id": pipe}, s.serviceID+"/"+pipe)
		}
	}
	return all
}

// schemas are those of the request's members.
func (k kind) schemas() map[string]*openapi3.Schema {
	request, _ := mockapi.Schemas(k.operation)
	return mockapi.Members(request)
}

// members returns the API's names of the attributes that a run may change.
func (k kind) members() map[string]string {
	names := map[string]string{}
	for member := range k.schemas() {
		if !slices.Contains(never, member) {
			names[snake(member)] = member
		}
	}
	return names
}

var upper = regexp.MustCompile(`[A-Z]`)

// snake is the attribute of an API's member.
func snake(name string) string { return strings.ToLower(upper.ReplaceAllString(name, "_$0")) }

// isUnused reports whether a setting is for other kinds of source than this pipe has.
// The provider leaves it out of a PUT, because some APIs refuse it.
func (k kind) isUnused(member string, pipe map[string]any) bool {
	_, documented := mockapi.Schemas("getPipe")
	source, _ := pipe["source"].(map[string]any)
	hasSource := func(kind string) bool { return source[kind] != nil }
	users := mockapi.Sources(k.schemas()[member])
	return len(users) > 0 && !slices.ContainsFunc(users, hasSource) &&
		slices.ContainsFunc(names(mockapi.Members(mockapi.Members(documented)["source"])), hasSource)
}

// allows reports whether a member may have a value, by openapi.yaml.
func (k kind) allows(member string, value any) bool {
	return k.schemas()[member].VisitJSON(plain(value)) == nil
}

// plain returns a number as openapi3 expects it.
func plain(value any) any {
	if number, ok := value.(json.Number); ok {
		value, _ = number.Float64()
	}
	return value
}

// other returns another valid value of an attribute, or why it must not be changed. state
// has the attributes in Terraform's state.
func (r *run) other(t target, attribute string, state map[string]any) (value any, why string) {
	read := latest(r.recorder.all(), t.path)
	shown, member, now := read.shown(t.part), t.members()[attribute], state[attribute]
	if t.kind == apiKey && attribute != "name" && r.mayBeOwn(shown) {
		return nil, "the tests may use this key"
	}
	if t.kind == pipeSettings {
		for name := range t.schemas() {
			if value := shown[name]; value != nil && !t.allows(name, value) && !t.isUnused(name, read.shown("")) {
				return nil, "a PUT would leave out " + name + ", whose value is outside the documented bounds"
			}
		}
	}
	switch member {
	case "name":
		return t.otherName(now)
	case "roles":
		return fewerRoles(now)
	case "expireAt":
		return laterExpiry(now)
	case "ipAccessList":
		return longerList(now, shown[member])
	}
	if flag, ok := now.(bool); ok {
		return !flag, ""
	}
	return t.otherNumber(member, now)
}

// mayBeOwn reports whether a key may be the one that authenticates. Only a suffix
// that the credentials do not have shows that it is another.
func (r *run) mayBeOwn(shown map[string]any) bool {
	suffix, _ := shown["keySuffix"].(string)
	suffix = strings.TrimLeft(suffix, "*.…•xX ") // what hides the rest; everything ends in ""
	return strings.EqualFold(r.s.keyID, r.s.apiKeyID) || strings.HasSuffix(r.s.keyID, suffix) || strings.HasSuffix(r.s.keySecret, suffix)
}

// otherNumber is the minimum, or else its double: both are also valid if an API has steps.
func (k kind) otherNumber(member string, now any) (any, string) {
	schema := k.schemas()[member]
	if schema.Min == nil {
		panic("other has no case for " + member + ", nor has the list never")
	}
	number, isNumber := plain(now).(float64)
	least := *schema.Min
	switch {
	case !isNumber:
		return nil, "there is no other value that is certainly valid"
	case number != least:
		return least, ""
	}
	return max(1, 2*least), ""
}

func (k kind) otherName(now any) (any, string) {
	name, _ := now.(string)
	other := name + " test"
	if !k.allows("name", other) && name != "" { // too long
		other = strings.TrimSpace(string([]rune(name)[1:]))
	}
	if name == "" || !k.allows("name", other) {
		return nil, "there is no other name that is certainly valid"
	}
	return other, ""
}

// fewerRoles takes a role away. No key ever gets another one.
func fewerRoles(now any) (any, string) {
	roles, _ := now.([]any)
	for _, least := range []string{"query_endpoints", "developer"} {
		if fewer := slices.DeleteFunc(slices.Clone(roles), func(role any) bool { return role == least }); len(fewer) > 0 && len(fewer) < len(roles) {
			return fewer, ""
		}
	}
	return nil, "a test takes a role away, and the key has only one"
}

// laterExpiry is a day later: a key does not expire early if the run is killed.
func laterExpiry(now any) (any, string) {
	text, _ := now.(string)
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil || moment.Before(time.Now()) {
		return nil, "the key does not expire, or has expired and would be valid again"
	}
	return moment.AddDate(0, 0, 1).UTC().Format(time.RFC3339), ""
}

// testAddress is added to access lists. It is from a range for documentation.
const testAddress = "203.0.113.71"

// longerList adds an entry to a list that has some: an empty one may admit everybody.
func longerList(now, shown any) (any, string) {
	list, _ := now.(map[string]any)
	entries := sources(shown)
	slices.Sort(entries)
	switch {
	case len(list) == 0:
		return nil, "it is empty, and may then admit everybody"
	case len(slices.Compact(entries)) != len(list):
		return nil, "it lists an address twice"
	case slices.Contains(entries, address(testAddress)):
		return nil, "it has " + testAddress + " already, the address that the tests add"
	}
	longer := map[string]any{testAddress: "make testlive"}
	maps.Copy(longer, list)
	return longer, ""
}
