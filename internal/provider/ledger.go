package provider

import (
	"strings"
	"sync"
)

// A ledger is what one run has done with objects, so that one that leaves one
// address of the configuration and comes back at another is not released for
// good: a replacement that keeps the object, a resource that was renamed.
type ledger struct {
	entries sync.Map // of *entry, by id
}

type entry struct {
	sync.Mutex // held while the object is adopted or let go of
	adopted    bool
	released   bool
}

func (l *ledger) of(id string) *entry {
	e, _ := l.entries.LoadOrStore(strings.ToLower(id), &entry{})
	return e.(*entry)
}
