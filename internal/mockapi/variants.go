package mockapi

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Variants are ways in which a server differs from the plain one, by their names in VARIANTS.md:
// {"late=old", "shuffle"}. A number or a duration may be any other: "refuse_empty_patch=422".
type Variants []string

// Has reports whether a variant is chosen. It panics on a name that VARIANTS.md does not have.
func (v Variants) Has(name string) bool {
	if !variantNames()[name] {
		panic(fmt.Sprintf("mockapi: VARIANTS.md has no variant %q", name))
	}
	return slices.Contains(v, name)
}

// Value is the end of a variant's name, such as "200ms" for the point stale_keys; empty for the
// plain behavior.
func (v Variants) Value(point string) string {
	for _, name := range v {
		if value, ok := strings.CutPrefix(name, point+"="); ok {
			return value
		}
	}
	return ""
}

// number is the value of a point that has numbers; 0 for the plain behavior.
func (v Variants) number(point string) int {
	number, _ := strconv.Atoi(v.Value(point))
	return number
}

// check refuses unknown variants, and several of one point.
func (v Variants) check() error {
	chosen := map[string]bool{}
	for _, name := range v {
		point, _, _ := strings.Cut(name, "=")
		switch isThis := func(known NamedVariant) bool { return known.allows(name) }; {
		case !slices.ContainsFunc(allVariants(), isThis):
			return fmt.Errorf("unknown variant %q", name)
		case chosen[point]:
			return fmt.Errorf("there can be only one variant of %s", point)
		}
		chosen[point] = true
	}
	return nil
}

// ParseVariants checks names, such as those of a command line.
func ParseVariants(names ...string) (Variants, error) { return names, Variants(names).check() }

// NamedVariant is a row of VARIANTS.md.
type NamedVariant struct {
	// Name is a point that the API's documentation leaves open, and a value: late=old. One that is on
	// or off has no value.
	Name string
	// Doc is a sentence about what the server does.
	Doc string
	// MayFail is set if no client can make every apply succeed.
	MayFail bool
}

// allows reports whether name is this variant, perhaps with another number or duration.
func (n NamedVariant) allows(name string) bool {
	isNumber := func(value string) bool {
		number, err := strconv.Atoi(value)
		return err == nil && number > 0
	}
	isDuration := func(value string) bool {
		duration, err := time.ParseDuration(value)
		return err == nil && duration > 0
	}
	knownPoint, knownValue, _ := strings.Cut(n.Name, "=")
	point, value, _ := strings.Cut(name, "=")
	isOther := isNumber(knownValue) && isNumber(value) || isDuration(knownValue) && isDuration(value)
	return name == n.Name || point == knownPoint && isOther
}

//go:embed VARIANTS.md
var variantsPage string

// variantRow finds the name of a variant, and what the server does.
var variantRow = regexp.MustCompile("(?m)^\\| `(.+?)` \\| (.+?) \\|")

// AllVariants is every variant in the order of VARIANTS.md: for suites that go through them and
// for a person to choose from.
func AllVariants() []NamedVariant { return slices.Clone(allVariants()) }

var allVariants = sync.OnceValue(func() (all []NamedVariant) {
	passing, failing, _ := strings.Cut(variantsPage, "\n## Variants under which an apply can fail\n")
	for _, section := range []string{passing, failing} {
		for _, row := range variantRow.FindAllStringSubmatch(section, -1) {
			all = append(all, NamedVariant{Name: row[1], Doc: row[2], MayFail: section == failing})
		}
	}
	return all
})

var variantNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, known := range allVariants() {
		names[known.Name] = true
	}
	return names
})
