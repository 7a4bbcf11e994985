package mockapi

import "time"

// Variants is how the server behaves where openapi.yaml promises nothing, and
// where APIs of this kind are known to depart from it. The zero value is the
// plain server: each field's zero is the plainest behavior that openapi.yaml
// allows. VARIANTS.md lists the others one by one.
type Variants struct {
	// RemoveBeforeAdd applies the remove of a list before its add, so that an
	// entry in both is there afterwards. Plain: after it.
	RemoveBeforeAdd bool
	EntryIdentity   EntryIdentity
	RemoveBy        RemoveBy
	AddExisting     AddExisting

	// StoredAddresses and StoredText store what was sent in another form.
	StoredAddresses StoredAddresses
	StoredText      StoredText
	// SmallIDs stores private endpoint ids in small letters.
	SmallIDs bool
	// OpenEmptyList stores 0.0.0.0/0 instead of an empty IP access list.
	OpenEmptyList bool
	// EntryMembers gives the IP access entries that there are members which
	// openapi.yaml does not have. An update may contain them as they are shown, and
	// loses those that it leaves out.
	EntryMembers bool

	SettingsPut SettingsPut
	// IgnoreNulls lets a null in a scaling or settings body change nothing.
	// Plain: it resets the member to the pipe's default.
	IgnoreNulls bool
	// RefuseForeignSettings refuses with 400 a setting of another kind of
	// source, although getPipe shows it.
	RefuseForeignSettings bool
	// UndocumentedSource shows a kind of source that openapi.yaml does not have.
	UndocumentedSource bool
	// RefuseExtraSetting shows an unknown setting and refuses it with 400.
	RefuseExtraSetting bool
	// PostgresSettings is the status of updatePipeSettings for a pipe with a
	// postgres source. 0: as for any other pipe.
	PostgresSettings int
	// SparseSettingsResponse returns only what was sent from a settings PUT.
	SparseSettingsResponse bool
	// SparsePatchResponse returns only the id and what was sent from a PATCH.
	SparsePatchResponse bool
	// UpdateResponse is what is returned instead of the changed object. Only reads
	// show the change, at once or as late as the variants say.
	UpdateResponse UpdateResponse
	ReplicaSize    ReplicaSize

	Missing   Missing
	OmitEmpty OmitEmpty
	// Shuffle shows lists whose order means nothing in another order each time.
	Shuffle bool
	// ExtraMembers adds unknown members at every level of a response. The one
	// in a pipe's settings can also be written.
	ExtraMembers bool
	Numbers      Numbers
	// CapitalEnums shows the values of enums in capitals.
	CapitalEnums bool
	// BackupStatus adds status and type to backups, and backups that failed.
	BackupStatus bool
	// UnreadableBackupTimes writes the times of backups for people.
	UnreadableBackupTimes bool
	MoreBackups           MoreBackups
	// NormaliseExpiry shows expireAt in UTC with milliseconds. Plain: as it
	// was sent.
	NormaliseExpiry bool
	// NormaliseAddress shows every address as a range: /32 or /128 for a plain
	// one, host bits zeroed. A remove must then name it in that form.
	NormaliseAddress bool

	// RefuseEmptyPatch is the status with which an empty object is refused on
	// a service and on a key. 0: it is accepted and changes nothing.
	RefuseEmptyPatch int
	// ReadByGet lets a GET on the path of a service or key read it, which
	// openapi.yaml does not have. Plain: refused with 405.
	ReadByGet bool
	// EchoWriteOnly shows releaseChannel, a key's state and an endpoint's
	// enabled, which openapi.yaml has in requests only.
	EchoWriteOnly bool
	// EndpointsAlwaysListed shows disabled endpoints as well.
	EndpointsAlwaysListed bool
	// Never is the expireAt of a key that never expires.
	Never Never
	// UsedAtMoves moves the usedAt of a key with each request for it.
	UsedAtMoves bool
	// FrozenRoles accepts the roles of a key and does not change them.
	FrozenRoles bool
	// ReadOnlyKey refuses every PATCH and PUT with 403.
	ReadOnlyKey bool
	// IdleService refuses every operation on a service and its pipes with 424.
	IdleService bool
	// Gone refuses unknown objects with 410 instead of 404.
	Gone bool

	Late Late
	// LateReads is how many GETs after the change are late, besides the
	// response to the change.
	LateReads int
	// StalePipes, StaleServices and StaleKeys are how old the object in a
	// response is, including the response to a change.
	StalePipes, StaleServices, StaleKeys time.Duration

	// LostRead is how one read of an object fails while an accepted change does not
	// show yet.
	LostRead LostRead

	ErrorShape ErrorShape
}

// documented is without the variants that break the types of openapi.yaml.
func (v Variants) documented() Variants {
	if v.Numbers == Quoted {
		v.Numbers = Plain
	}
	v.CapitalEnums, v.UnreadableBackupTimes = false, false
	return v
}

// EntryIdentity is when two IP access entries are the same entry.
type EntryIdentity string

// The identities of an IP access entry.
const (
	BySource EntryIdentity = ""      // by source: a source is listed once
	Whole    EntryIdentity = "whole" // by source and description: a source may be listed twice
)

// RemoveBy is which entries the remove of an IP access list removes.
type RemoveBy string

// What a removed entry is compared by.
const (
	RemoveByIdentity RemoveBy = ""       // by EntryIdentity
	RemoveBySource   RemoveBy = "source" // by source alone
	RemoveByWhole    RemoveBy = "whole"  // by source and description
)

