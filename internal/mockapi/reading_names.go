package mockapi

import (
	"fmt"
	"slices"
)

// NamedReading is one way in which a server may differ from the plain one.
type NamedReading struct {
	// Name is for a command line: field=value, or the field alone for one that
	// is on or off.
	Name string
	// Doc says in one sentence what the server does.
	Doc string
	// Readings is the plain server but for this one thing.
	Readings Readings
}

// reading is a [NamedReading] that can be laid over others.
type reading struct {
	name, doc string
	apply     func(*Readings)
}

// catalogue is every way in which a server may differ from the plain one.
var catalogue = []reading{
	{"remove_before_add", "A list's remove is applied before its add.", func(r *Readings) { r.RemoveBeforeAdd = true }},
	{"entry_identity=whole", "Two access entries are the same only if source and description are.", func(r *Readings) { r.EntryIdentity = Whole }},
	{"add_existing=ignore", "Adding an entry that is there changes nothing.", func(r *Readings) { r.AddExisting = Ignore }},
	{"add_existing=refuse", "Adding an entry that is there is refused with 409.", func(r *Readings) { r.AddExisting = Refuse }},
	{"settings_put=merge", "Settings that a PUT leaves out stay.", func(r *Readings) { r.SettingsPut = Merge }},
	{"settings_put=forget", "Settings that a PUT leaves out vanish.", func(r *Readings) { r.SettingsPut = Forget }},
	{"ignore_nulls", "A null in a scaling or settings body changes nothing.", func(r *Readings) { r.IgnoreNulls = true }},
	{"sparse_settings_answer", "A settings PUT answers with what was sent alone.", func(r *Readings) { r.SparseSettingsAnswer = true }},
	{"sparse_patch_answer", "A PATCH answers with the id and what was sent alone.", func(r *Readings) { r.SparsePatchAnswer = true }},
	{"missing=null", "Members without a value are null.", func(r *Readings) { r.Missing = AsNull }},
	{"missing=absent", "Members without a value, and empty lists, are left out.", func(r *Readings) { r.Missing = AsAbsent }},
	{"missing=empty", "Lists and strings without a value are empty.", func(r *Readings) { r.Missing = AsEmpty }},
	{"shuffle", "Lists whose order means nothing come in another order each time.", func(r *Readings) { r.Shuffle = true }},
	{"extra_members", "Answers hold unknown members at every level; a pipe has an unknown setting.", func(r *Readings) { r.ExtraMembers = true }},
	{"numbers=decimal", "Whole numbers are written 5.0.", func(r *Readings) { r.Numbers = Decimal }},
	{"numbers=exponent", "Whole numbers are written 5e0.", func(r *Readings) { r.Numbers = Exponent }},
	{"timestamps=offset", "The server's times end in +00:00.", func(r *Readings) { r.Timestamps = Offset }},
	{"timestamps=millis", "The server's times have milliseconds.", func(r *Readings) { r.Timestamps = Millis }},
	{"timestamps=elsewhere", "The server's times are at the offset +05:30.", func(r *Readings) { r.Timestamps = Elsewhere }},
	{"normalise_expiry", "expireAt is answered in UTC with milliseconds.", func(r *Readings) { r.NormaliseExpiry = true }},
	{"normalise_address", "Addresses are answered as ranges with host bits zeroed, and removed only in that form.", func(r *Readings) { r.NormaliseAddress = true }},
	{"refuse_empty_patch=400", "An empty object is refused with 400 on a service and on a key.", func(r *Readings) { r.RefuseEmptyPatch = 400 }},
	{"refuse_empty_patch=405", "An empty object is refused with 405 on a service and on a key.", func(r *Readings) { r.RefuseEmptyPatch = 405 }},
	{"refuse_empty_patch=422", "An empty object is refused with 422 on a service and on a key.", func(r *Readings) { r.RefuseEmptyPatch = 422 }},
	{"echo_write_only", "Answers hold releaseChannel, a key's state and an endpoint's enabled.", func(r *Readings) { r.EchoWriteOnly = true }},
	{"endpoints_always_listed", "Disabled endpoints stay in the answers.", func(r *Readings) { r.EndpointsAlwaysListed = true }},
	{"late=old", "A changed scaling is answered as the old one, twice more after the change.", func(r *Readings) { r.Late, r.LateReads = LateOld, 2 }},
	{"late=zero", "A changed scaling is answered as zeros, twice more after the change.", func(r *Readings) { r.Late, r.LateReads = LateZero, 2 }},
	{"late=absent", "A changed scaling is left out of answers, twice more after the change.", func(r *Readings) { r.Late, r.LateReads = LateAbsent, 2 }},
	{"loose_envelope", "The envelope's status is a string, and there is no request id.", func(r *Readings) { r.LooseEnvelope = true }},
	{"error_shape=message", `Errors are {"message":"…"}.`, func(r *Readings) { r.ErrorShape = ErrorMessage }},
	{"error_shape=nested", `Errors are {"error":{"code":"…","message":"…"}}.`, func(r *Readings) { r.ErrorShape = ErrorNested }},
	{"error_shape=plain", "Errors are plain text.", func(r *Readings) { r.ErrorShape = ErrorPlain }},
	{"error_shape=html", "Errors are HTML pages.", func(r *Readings) { r.ErrorShape = ErrorHTML }},
	{"error_shape=empty", "Errors have no body.", func(r *Readings) { r.ErrorShape = ErrorEmpty }},
}

// AllReadings is every way in which a server may differ from the plain one, one
// at a time: for suites that go through them and for a person to choose from.
func AllReadings() []NamedReading {
	all := make([]NamedReading, len(catalogue))
	for i, reading := range catalogue {
		all[i] = NamedReading{Name: reading.name, Doc: reading.doc}
		reading.apply(&all[i].Readings)
	}
	return all
}

// ParseReading is the readings of the given names taken together, such as
// "entry_identity=whole". It fails on a name that [AllReadings] does not have.
func ParseReading(names ...string) (Readings, error) {
	var together Readings
	for _, name := range names {
		at := slices.IndexFunc(catalogue, func(known reading) bool { return known.name == name })
		if at < 0 {
			return Readings{}, fmt.Errorf("unknown reading %q", name)
		}
		catalogue[at].apply(&together)
	}
	return together, nil
}
