package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A finding is what a run saw of one point that the documentation leaves open.
type finding struct {
	seen  string   // empty: not observed
	why   string   // it was not observed
	flags []string // of the mock API that behaves the same
}

// A row is one open point.
type row struct {
	point string
	// look finds it out from the run's requests; nil: it is noted under the key.
	look func(*run, *survey) finding
	// key is that of an experiment that writes, see [run.note].
	key string
}

func variant(name string) string { return "-variant " + name }

// report prints the table and, as the last line, the mock API that behaves the
// same. Both go into bug reports: they have no values of the account.
func report(out io.Writer, r *run) {
	fmt.Fprintf(out, "\n| Open point | This API | Flags of the mock API |\n|---|---|---|\n")
	s := r.survey()
	var all []string
	for _, row := range rows {
		if !r.s.writes && row.key != "" {
			continue
		}
		f := r.noted(row.key)
		if row.look != nil {
			f = row.look(r, s)
		}
		seen := f.seen
		if seen == "" {
			seen = "not observed: " + f.why
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", row.point, cell(seen), code(f.flags))
		for _, flag := range f.flags {
			if !slices.Contains(all, flag) {
				all = append(all, flag)
			}
		}
	}
	if !r.s.writes {
		fmt.Fprintln(out, "\nDBPLATFORM_TEST_WRITES=1 adds rows about changes.")
	}
	fmt.Fprintln(out, "\nThe mock API behaves the same with:")
	fmt.Fprintln(out, mockCommand(all))
}

// saw returns a finding with the variants that behave the same.
func saw(seen string, variants ...string) finding {
	var f finding
	f.add(seen, variants...)
	return f
}

// add adds a text and variants that the finding does not have yet.
func (f *finding) add(seen string, variants ...string) {
	if !strings.Contains(f.seen, seen) {
		f.seen = strings.TrimPrefix(f.seen+"; "+seen, "; ")
	}
	for _, name := range variants {
		if name != "" && !slices.Contains(f.flags, variant(name)) {
			f.flags = append(f.flags, variant(name))
		}
	}
}

func mockCommand(flags []string) string {
	if len(flags) == 0 {
		return "make mock"
	}
	return fmt.Sprintf("make mock ARGS='%s'", strings.Join(flags, " "))
}

// cell keeps a text inside its cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

func code(flags []string) string {
	if len(flags) == 0 {
		return ""
	}
	return "`" + strings.Join(flags, " ") + "`"
}

// noted returns what an experiment saw.
func (r *run) noted(key string) finding {
	if f, ok := r.notes[key]; ok {
		return *f
	}
	return finding{why: cmp.Or(r.whyNot[key], "no named object shows it")}
}

// skip says and keeps why rows were not observed.
func (r *run) skip(why string, keys ...string) {
	r.say("    - %s", why)
	for _, key := range keys {
		r.whyNot[key] = why
	}
}

// note keeps what an experiment saw. Objects that behave the same share a text.
func (r *run) note(key, seen string, variants ...string) {
	if r.notes[key] == nil {
		r.notes[key] = &finding{}
	}
	r.notes[key].add(seen, variants...)
}
