package mockapi

import "time"

// Variants is how the server behaves where openapi.yaml promises nothing, and
// where APIs of this kind are known to depart from it. VARIANTS.md lists the values of each
// field: RemoveBy "source" is the variant remove_by=source, and Shuffle the variant shuffle.
// The zero value is the plain server, whose behavior is the plainest that openapi.yaml allows;
// a comment says what that is where VARIANTS.md does not.
type Variants struct {
	// Lists: a source is listed once, and a remove names it.
	RemoveBeforeAdd bool
	EntryIdentity   string
	RemoveBy        string
	AddExisting     string // plain: its description is replaced
	StoredAddresses string
	StoredText      string
	SmallIDs        bool
	OpenEmptyList   bool
	EntryMembers    bool

	// Updates
	SettingsPut            string // plain: settings that are left out are reset to the pipe's defaults
	IgnoreNulls            bool   // plain: a null resets the member to the pipe's default
	RefuseForeignSettings  bool
	UndocumentedSource     bool
	RefuseExtraSetting     bool
	PostgresSettings       int // a status
	SparseSettingsResponse bool
	SparsePatchResponse    bool
	UpdateResponse         string
	ReplicaSize            string

	// Members and values of responses
	Missing          string // plain: as the store has them, null or left out
	OmitEmpty        string
	Shuffle          bool
	ExtraMembers     bool
	Numbers          string
	CapitalEnums     bool
	BackupStatus     bool
	MoreBackups      string
	NormaliseExpiry  bool // plain: as it was sent
	NormaliseAddress bool

	// Services and keys
	RefuseEmptyPatch      int // a status
	ReadByGet             bool
	EchoWriteOnly         bool
	EndpointsAlwaysListed bool
	Never                 string // plain: null
	UsedAtMoves           bool
	FrozenRoles           bool
	ReadOnlyKey           bool
	IdleService           bool
	Gone                  bool

	// Changes that show late
	Late                                 string
	LateReads                            int // how many GETs after the change are late, besides the response to it
	StalePipes, StaleServices, StaleKeys time.Duration
	LostRead                             string

	ErrorShape string
}

// documented is without the variants that break the types of openapi.yaml.
func (v Variants) documented() Variants {
	if v.Numbers == "quoted" {
		v.Numbers = ""
	}
	v.CapitalEnums = false
	return v
}

// omits reports whether the response to a body leaves out empty members.
func (v Variants) omits(body Object) bool {
	isUpdate := len(body) > 0
	return v.OmitEmpty == "all" || v.OmitEmpty == "reads" && !isUpdate || v.OmitEmpty == "updates" && isUpdate
}
