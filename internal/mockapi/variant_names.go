package mockapi

import (
	"fmt"
	"strings"
	"time"
)

// NamedVariant is one way in which a server may differ from the plain one.
type NamedVariant struct {
	// Name is for a command line: field=value, or the field alone for one that
	// is on or off.
	Name string
	// Doc says in one sentence what the server does.
	Doc string
	// MayFail tells that an apply may be unable to succeed, whatever the
	// client does.
	MayFail bool
	// Variants is the plain server except for this one thing.
	Variants Variants
}

// variant is a [NamedVariant] that can be combined with others.
type variant struct {
	name, doc string
	apply     func(*Variants)
}

// catalogue is every variant under which any apply can succeed.
var catalogue = []variant{
	{"remove_before_add", "A list's remove is applied before its add.", func(v *Variants) { v.RemoveBeforeAdd = true }},
	{"entry_identity=whole", "Two access entries are the same only if both source and description match.", func(v *Variants) { v.EntryIdentity = Whole }},
	{"remove_by=source", "Access entries are removed by their source alone.", func(v *Variants) { v.RemoveBy = RemoveBySource }},
	{"remove_by=whole", "Access entries are removed only if source and description match.", func(v *Variants) { v.RemoveBy = RemoveByWhole }},
	{"add_existing=ignore", "Adding an existing entry changes nothing.", func(v *Variants) { v.AddExisting = Ignore }},
	{"add_existing=refuse", "Adding an existing entry is refused with 409.", func(v *Variants) { v.AddExisting = Refuse }},
	{"settings_put=merge", "Settings that a PUT leaves out stay.", func(v *Variants) { v.SettingsPut = Merge }},
	{"settings_put=forget", "Settings that a PUT leaves out vanish.", func(v *Variants) { v.SettingsPut = Forget }},
	{"ignore_nulls", "A null in a scaling or settings body changes nothing.", func(v *Variants) { v.IgnoreNulls = true }},
	{"refuse_foreign_settings", "A GET returns settings of other kinds of source, but a settings PUT that contains them is refused with 400.", func(v *Variants) { v.RefuseForeignSettings = true }},
	{"refuse_extra_setting", "A GET returns an unknown setting, but a settings PUT that contains it is refused with 400.", func(v *Variants) { v.RefuseExtraSetting = true }},
	{"postgres_settings=404", "The settings PUT of a Postgres pipe is refused with 404.", func(v *Variants) { v.PostgresSettings = 404 }},
	{"postgres_settings=405", "The settings PUT of a Postgres pipe is refused with 405.", func(v *Variants) { v.PostgresSettings = 405 }},
	{"sparse_settings_response", "A settings PUT returns only what was sent.", func(v *Variants) { v.SparseSettingsResponse = true }},
	{"sparse_patch_response", "A PATCH returns only the id and what was sent.", func(v *Variants) { v.SparsePatchResponse = true }},
	{"missing=null", "Members without a value are null.", func(v *Variants) { v.Missing = AsNull }},
	{"missing=absent", "Members without a value, and empty lists, are left out.", func(v *Variants) { v.Missing = AsAbsent }},
	{"missing=empty", "Lists and strings without a value are empty.", func(v *Variants) { v.Missing = AsEmpty }},
	{"shuffle", "Lists without a meaningful order are returned in a different order each time.", func(v *Variants) { v.Shuffle = true }},
	{"extra_members", "Responses hold unknown members at every level; a pipe has an unknown setting.", func(v *Variants) { v.ExtraMembers = true }},
	{"numbers=decimal", "Whole numbers are written 5.0.", func(v *Variants) { v.Numbers = Decimal }},
	{"numbers=exponent", "Whole numbers are written 5e0.", func(v *Variants) { v.Numbers = Exponent }},
	{"numbers=quoted", "Numbers are strings: \"5\".", func(v *Variants) { v.Numbers = Quoted }},
	{"backup_numbers=decimal", "Sizes and durations of backups are written 600.0.", func(v *Variants) { v.BackupNumbers = BackupDecimal }},
	{"backup_numbers=half", "Sizes and durations of backups have a fraction: 600.5.", func(v *Variants) { v.BackupNumbers = BackupHalf }},
	{"backup_status", "Backups have a status and a type. One has failed, and the end time of one is in the year 1.", func(v *Variants) { v.BackupStatus = true }},
	{"timestamps=offset", "The server's times end in +00:00.", func(v *Variants) { v.Timestamps = Offset }},
	{"timestamps=millis", "The server's times have milliseconds.", func(v *Variants) { v.Timestamps = Millis }},
	{"timestamps=elsewhere", "The server's times are at the offset +05:30.", func(v *Variants) { v.Timestamps = Elsewhere }},
	{"normalise_expiry", "expireAt is shown in UTC with milliseconds.", func(v *Variants) { v.NormaliseExpiry = true }},
	{"normalise_address", "Addresses are shown as ranges with host bits zeroed, and removed only in that form.", func(v *Variants) { v.NormaliseAddress = true }},
	{"refuse_empty_patch=400", "An empty object is refused with 400 on a service and on a key.", func(v *Variants) { v.RefuseEmptyPatch = 400 }},
	{"refuse_empty_patch=405", "An empty object is refused with 405 on a service and on a key.", func(v *Variants) { v.RefuseEmptyPatch = 405 }},
	{"refuse_empty_patch=422", "An empty object is refused with 422 on a service and on a key.", func(v *Variants) { v.RefuseEmptyPatch = 422 }},
	{"echo_write_only", "Responses hold releaseChannel, a key's state and an endpoint's enabled.", func(v *Variants) { v.EchoWriteOnly = true }},
	{"used_at_moves", "The usedAt of a key moves with each request for it.", func(v *Variants) { v.UsedAtMoves = true }},
	{"endpoints_always_listed", "Disabled endpoints stay in the responses.", func(v *Variants) { v.EndpointsAlwaysListed = true }},
	{"gone", "Unknown objects are refused with 410 instead of 404.", func(v *Variants) { v.Gone = true }},
	{"late=old", "The response to a change of the scaling, and the next two reads, return the old values.", func(v *Variants) { v.Late, v.LateReads = LateOld, 2 }},
	{"late=zero", "The response to a change of the scaling, and the next two reads, return zeros.", func(v *Variants) { v.Late, v.LateReads = LateZero, 2 }},
	{"late=absent", "The response to a change of the scaling, and the next two reads, leave it out.", func(v *Variants) { v.Late, v.LateReads = LateAbsent, 2 }},
	{"stale_pipes=200ms", "Pipes are shown as they were 200ms ago; any duration may be given.", func(v *Variants) { v.StalePipes = 200 * time.Millisecond }},
	{"stale_services=200ms", "Services are shown as they were 200ms ago; any duration may be given.", func(v *Variants) { v.StaleServices = 200 * time.Millisecond }},
	{"stale_keys=200ms", "API keys are shown as they were 200ms ago; any duration may be given.", func(v *Variants) { v.StaleKeys = 200 * time.Millisecond }},
	{"loose_envelope", "The envelope's status is a string, and there is no request id.", func(v *Variants) { v.LooseEnvelope = true }},
	{"error_shape=message", `Errors are {"message":"…"}.`, func(v *Variants) { v.ErrorShape = ErrorMessage }},
	{"error_shape=nested", `Errors are {"error":{"code":"…","message":"…"}}.`, func(v *Variants) { v.ErrorShape = ErrorNested }},
	{"error_shape=plain", "Errors are plain text.", func(v *Variants) { v.ErrorShape = ErrorPlain }},
	{"error_shape=html", "Errors are HTML pages.", func(v *Variants) { v.ErrorShape = ErrorHTML }},
	{"error_shape=terse_html", "Errors are HTML pages whose title is the bare status.", func(v *Variants) { v.ErrorShape = ErrorTerseHTML }},
	{"error_shape=empty", "Errors have no body.", func(v *Variants) { v.ErrorShape = ErrorEmpty }},
	{"bare_429", `The body of a 429 is {"error":"TOO_MANY_REQUESTS"}.`, func(v *Variants) { v.Bare429 = true }},
}

