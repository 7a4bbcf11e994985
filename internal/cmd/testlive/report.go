package main

import (
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
	// look finds it out from the run's requests; nil: see [run.note].
	look func(*run) finding
	// key is that of a note of an experiment that writes.
	key string
}

func variant(name string) string { return "-variant " + name }

// report prints the table and, as the last line, the mock API that behaves the
// same. Both go into bug reports: they have no values of the account.
func report(out io.Writer, r *run) {
	fmt.Fprintf(out, "\n| Open point | This API | Flags of the mock API |\n|---|---|---|\n")
	var flags []string
	for _, row := range rows {
		f := r.find(row)
		seen := f.seen
		if seen == "" {
			seen = "not observed: " + f.why
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", row.point, cell(seen), code(f.flags))
		for _, flag := range f.flags {
			if !slices.Contains(flags, flag) {
				flags = append(flags, flag)
			}
		}
	}
	fmt.Fprintln(out, "\nThe mock API behaves the same with:")
	fmt.Fprintln(out, mockCommand(flags))
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

// find returns the finding of a row.
func (r *run) find(row row) finding {
	if row.look != nil {
		return row.look(r)
	}
	return r.noted(row.key)
}

// noted returns what an experiment saw.
func (r *run) noted(key string) finding {
	if f, ok := r.notes[key]; ok {
		return *f
	}
	switch {
	case !r.s.writes:
		return finding{why: "needs DBPLATFORM_TEST_WRITES=1"}
	case r.whyNot[key] != "":
		return finding{why: r.whyNot[key]}
	}
	return finding{why: "no named object shows it"}
}

// skip keeps why rows were not observed.
func (r *run) skip(why string, keys ...string) {
	for _, key := range keys {
		r.whyNot[key] = why
	}
}

// note keeps what an experiment saw. Objects that behave the same share a text.
func (r *run) note(key, seen string, flags ...string) {
	f, ok := r.notes[key]
	if !ok {
		f = &finding{}
		r.notes[key] = f
	}
	if !strings.Contains(f.seen, seen) {
		if f.seen != "" {
			f.seen += "; "
		}
		f.seen += seen
	}
	for _, flag := range flags {
		if !slices.Contains(f.flags, flag) {
			f.flags = append(f.flags, flag)
		}
	}
}
