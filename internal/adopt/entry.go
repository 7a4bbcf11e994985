package adopt

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// An Entry is a definition of single entries of a list that another object has: its
// owner. The API adds and removes them, so their resource creates and deletes them. Its
// Write adds an entry that is absent.
//
// Messages do not show an entry's own id or description: both may be sensitive.
type Entry interface {
	// Remove removes an entry. If it is gone, it sends nothing.
	Remove(ctx context.Context, client *api.Client, state Attributes) error

	// AdviseRemoval warns, at plan time, of what a removal leaves behind. removed
	// reports whether the plan removes the entry with an id.
	AdviseRemoval(ctx context.Context, client *api.Client, state Attributes, removed func(id string) bool) diag.Diagnostics
}

// EntryOf describes the list of an [Entry]. An entry's ids are the owner's, and one of
// its own, which is no UUID.
type EntryOf struct {
	Owner     string                 // the type and the noun of the owner's resource: service
	Attribute string                 // that sets the whole list: ip_access_list
	Canonical func(id string) string // the same for all notations of an entry's own id
}

// Errors of an Entry's Read.
var (
	// ErrAbsent means that the list does not have the entry.
	ErrAbsent = errors.New("the API's list does not have this entry. Without the import, the apply adds it")
	// ErrUnlisted means that the API does not return the list.
	ErrUnlisted = errors.New("the API does not return the list")
)

// mayBeAdded reports whether a failed read of an entry does not keep it from being
// added.
func mayBeAdded(err error) bool { return errors.Is(err, ErrAbsent) || errors.Is(err, ErrUnlisted) }

// owner describes the object that has an entry's list; for any other object, itself.
func (m Metadata) owner() Metadata {
	if m.EntryOf == nil {
		return m
	}
	return Metadata{TypeName: m.EntryOf.Owner, Noun: m.EntryOf.Owner, IDs: m.IDs[:len(m.IDs)-1]}
}

// concealed are an entry's own id and description, in the ways the API may write them.
func (m Metadata) concealed(a Attributes) (words []string) {
	for name, value := range a {
		if text := Text(value); text != "" && m.EntryOf != nil && !m.owner().isID(name) {
			canonical := m.EntryOf.Canonical(text)
			alone, _, _ := strings.Cut(canonical, "/")
			words = append(words, text, canonical, alone)
		}
	}
	return words
}

// conceal masks an entry in the words of the API.
func (m Metadata) conceal(text string, a Attributes) string {
	for _, word := range m.concealed(a) {
		text = regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(word)+`(\W|$)`).ReplaceAllString(text, "${1}***${2}")
	}
	return text
}

// alreadyThere is the warning about an entry that a plan adds and that exists.
func (m Metadata) alreadyThere(a Attributes, changes []string) diag.Diagnostics {
	summary := "Entry exists already"
	if len(changes) > 0 {
		summary += " in " + m.EntryOf.Attribute + " of " + m.owner().shortName(a) + ": " + strings.Join(changes, ", ")
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic(summary, fmt.Sprintf(
		"The block takes over an entry of %s, and its destroy removes the entry. To rename a block, use moved.\n\n%s", m.EntryOf.Attribute, m.owner().name(a)))}
}

// notShown is the error about an entry that a list does not show after its addition.
func (m Metadata) notShown(a Attributes) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Change not confirmed by the API", fmt.Sprintf(
		"The API accepted the %s but does not show it. It may still show: apply again, or raise update_timeout if the API needs longer.", m.name(a)))
}
