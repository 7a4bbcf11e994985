package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// EntryOf is for a definition whose objects are single entries of a list. The object that has the
// list is their owner. The API adds and removes them, so their resource creates and deletes them.
// Its Write adds an entry that is absent. If it is to create one that exists, it returns
// [api.ErrExists]. The entry's ids are the owner's and its own.
type EntryOf struct {
	Owner     string // the type and the noun of the owner's resource: service
	Attribute string // that sets the whole list: ip_access_list

	// Remove removes an entry. If it is gone, it sends nothing.
	Remove func(ctx context.Context, client *api.Client, state Attributes) error

	// List returns the owner's entries by their own id, or an error like Fetch.
	List func(ctx context.Context, client *api.Client, owner Attributes) (map[string]Attributes, error)
}

// Errors of an entry's Fetch.
var (
	ErrAbsent = errors.New("the API's list does not have this entry")
	// ErrLeftOut is an ErrAbsent. A removal is sent all the same: the entry would keep its access, and be in no state.
	ErrLeftOut  = fmt.Errorf("%w: the API has left the list out", ErrAbsent)
	ErrUnlisted = errors.New("the API does not return the list as documented")
)

// owner describes the object that has an entry's list; for any other object, itself.
func (k Kind) owner() Kind {
	if !k.isEntry() {
		return k
	}
	return Kind{TypeName: k.EntryOf.Owner, Noun: k.EntryOf.Owner, IDs: k.IDs[:len(k.IDs)-1], NoDocumentedRead: k.NoDocumentedRead}
}

// existsError is the error of a plan or an apply that would add an entry that exists. It cannot
// know why, so it lists the ways out, the likeliest first.
func (k Kind) existsError(a Attributes) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(k.lastID()), "Entry exists already: "+k.shortName(a), fmt.Sprintf(
		"%s of %s has the entry %s, so Terraform cannot add it.\n"+
			"- If you renamed the block or its key: add a moved block.\n"+
			"- If the resource is tainted: run terraform untaint. To replace it, remove the block in one apply and add it in the next.\n"+
			"- If another block has it: remove one of the two.\n"+
			"- Otherwise, import it, with the id %q. From then on, a destroy removes it.",
		k.EntryOf.Attribute, k.owner().name(a), k.ownID(a), k.id(a)))}
}

// mayExistWarning says how to go on after a creation that failed and that the API may have carried out.
func (k Kind) mayExistWarning(a Attributes) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The entry may exist now: "+k.shortName(a),
		"If the next plan says so, import it:\n\n"+k.importBlock(a)+"\n\nIf the API shows it in another form, write and import it in that form.")
}

// withID is the ids of another entry of the list that has a.
func (k Kind) withID(a Attributes, id string) Attributes {
	other := maps.Clone(a)
	other[k.lastID()] = types.StringValue(id)
	return other
}
