package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A table is one of Markdown, with columns that are as wide as they have to be:
// a terminal shows it as well.
type table struct {
	rows [][]string
}

func newTable(header ...string) *table { return &table{[][]string{header}} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// String is empty where there is nothing but a header.
func (t *table) String() string {
	if len(t.rows) == 1 {
		return ""
	}
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	line := func(cells []string, fill string) {
		for i, cell := range cells {
			text.WriteString("| " + cell + strings.Repeat(fill, widths[i]-utf8.RuneCountInString(cell)) + " ")
		}
		text.WriteString("|\n")
	}
	line(t.rows[0], " ")
	line(make([]string, len(widths)), "-")
	for _, row := range t.rows[1:] {
		line(row, " ")
	}
	return text.String()
}

// table is all measurements.
func (r *results) table() string {
	t := newTable("scenario", "N", "step", "world", "wall s", "min–max", "× terraform_data", "× empty",
		"CPU s", "memory MiB", "requests", "refused", "connections", "bench CPU s")
	for _, m := range r.Measurements {
		t.add(m.Scenario, strconv.Itoa(m.N), m.Step, strings.TrimSpace(m.World+" "+m.Condition)+failed(m),
			fmt.Sprintf("%.2f", m.Wall.Median), fmt.Sprintf("%.2f–%.2f", m.Wall.Min, m.Wall.Max),
			r.over("terraform_data", m), r.over("empty", m),
			median(m.CPU, 1), median(m.Memory, 1<<20),
			count(m.Requests), count(m.Refused), count(m.Connections), fmt.Sprintf("%.2f", m.APICPU.Median))
	}
	return t.String()
}

func failed(m measurement) string {
	if m.Failures == 0 {
		return ""
	}
	return fmt.Sprintf(" (failed %d of %d)", m.Failures, m.Times)
}

// over is the wall time of a measurement over that of a floor; empty where there
// is none.
func (r *results) over(floor string, m measurement) string {
	of := m.subject
	of.World, of.Condition = floor, ""
	value, ok := ratio(wallOf(m.subject), wallOf(of))(r)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.2f", value)
}

// median is empty where nothing was metered.
func median(s *spread, unit float64) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", s.Median/unit)
}

// count is the most that was counted; empty where that is nothing.
func count(s spread) string {
	if s.Max == 0 {
		return ""
	}
	return number(s.Max)
}
