package mockapi

// Readings says how the server behaves where the specification is silent. The
// zero value is the plain server: each field's zero is the plainest thing the
// specification allows, and each other value is one that a real server may
// show just as well. [AllReadings] lists them one by one.
type Readings struct {
	// RemoveBeforeAdd applies the remove of a list before its add, so that an
	// entry in both is there afterwards. Plain: after it.
	RemoveBeforeAdd bool
	// EntryIdentity says when two IP access entries are the same entry.
	EntryIdentity EntryIdentity
	// AddExisting says what adding an entry does that the list holds already.
	AddExisting AddExisting

	// SettingsPut says what becomes of the settings that a PUT leaves out.
	SettingsPut SettingsPut
	// IgnoreNulls has a null in a scaling or settings body change nothing.
	// Plain: it sets the member back to the pipe's default.
	IgnoreNulls bool
	// SparseSettingsAnswer has a settings PUT answer with what was sent alone.
	SparseSettingsAnswer bool
	// SparsePatchAnswer has a PATCH answer with the id and what was sent alone.
	SparsePatchAnswer bool

	// Missing says how members without a value are answered.
	Missing Missing
	// Shuffle answers lists whose order means nothing in another order each
	// time.
	Shuffle bool
	// ExtraMembers adds unknown members at every level of an answer, a pipe's
	// settings included, where the unknown one can also be written.
	ExtraMembers bool
	// Numbers says how whole numbers are written.
	Numbers Numbers
	// Timestamps says how the times that the server makes are written.
	Timestamps Timestamps
	// NormaliseExpiry answers expireAt in UTC with milliseconds. Plain: as it
	// was sent.
	NormaliseExpiry bool
	// NormaliseAddress answers every address as a range: /32 or /128 for a
	// plain one, host bits zeroed. A remove must then name it in that form.
	NormaliseAddress bool

	// RefuseEmptyPatch is the status with which an empty object is refused on
	// a service and on a key. 0: it is accepted and changes nothing.
	RefuseEmptyPatch int
	// EchoWriteOnly answers releaseChannel, a key's state and an endpoint's
	// enabled, which the specification lists as input alone.
	EchoWriteOnly bool
	// EndpointsAlwaysListed answers disabled endpoints as well.
	EndpointsAlwaysListed bool

	// Late says what a scaling looks like for a while after it was changed.
	Late Late
	// LateReads is how many GETs after the change are late, besides the
	// change's own answer.
	LateReads int

	// LooseEnvelope answers the envelope's status as a string, without a
	// requestId, and with an unknown member.
	LooseEnvelope bool
	// ErrorShape is the body of an error.
	ErrorShape ErrorShape
}

// EntryIdentity says when two IP access entries are the same entry.
type EntryIdentity string

// The identities of an IP access entry.
const (
	BySource EntryIdentity = ""      // by source: a source stands in a list once
	Whole    EntryIdentity = "whole" // by source and description: a source may stand there twice
)

// AddExisting says what adding an entry does that the list holds already.
type AddExisting string

// What adding an existing entry does.
const (
	Upsert AddExisting = ""       // its description is replaced
	Ignore AddExisting = "ignore" // nothing
	Refuse AddExisting = "refuse" // the whole request is refused with 409
)

// SettingsPut says what becomes of the settings that a PUT leaves out.
type SettingsPut string

// What becomes of settings that are left out.
const (
	Replace SettingsPut = ""       // they go back to the pipe's defaults
	Merge   SettingsPut = "merge"  // they stay
	Forget  SettingsPut = "forget" // they vanish from the settings
)

// Missing says how members without a value are answered.
type Missing string

// How members without a value are answered.
const (
	AsStored Missing = ""       // as the store has them: null or left out
	AsNull   Missing = "null"   // null, whether stored or not
	AsAbsent Missing = "absent" // left out, and empty lists too
	AsEmpty  Missing = "empty"  // an empty list or string where that is their type
)

// Numbers says how whole numbers are written.
type Numbers string

// The notations of a whole number.
const (
	Plain    Numbers = ""         // 5
	Decimal  Numbers = "decimal"  // 5.0
	Exponent Numbers = "exponent" // 5e0
)

// Timestamps says how the times that the server makes are written.
type Timestamps string

// The notations of a time.
const (
	Zulu      Timestamps = ""          // 2026-01-02T03:04:05Z
	Offset    Timestamps = "offset"    // 2026-01-02T03:04:05+00:00
	Millis    Timestamps = "millis"    // 2026-01-02T03:04:05.000Z
	Elsewhere Timestamps = "elsewhere" // 2026-01-02T08:34:05+05:30
)

// Late says what a scaling looks like for a while after it was changed.
type Late string

// What a late scaling looks like.
const (
	LateNone   Late = ""       // the new one at once
	LateOld    Late = "old"    // the one before the change
	LateZero   Late = "zero"   // all zeros
	LateAbsent Late = "absent" // left out
)

// ErrorShape is the body of an error.
type ErrorShape string

// The bodies of an error.
const (
	ErrorEnvelope ErrorShape = ""        // {"status":…,"requestId":"…","error":"…"}
	ErrorMessage  ErrorShape = "message" // {"message":"…"}
	ErrorNested   ErrorShape = "nested"  // {"error":{"code":"…","message":"…"}}
	ErrorPlain    ErrorShape = "plain"   // text/plain
	ErrorHTML     ErrorShape = "html"    // a page, as gateways answer
	ErrorEmpty    ErrorShape = "empty"   // nothing
)