// AddExisting is what happens to an added entry that the list holds.
type AddExisting string

// What adding an existing entry does.
const (
	Upsert           AddExisting = ""           // its description is replaced
	Ignore           AddExisting = "ignore"     // nothing
	Refuse           AddExisting = "refuse"     // the whole request is refused with 409
	RefuseBadRequest AddExisting = "refuse_400" // the whole request is refused with 400
)

// StoredAddresses is the form in which the sources of an IP access list are stored.
type StoredAddresses string

// The forms of an IP access list.
const (
	AsSent      StoredAddresses = ""            // as it was sent
	Unspecified StoredAddresses = "unspecified" // 0.0.0.0 as 0.0.0.0/0, and :: as ::/0
	Mapped      StoredAddresses = "mapped"      // ::ffff:192.0.2.1 as 192.0.2.1
	Merged      StoredAddresses = "merged"      // neighboring and overlapping ranges as one
)

// StoredText is the form in which names and descriptions are stored.
type StoredText string

// The forms of a text.
const (
	Verbatim StoredText = ""        // as it was sent
	Trimmed  StoredText = "trimmed" // without white space at its ends
	Escaped  StoredText = "escaped" // as HTML: & is &amp;
	NFD      StoredText = "nfd"     // decomposed: é is e and an accent
)

// SettingsPut is what happens to the settings that a PUT leaves out.
type SettingsPut string

// What happens to settings that are left out.
const (
	Replace SettingsPut = ""       // they are reset to the pipe's defaults
	Merge   SettingsPut = "merge"  // they stay
	Forget  SettingsPut = "forget" // they are removed from the settings
)

// Missing is how members without a value are shown.
type Missing string

// How members without a value are shown.
const (
	AsStored Missing = ""       // as the store has them: null or left out
	AsNull   Missing = "null"   // null, whether stored or not
	AsAbsent Missing = "absent" // left out, and empty lists too
	AsEmpty  Missing = "empty"  // an empty list or string where that is their type
)

// Numbers is how numbers are written.
type Numbers string

// The notations of a number.
const (
	Plain   Numbers = ""        // 5
	Quoted  Numbers = "quoted"  // "5"
	Float32 Numbers = "float32" // 0.1 as the nearest 32-bit float, 0.10000000149011612
)

// UpdateResponse is what an accepted update returns.
type UpdateResponse string

// The responses to an accepted update.
const (
	ChangedObject   UpdateResponse = ""             // the changed object
	Empty200        UpdateResponse = "200"          // 200 without a body
	Empty202        UpdateResponse = "202"          // 202 without a body
	Empty204        UpdateResponse = "204"          // 204 without a body
	EmptyObject     UpdateResponse = "empty_object" // {}
	AcceptedMessage UpdateResponse = "accepted"     // 202, and an envelope without a result
	OtherResult     UpdateResponse = "other_result" // a result without documented members
	OperationState  UpdateResponse = "operation"    // 202, and an operation with an id and a state of its own
	OperationID     UpdateResponse = "operation_id" // 202, and the id of an operation
)

// ReplicaSize is how replicaCpuMillicores and replicaMemoryGb depend on each other.
type ReplicaSize string

// The dependencies of CPU and memory.
const (
	Independent ReplicaSize = ""        // not at all
	Derived     ReplicaSize = "derived" // if one is sent, the other is 1 GB for each 250 millicores
	Both        ReplicaSize = "both"    // one is refused with 400 without the other
)

// OmitEmpty is which responses leave out members that are null, "", 0, false or an
// empty list, as encoding/json with omitempty and protobuf do.
type OmitEmpty string

// The responses that leave out empty members.
const (
	OmitNothing   OmitEmpty = ""        // none
	OmitInReads   OmitEmpty = "reads"   // those that change nothing
	OmitInUpdates OmitEmpty = "updates" // those of updates
	OmitAlways    OmitEmpty = "all"     // all
)

// omits reports whether the response to a body leaves out empty members.
func (o OmitEmpty) omits(body Object) bool {
	isUpdate := len(body) > 0
	return o == OmitAlways || o == OmitInReads && !isUpdate || o == OmitInUpdates && isUpdate
}

// Never is how the expireAt of a key that never expires is shown.
type Never string

// The expiries of a key that never expires.
const (
	NoTime Never = ""       // null
	Year1  Never = "year_1" // 0001-01-01T00:00:00Z
	Epoch  Never = "epoch"  // 1970-01-01T00:00:00Z
)

// MoreBackups is how a list of backups says that it is only the first page, which
// then has two backups.
type MoreBackups string

// The signs of more pages.
const (
	AllBackups MoreBackups = ""         // there are none
	NextLink   MoreBackups = "link"     // Link: <…>; rel="next"
	NextCursor MoreBackups = "cursor"   // "nextCursor":"…" in the envelope
	NextPage   MoreBackups = "page"     // "nextPage":2 in the envelope
	HasMore    MoreBackups = "has_more" // "hasMore":true in the envelope
)

// LostRead is how a read fails while an accepted change does not show yet.
type LostRead string

// The failures of a read.
const (
	LosesNone LostRead = ""     // not at all
	Lost404   LostRead = "404"  // as if there were no such object
	LostPage  LostRead = "page" // with 404 and the HTML page of a gateway
)

// Late is what a scaling looks like for a while after it was changed.
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
	ErrorEnvelope ErrorShape = ""      // {"status":…,"requestId":"…","error":"…"}
	ErrorHTML     ErrorShape = "html"  // a page, as gateways send it
	ErrorEmpty    ErrorShape = "empty" // nothing
)
