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
	seen := map[string]string{}
	for _, source := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		at := req.Path.AtMapKey(source)
		canonical := api.CanonicalAddress(source)
		network, hostBits := api.HostBits(source)
		switch other, twice := seen[canonical]; {
		case twice:
			resp.Diagnostics.AddAttributeError(at, "Duplicate address",
				fmt.Sprintf("%q and %q are the same address or range. Keep one of them.", other, source))
		case strings.TrimSpace(source) == "":
			resp.Diagnostics.AddAttributeError(at, "Empty address",
				"Each key of the list must be an IP address or a CIDR prefix.")
		case strings.TrimSpace(source) != source:
			resp.Diagnostics.AddAttributeError(at, "White space around address",
				fmt.Sprintf("%q begins or ends with white space. Remove it, for example with trimspace().", source))
		case !api.IsAddress(source) && addressLike.MatchString(source):
			resp.Diagnostics.AddAttributeError(at, "Invalid address",
				fmt.Sprintf("%q looks like an IP address or a CIDR prefix, but is not valid.", source))
		case !api.IsAddress(source):
			resp.Diagnostics.AddAttributeWarning(at, "Not an IP address",
				fmt.Sprintf("%q is neither an IP address nor a CIDR prefix. Terraform sends it as it is; the API may refuse it.", source))
		case canonical == "0.0.0.0/0" || canonical == "::/0":
			resp.Diagnostics.AddAttributeWarning(at, "Open to everyone",
				fmt.Sprintf("%s includes every address.", source))
		case hostBits:
			resp.Diagnostics.AddAttributeWarning(at, "Range is wider than its address",
				fmt.Sprintf("%s opens all of %s. Write %s if you mean the range, or leave out the prefix length if you mean the one address.", source, network, network))
		}
		seen[canonical] = source
	}
}
