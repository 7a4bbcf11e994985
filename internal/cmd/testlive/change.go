package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A change sets one attribute of one object to another value.
type change struct {
	Resource  string // without dbplatform_
	Object    string // in the output
	Path      string // of the object, below the organization
	Attribute string
	Member    string // the API's name for it
	Before    any    // as the state has it
	Value     any
}

func (c *change) kind() kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.resource == c.Resource })]
}

// check returns why a request is more than this change or its way back, by what
// was sent before.
func (c *change) check(e *exchange, before []*exchange) error {
	k := c.kind()
	if e.method != k.method || e.path != strings.TrimSuffix(c.Path+"/"+k.part, "/") || len(e.sent) == 0 {
		return fmt.Errorf("%s %s is not the change of %s", e.method, e.path, c.Attribute)
	}
	shown := latest(before, c.Path).shown(k.part)
	// After a refusal something may be left out.
	isRefused := slices.ContainsFunc(before, func(b *exchange) bool { return b.path == e.path && b.isInvalid() })
	for name, value := range e.sent {
		isRepeated := k.method == http.MethodPut && equal(value, shown[name])
		if name != c.Member && !isRepeated {
			return fmt.Errorf("%s is not the attribute under test", name)
		}
	}
	if c.Member == "ipAccessList" {
		return c.checkList(e.sent[c.Member], shown[c.Member])
	}
	if value, isSent := e.sent[c.Member]; isSent && !equal(value, c.Before) && !equal(value, c.Value) {
		return fmt.Errorf("%s has a value that is not of this test", c.Member)
	}
	if k.method == http.MethodPut && !isRefused {
		for name, value := range shown {
			if _, isSent := e.sent[name]; !isSent && value != nil {
				return fmt.Errorf("%s would be left out", name)
			}
		}
	}
	return nil
}

// checkList refuses to take an entry from a list, except the one that the test adds.
func (c *change) checkList(sent, shown any) error {
	known := append(sources(c.Before), sources(shown)...)
	own := without(sources(c.Value), sources(c.Before))
	if difference, ok := sent.(map[string]any); ok {
		if len(without(sources(difference["remove"]), own)) > 0 {
			return errors.New("an entry of a list is never removed")
		}
		sent = difference["add"]
	} else if len(without(without(known, own), sources(sent))) > 0 {
		return errors.New("an entry of a list is never removed")
	}
	if len(without(sources(sent), append(known, own...))) > 0 {
		return errors.New("only the entry of this test is added")
	}
	return nil
}

// sources returns the addresses of a list: of one in the state, or in a request or a
// response.
func sources(list any) (all []string) {
	switch list := list.(type) {
	case map[string]any:
		for source := range list {
			all = append(all, address(source))
		}
	case []any:
		for _, element := range list {
			entry, _ := element.(map[string]any)
			all = append(all, address(fmt.Sprint(entry["source"])))
		}
	}
	return all
}

// address is one notation for an address or range. Other texts stay.
func address(text string) string {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked().String()
	}
	if ip, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(ip, ip.BitLen()).String()
	}
	return text
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(element string) bool { return slices.Contains(b, element) })
}

// equal compares values: numbers and times in any notation, lists without their order.
func equal(a, b any) bool { return canonical(a) == canonical(b) }

func canonical(value any) string {
	text := fmt.Sprint(value)
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return fmt.Sprint(number)
	}
	if moment, err := time.Parse(time.RFC3339, text); err == nil {
		return moment.UTC().String()
	}
	var elements []string
	switch value := value.(type) {
	case nil:
		return `""` // an empty expiry is none
	case []any:
		for _, element := range value {
			elements = append(elements, canonical(element))
		}
	case map[string]any:
		for name, member := range value {
			elements = append(elements, name+"="+canonical(member))
		}
	default:
		return strconv.Quote(text)
	}
	slices.Sort(elements)
	return fmt.Sprintf("%q", elements)
}

// A kind is a resource of the provider.
type kind struct {
	resource          string // without dbplatform_
	operation, method string // of its update
	part              string // of the object; empty: all of it
}

var kinds = []kind{
	{"service", "updateService", http.MethodPatch, ""},
	{"api_key", "updateKey", http.MethodPatch, ""},
	{"pipe_scaling", "scalePipe", http.MethodPatch, "scaling"},
	{"pipe_settings", "updatePipeSettings", http.MethodPut, "settings"},
}

// never are members that no run changes: a mistake would cut somebody off, a new
// encryption key is a rotation, and nothing shows the others' original.
var never = []string{"endpoints", "privateEndpointIds", "transparentDataEncryptionKeyId", "state", "releaseChannel"}

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

// allows reports whether a member may have a value, by openapi.yaml.
func (k kind) allows(member string, value any) bool {
	if text, ok := value.(json.Number); ok {
		value, _ = text.Float64()
	}
	return k.schemas()[member].VisitJSON(value) == nil
}

var upper = regexp.MustCompile(`[A-Z]`)

// snake is the attribute of an API's member.
func snake(name string) string { return strings.ToLower(upper.ReplaceAllString(name, "_$0")) }

// testAddress is added to access lists. It is from a range for documentation.
const testAddress = "203.0.113.71"

// other returns another valid value of an attribute, or why there is none. shown is
// the object in a response, and state the one in Terraform's state.
func (k kind) other(member string, shown, state map[string]any) (value any, why string) {
	now := state[snake(member)]
	switch member {
	case "name":
		return k.otherName(now)
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
	return k.otherNumber(member, now)
}

// otherNumber goes up, or else to the minimum: small whole numbers by one, and
// others to their double, because an API may have steps.
func (k kind) otherNumber(member string, now any) (any, string) {
	text, _ := now.(json.Number)
	value, err := text.Float64()
	if err != nil {
		return nil, "there is no other value that is certainly valid"
	}
	const small = 100
	up := value * 2
	if k.schemas()[member].Type.Permits(openapi3.TypeInteger) && value < small || value == 0 {
		up = math.Floor(value) + 1
	}
	if !k.allows(member, up) {
		up = *k.schemas()[member].Min
	}
	if up == value {
		return nil, "it has no other value within its bounds"
	}
	return up, ""
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

// laterExpiry is a day later: a key whose run is killed does not expire early.
func laterExpiry(now any) (any, string) {
	text, _ := now.(string)
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil || moment.Before(time.Now()) {
		return nil, "the key does not expire, or has expired and would be valid again"
	}
	return moment.AddDate(0, 0, 1).UTC().Format(time.RFC3339), ""
}

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