// failing is every variant under which an apply may be unable to succeed.
var failing = []variant{
	{"add_existing=refuse_400", "Adding an existing entry is refused with 400.", func(v *Variants) { v.AddExisting = RefuseBadRequest }},
	{"scaling_quantities", "CPU and memory of a scaling are Kubernetes quantities: \"500m\", \"2Gi\".", func(v *Variants) { v.ScalingQuantities = true }},
	{"frozen_roles", "The roles of a key never change; a PATCH with roles is accepted.", func(v *Variants) { v.FrozenRoles = true }},
	{"read_only_key", "The credentials may not update: every PATCH and PUT is refused with 403.", func(v *Variants) { v.ReadOnlyKey = true }},
	{"idle_service", "Every operation on a service and its pipes is refused with 424.", func(v *Variants) { v.IdleService = true }},
}

// durations are the variants whose value is any duration.
var durations = map[string]func(*Variants) *time.Duration{
	"stale_pipes":    func(v *Variants) *time.Duration { return &v.StalePipes },
	"stale_services": func(v *Variants) *time.Duration { return &v.StaleServices },
	"stale_keys":     func(v *Variants) *time.Duration { return &v.StaleKeys },
}

// AllVariants is every way in which a server may differ from the plain one, one
// at a time: for suites that go through them and for a person to choose from.
func AllVariants() []NamedVariant {
	all := make([]NamedVariant, 0, len(catalogue)+len(failing))
	list := func(variants []variant, mayFail bool) {
		for _, variant := range variants {
			named := NamedVariant{Name: variant.name, Doc: variant.doc, MayFail: mayFail}
			variant.apply(&named.Variants)
			all = append(all, named)
		}
	}
	list(catalogue, false)
	list(failing, true)
	return all
}

// ParseVariants combines the variants of the given names, such as
// "entry_identity=whole". It fails on a name that [AllVariants] does not have.
func ParseVariants(names ...string) (Variants, error) {
	var together Variants
	for _, name := range names {
		if !together.set(name) {
			return Variants{}, fmt.Errorf("unknown variant %q", name)
		}
	}
	return together, nil
}

func (v *Variants) set(name string) bool {
	for _, variants := range [][]variant{catalogue, failing} {
		for _, known := range variants {
			if known.name == name {
				known.apply(v)
				return true
			}
		}
	}
	field, value, _ := strings.Cut(name, "=")
	member, ok := durations[field]
	duration, err := time.ParseDuration(value)
	if !ok || err != nil || duration <= 0 {
		return false
	}
	*member(v) = duration
	return true
}
