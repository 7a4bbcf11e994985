package mockapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// presenter shows a result by the variants.
type presenter struct {
	Variants
	turn int // how often the object was shown; lists are shuffled by it
}

// The members that variants show differently, by name: openapi.yaml gives none
// of these names two meanings.
var (
	serverTimes = []string{"createdAt", "updatedAt", "usedAt", "startedAt", "finishedAt"}
	unordered   = []string{"roles", "ipAccessList", "privateEndpointIds", "availablePrivateEndpointIds", "endpoints", "reversePrivateEndpointIds"}
)

// settingsMember is the object whose unknown member can be written, see
// [extraSetting].
const settingsMember = "settings"

// present shows a whole result.
func (v Variants) present(operation *operation, result any, turn int) any {
	name := ""
	if operation.id == "updatePipeSettings" {
		name = settingsMember
	}
	return presenter{v, turn}.value(name, operation.result, result)
}

// value shows the member name of an object. schema describes it, and is nil
// for a member that openapi.yaml does not have.
func (p presenter) value(name string, schema *openapi3.Schema, value any) any {
	switch value := value.(type) {
	case Object:
		return p.object(name, schema, value)
	case []any:
		return p.list(name, schema, value)
	case string:
		return p.text(name, value)
	case int64:
		return p.whole(name, value)
	case float64:
		return p.textual(name, strconv.FormatFloat(value, 'f', -1, 64), value)
	}
	return value
}

func (p presenter) object(name string, schema *openapi3.Schema, stored Object) Object {
	var described map[string]*openapi3.Schema
	if schema != nil {
		described = properties(schema)
	}
	shown := make(Object, len(stored))
	for member, value := range stored {
		shown[member] = p.value(member, described[member], value)
	}
	for member, schema := range described {
		if shown[member] == nil {
			p.fill(shown, member, schema)
		}
	}
	if p.Missing == AsAbsent {
		maps.DeleteFunc(shown, func(_ string, value any) bool {
			elements, isList := value.([]any)
			return value == nil || isList && len(elements) == 0
		})
	}
	if p.ExtraMembers && name != settingsMember {
		shown["futureMember"] = Object{"of": name, "list": []any{p.number(1), nil}}
	}
	return shown
}

// fill shows a described member without a value.
func (p presenter) fill(shown Object, member string, schema *openapi3.Schema) {
	switch {
	case p.Missing == AsNull && schema.Type.Permits(openapi3.TypeNull):
		shown[member] = nil
	case p.Missing == AsEmpty && schema.Type.Permits(openapi3.TypeArray):
		shown[member] = []any{}
	case p.Missing == AsEmpty && schema.Type.Permits(openapi3.TypeString) && schema.Format == "":
		shown[member] = ""
	}
}

func (p presenter) list(name string, schema *openapi3.Schema, stored []any) []any {
	var described *openapi3.Schema
	if schema != nil && schema.Items != nil {
		described = schema.Items.Value
	}
	shown := make([]any, 0, len(stored))
	for _, element := range stored {
		shown = append(shown, p.value("", described, element))
	}
	if p.Shuffle && len(shown) > 1 && slices.Contains(unordered, name) {
		// A rotation by one more each time is another order each time.
		by := p.turn % len(shown)
		shown = slices.Concat(shown[by:], shown[:by])
	}
	return shown
}

func (p presenter) text(name, stored string) any {
	switch {
	case slices.Contains(serverTimes, name):
		return p.time(stored)
	case name == "expireAt" && p.NormaliseExpiry:
		return millis(stored)
	case name == "source": // of an IP access entry; a pipe's is an object
		return p.address(stored)
	}
	return stored
}

func (p presenter) time(stored string) string {
	moment, err := time.Parse(time.RFC3339, stored)
	if err != nil {
		return stored
	}
	switch p.Timestamps {
	case Offset:
		return moment.UTC().Format("2006-01-02T15:04:05.999999999-07:00")
	case Millis:
		return millis(stored)
	case Elsewhere:
		return moment.In(time.FixedZone("", int((5*time.Hour + 30*time.Minute).Seconds()))).Format(time.RFC3339Nano)
	}
	return stored
}

// millis is a time in UTC with exactly three decimals of a second.
func millis(stored string) string {
	moment, err := time.Parse(time.RFC3339, stored)
	if err != nil {
		return stored
	}
	return moment.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// backupNumbers are the numbers of a backup.
var backupNumbers = []string{"sizeInBytes", "durationInSeconds"}

func (p presenter) whole(name string, value int64) any {
	digits := strconv.FormatInt(value, 10)
	switch isBackup := slices.Contains(backupNumbers, name); {
	case isBackup && p.BackupNumbers == BackupDecimal:
		return json.Number(digits + ".0")
	case isBackup && p.BackupNumbers == BackupHalf:
		return json.Number(digits + ".5")
	case name == "timestamp" && p.TextTimestamp: // of a kinesis source: that of a kafka source is no number
		return time.Unix(value, 0).UTC().Format(time.RFC3339)
	}
	return p.textual(name, digits, p.number(value))
}

// textual is a number as a string if the variants say so, or else as plain.
func (p presenter) textual(name, digits string, plain any) any {
	unit, isQuantity := quantities[name]
	switch {
	case isQuantity && p.ScalingQuantities:
		return digits + unit
	case p.Numbers == Quoted:
		return digits
	}
	return plain
}

// quantities are the units of a scaling as Kubernetes writes them.
var quantities = map[string]string{"replicaCpuMillicores": "m", "replicaMemoryGb": "Gi"}

// number is a whole number in the notation of the variants.
func (v Variants) number(value int64) any {
	digits := strconv.FormatInt(value, 10)
	switch v.Numbers {
	case Decimal:
		return json.Number(digits + ".0")
	case Exponent:
		return json.Number(exponent(digits))
	}
	return value
}

// exponent writes 5 as 5e0 and 1200 as 1.2e3, without losing a digit.
func exponent(digits string) string {
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	power := strconv.Itoa(len(digits) - 1)
	fraction := strings.TrimRight(digits[1:], "0")
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + digits[:1] + fraction + "e" + power
}

// sparse reduces a response to the id and what was sent, if the variants say
// so.
func (v Variants) sparse(operation *operation, shown any, sent Object) any {
	response, _ := shown.(Object)
	switch {
	case operation.id == "updatePipeSettings":
		if v.SparseSettingsResponse {
			return only(response, sent)
		}
	case operation.method != "PATCH" || !v.SparsePatchResponse:
	case operation.id == "scalePipe":
		scaling, _ := response["scaling"].(Object)
		return Object{"id": response["id"], "scaling": only(scaling, sent)}
	default:
		kept := only(response, sent)
		kept["id"] = response["id"]
		return kept
	}
	return shown
}

// only is object with just the members that were sent.
func only(object, sent Object) Object {
	kept := maps.Clone(object)
	maps.DeleteFunc(kept, func(name string, _ any) bool {
		_, ok := sent[name]
		return !ok
	})
	if kept == nil {
		kept = Object{}
	}
	return kept
}
