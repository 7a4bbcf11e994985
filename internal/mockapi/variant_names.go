package mockapi

import (
	_ "embed"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// NamedVariant is one way in which a server may differ from the plain one.
type NamedVariant struct {
	// Name is for a command line: field=value, or the field alone for one that
	// is on or off. The field is that of [Variants] in snake_case.
	Name string
	// Doc is a sentence about what the server does.
	Doc string
	// MayFail is set if no client can make every apply succeed.
	MayFail bool
	// Variants is the plain server except for this one thing.
	Variants Variants
}

// The page has a row for each variant: its name, and what the server does.
//
//go:embed VARIANTS.md
var variantsPage string

var variantRow = regexp.MustCompile("(?m)^\\| `(.+?)` \\| (.+?) \\|")

var allVariants = sync.OnceValue(func() (all []NamedVariant) {
	passing, failing, _ := strings.Cut(variantsPage, "\n## Variants under which an apply can fail\n")
	for _, section := range []string{passing, failing} {
		for _, row := range variantRow.FindAllStringSubmatch(section, -1) {
			named := NamedVariant{Name: row[1], Doc: row[2], MayFail: section == failing}
			if err := named.Variants.set(named.Name); err != nil {
				panic(fmt.Sprintf("mockapi: VARIANTS.md: %v", err))
			}
			all = append(all, named)
		}
	}
	return all
})

// AllVariants is every way in which a server may differ from the plain one, one
// at a time: for suites that go through them and for a person to choose from.
func AllVariants() []NamedVariant { return slices.Clone(allVariants()) }

// ParseVariants combines the variants of the given names, such as
// "entry_identity=whole". It fails on a name that [AllVariants] does not have,
// except that a duration may be any other.
func ParseVariants(names ...string) (Variants, error) {
	var combined Variants
	for _, name := range names {
		if !slices.ContainsFunc(allVariants(), func(known NamedVariant) bool { return known.allows(name) }) {
			return Variants{}, fmt.Errorf("unknown variant %q", name)
		}
		_ = combined.set(name) // cannot fail: the name is allowed
	}
	return combined, nil
}

// allows reports whether name is this variant, perhaps with another duration.
func (n NamedVariant) allows(name string) bool {
	isDuration := func(value string) bool {
		duration, err := time.ParseDuration(value)
		return err == nil && duration > 0
	}
	knownField, knownValue, _ := strings.Cut(n.Name, "=")
	field, value, _ := strings.Cut(name, "=")
	return name == n.Name || field == knownField && isDuration(knownValue) && isDuration(value)
}

// set sets the field that a name such as "shuffle" or "numbers=decimal" means.
func (v *Variants) set(name string) (err error) {
	words, value, _ := strings.Cut(name, "=")
	field := reflect.ValueOf(v).Elem().FieldByNameFunc(func(field string) bool {
		return strings.EqualFold(field, strings.ReplaceAll(words, "_", ""))
	})
	switch field.Kind() {
	case reflect.Bool:
		field.SetBool(true)
	case reflect.String:
		field.SetString(value)
	case reflect.Int:
		var status int
		status, err = strconv.Atoi(value)
		field.SetInt(int64(status))
	case reflect.Int64:
		var duration time.Duration
		duration, err = time.ParseDuration(value)
		field.SetInt(int64(duration))
	default:
		return fmt.Errorf("%s: there is no such field", name)
	}
	if words == "late" {
		v.LateReads = 2
	}
	return err
}

// mustBeKnown panics on a value that VARIANTS.md does not have: it would mean the plain behavior.
func (v Variants) mustBeKnown() {
	for field, value := range reflect.ValueOf(v).Fields() {
		isThis := func(known NamedVariant) bool {
			return reflect.ValueOf(known.Variants).FieldByIndex(field.Index).Equal(value)
		}
		if field.Type.Kind() == reflect.String && !value.IsZero() && !slices.ContainsFunc(allVariants(), isThis) {
			panic(fmt.Sprintf("mockapi: no variant has %s %q", field.Name, value))
		}
	}
}
