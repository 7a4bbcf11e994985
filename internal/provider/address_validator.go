package provider

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// addresses checks the keys of an access list. The API documents only "an
// address or range", so what may be something else is no more than a warning.
type addresses struct{}

func (addresses) Description(context.Context) string {
	return "keys are IP addresses or CIDR prefixes, each once"
}

func (v addresses) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// addressLike matches what can only be meant as an address: digits with dots
// and a slash, or hexadecimal digits with a colon.
var addressLike = regexp.MustCompile(`^([0-9./]+|[0-9a-fA-F./]*:[0-9a-fA-F:./]*)$`)

func (addresses) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	seen := map[string]int{}
	for i, source := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		at := req.Path.AtMapKey(source)
		// The list may be sensitive, so a message gives an address's position.
		address := fmt.Sprintf("Address %d (in alphabetical order)", i+1)
		canonical := api.CanonicalAddress(source)
		switch other, twice := seen[canonical]; {
		case twice:
			resp.Diagnostics.AddAttributeError(at, "Duplicate address",
				fmt.Sprintf("Addresses %d and %d (in alphabetical order) are the same address or range. Keep one of them.", other, i+1))
		case strings.TrimSpace(source) == "":
			resp.Diagnostics.AddAttributeError(at, "Empty address",
				"An entry of the list has no address, often because a variable is empty. Set its address or remove the entry.")
		case strings.TrimSpace(source) != source:
			resp.Diagnostics.AddAttributeError(at, "White space around address",
				address+" begins or ends with white space. Remove it, for example with trimspace().")
		case !api.IsAddress(source) && addressLike.MatchString(source):
			resp.Diagnostics.AddAttributeError(at, "Invalid address",
				address+" looks like an IP address or a CIDR prefix, but is not valid. Correct it or remove the entry.")
		case !api.IsAddress(source):
			resp.Diagnostics.AddAttributeWarning(at, "Not an IP address",
				address+" is neither an IP address nor a CIDR prefix. Terraform sends it as it is; the API may refuse it.")
		case canonical == "0.0.0.0/0" || canonical == "::/0":
			resp.Diagnostics.AddAttributeWarning(at, "Open to everyone",
				address+" contains every address. Use a smaller range if you do not intend that.")
		case api.HasHostBits(source):
			resp.Diagnostics.AddAttributeWarning(at, "Range is wider than its address",
				address+" has the prefix length of a range but is not the first address of that range. It opens the whole range. For example, 10.0.0.5/8 opens all of 10.0.0.0/8. "+
					"If you mean the range, write its first address; if you mean the one address, remove the prefix length.")
		}
		seen[canonical] = i + 1
	}
}
