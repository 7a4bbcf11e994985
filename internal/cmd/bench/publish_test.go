package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// sampleResults are of three sizes, in which each world takes longer than the
// one before it.
func sampleResults() *results {
	r := &results{
		Taken:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Machine: machine{System: "linux/amd64", CPU: "A & B <3 GHz>", CPUs: 2, Go: "go1.26.0"},
		CLI:     "Terraform v1.14.0",
	}
	for _, n := range []int{1000, 10, 100} { // the order does not matter
		for _, step := range []string{"apply", "plan"} {
			for i, world := range []string{"terraform_data", "empty", "dbplatform"} {
				wall := float64((i + 1) * n)
				r.Measurements = append(r.Measurements, measurement{
					subject: subject{"pipes", n, step, world, ""}, Times: 3,
					Wall: spread{wall, wall / 2, wall * 2}, Requests: spread{7, 6, 8},
				})
			}
		}
	}
	r.Measurements = append(r.Measurements, measurement{
		subject: subject{"limit", 40, "plan", "dbplatform", "no header"}, Times: 3, Failures: 2,
		Memory: &spread{3 << 20, 1 << 20, 4 << 20},
	})
	return r
}

func TestPublish(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new")
	want := sampleResults()
	if err := want.publish(folder); err != nil {
		t.Fatal(err)
	}
	got, err := load(filepath.Join(folder, "results.json"))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v was read back, not %+v: %v", got, want, err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"2 January 2026", "Terraform v1.14.0", "linux/amd64, 2 CPUs (A & B <3 GHz>)", "go1.26.0", "](results.svg)",
		"allows 10 requests in 10s", "(⌈R / 10⌉ − 1) × 10s", "a plan of 40 pipes\n30s", want.table(), want.verdicts(false),
	} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page lacks %q:\n%s", part, page)
		}
	}
	if _, err := load(filepath.Join(folder, "README.md")); err == nil {
		t.Error("a page was read as results")
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	rows := map[string][]string{}
	width := 0
	for line := range strings.Lines(sampleResults().table()) {
		line = strings.TrimSpace(line)
		if n := utf8.RuneCountInString(line); width > 0 && n != width {
			t.Errorf("a line is %d wide, not %d: %s", n, width, line)
		} else {
			width = n
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows[strings.Join(cells[:4], " ")] = cells[4:]
	}
	for name, want := range map[string]string{
		"pipes 10 plan dbplatform":                             "30.00,15.00–60.00,3.00,1.50,,,8,,,0.00",
		"pipes 1000 apply terraform_data":                      "1000.00,500.00–2000.00,1.00,0.50,,,8,,,0.00",
		"limit 40 plan dbplatform no header (failed 2 of 3)":   "0.00,0.00–0.00,,,,3.00,,,,0.00",
		"scenario N step world":                                "wall s,min–max,× terraform_data,× empty,CPU s,memory MiB,requests,refused,connections,bench CPU s",
		"-------- ---- ----- --------------------------------": "",
	} {
		got, ok := rows[name]
		if want != "" && strings.Join(got, ",") != want {
			t.Errorf("%s (there: %v): %q", name, ok, got)
		}
	}
}

func TestPlot(t *testing.T) {
	t.Parallel()
	svg, err := sampleResults().plot()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, element := range elements(t, svg) {
		if element.Name.Local == "polyline" {
			world := attribute(element, "class")
			lines[world] = append(lines[world], attribute(element, "points"))
		}
	}
	for _, world := range []string{"terraform_data", "empty", "dbplatform"} {
		if len(lines[world]) != 2 { // plan and apply
			t.Fatalf("%s has the lines %q", world, lines[world])
		}
		points := strings.Fields(lines[world][0])
		if len(points) != 3 {
			t.Errorf("%s has the points %q", world, points)
		}
		// Ten times the pipes take ten times as long here: a straight line.
		var x, y []float64
		for _, p := range points {
			pair := strings.Split(p, ",")
			x, y = append(x, parseFloat(t, pair[0])), append(y, parseFloat(t, pair[1]))
		}
		if !about(x[1]-x[0], x[2]-x[1]) || !about(y[1]-y[0], y[2]-y[1]) || x[1] <= x[0] || y[1] >= y[0] {
			t.Errorf("%s goes through %q", world, points)
		}
	}
	if lines["dbplatform"][0] == lines["empty"][0] {
		t.Error("two worlds share a line")
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("not all is a number:\n%s", svg)
	}
}

// A plot of one size, or of nothing, is one all the same.
func TestPlotOfLittle(t *testing.T) {
	t.Parallel()
	one := sampleResults()
	one.Measurements = one.Measurements[:1]
	for _, r := range []*results{one, {}} {
		svg, err := r.plot()
		if err != nil || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%v:\n%s", err, svg)
		}
		elements(t, svg)
	}
}

// elements are those of well-formed XML.
func elements(t *testing.T, text string) []xml.StartElement {
	t.Helper()
	var all []xml.StartElement
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if start, ok := token.(xml.StartElement); ok {
			all = append(all, start.Copy())
		}
	}
}

func attribute(element xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
