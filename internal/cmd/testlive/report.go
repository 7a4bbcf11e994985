package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A point is one that the documentation leaves open. It is a row of the report.
type point string

const (
	readsByPatch  point = "Reading a service or key with `PATCH {}`"
	readsByGet    point = "Reading a service or key with GET"
	patchResults  point = "What a PATCH returns"
	envelopes     point = "Envelope"
	unknownPipe   point = "A pipe that should not exist"
	errorForms    point = "Form of an error"
	rateLimits    point = "Rate limit"
	nullMembers   point = "Documented members that are null"
	absentMembers point = "Documented members that are left out"
	emptyMembers  point = "Documented members that are empty"
	otherMembers  point = "Members that are not documented"
	echoes        point = "`releaseChannel`, a key's `state`, an endpoint's `enabled`, a backup's `status`"
	endpoints     point = "Endpoints that are disabled"
	wholeNumbers  point = "Whole numbers"
	scalings      point = "CPU and memory of a scaling"
	backupNumbers point = "Sizes and durations of backups"
	times         point = "Times"
	timestamps    point = "`timestamp` of a Kinesis source"
	orders        point = "Order of lists"
	lastUses      point = "`usedAt` of a key"
	addresses     point = "Addresses in access lists"
	refusals      point = "Changes that are refused"
	leftOut       point = "Settings that a PUT must not have"
	delays        point = "Delay until a change shows"
	newAddresses  point = "Notation of an added address"
	newExpiries   point = "Notation of a changed expiry"
	newRoles      point = "Changed roles of a key"
)

// A survey is what responses show: for each point what was seen, and the flags of
// the mock API that behaves the same.
type survey map[point]map[string]string

func (s survey) add(p point, seen string, flags ...string) {
	if s[p] == nil {
		s[p] = map[string]string{}
	}
	s[p][seen] = strings.Join(flags, " ")
}

func variant(name string) string { return "-variant " + name }

// report prints the table and, as the last line, the mock API that behaves the same.
// Both go into bug reports: they have no values of the account.
func report(out io.Writer, s survey) {
	fmt.Fprintf(out, "\n| Open point | This API | Flags of the mock API |\n|---|---|---|\n")
	var all []string
	for _, p := range slices.Sorted(maps.Keys(s)) {
		flags := s.flags(p)
		for _, flag := range flags {
			if !slices.Contains(all, flag) {
				all = append(all, flag)
			}
		}
		code := strings.Join(flags, " ")
		if code != "" {
			code = "`" + code + "`"
		}
		seen := strings.NewReplacer("|", `\|`, "\n", " ").Replace(listed(names(s[p])))
		fmt.Fprintf(out, "| %s | %s | %s |\n", p, seen, code)
	}
	command := "make mock"
	if len(all) > 0 {
		command = fmt.Sprintf("make mock ARGS='%s'", strings.Join(all, " "))
	}
	fmt.Fprintf(out, "\nThe mock API behaves the same with:\n%s\n", command)
}

// flags returns those of a point: of a notation only if there is no other.
func (s survey) flags(p point) []string {
	flags := slices.Sorted(maps.Values(s[p]))
	if flags = slices.Compact(flags); (p == wholeNumbers || p == times) && len(flags) > 1 {
		return nil
	}
	return slices.DeleteFunc(flags, func(flag string) bool { return flag == "" })
}

// names returns the keys of a map, sorted.
func names[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// listed returns up to eight names.
func listed(names []string) string {
	const enough = 8
	if len(names) > enough {
		names = append(names[:enough:enough], fmt.Sprintf("and %d more", len(names)-enough))
	}
	return strings.Join(names, ", ")
}
