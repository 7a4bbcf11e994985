package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

//go:embed README.md.tmpl
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// publish writes the page, its picture and the figures.
func (r *results) publish(dir string) error {
	figures, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := page.Execute(&text, map[string]any{"Results": r, "Table": r.table(), "LimitTable": r.limitTable()}); err != nil {
		return err
	}
	for name, content := range map[string]string{
		"README.md": text.String(), "results.json": string(figures) + "\n", "results.svg": r.picture(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil { //nolint:gosec // for all to read
			return err
		}
	}
	return nil
}

// table is Markdown. The other providers are in it as what the times are compared
// with.
func (r *results) table() string {
	var t strings.Builder
	row(&t, "pipes", "command", "time", "× terraform_data", "× empty", "CPU", "memory", "requests", "connections")
	row(&t, "--:", "---", "--:", "--:", "--:", "--:", "--:", "--:", "--:")
	for _, m := range r.Measurements {
		if m.Provider != dbplatform.name {
			continue
		}
		row(&t, strconv.Itoa(m.N), m.Command, figure("%.2f s", m.Seconds),
			r.times(m, terraformData.name), r.times(m, empty.name),
			figure("%.2f s", m.CPU), figure("%.0f MiB", m.Memory), figure("%.0f", m.Requests), figure("%.0f", m.Connections))
	}
	return t.String()
}

func (r *results) limitTable() string {
	var t strings.Builder
	row(&t, "header", "requests", "of these refused", "time", "dictated by the limit", "factor", "at most")
	row(&t, "---", "--:", "--:", "--:", "--:", "--:", "--:")
	for _, l := range r.Limited {
		row(&t, l.Header, figure("%.0f", l.Requests), figure("%.0f", l.Refused), figure("%.1f s", l.Seconds),
			figure("%.0f s", l.Minimum), figure("%.2f", l.factor()), figure("%.2f", l.MaxFactor))
	}
	return t.String()
}

func row(t *strings.Builder, cells ...string) {
	fmt.Fprintf(t, "| %s |\n", strings.Join(cells, " | "))
}

// figure is empty for 0: not measured, or nothing to count.
func figure(format string, value float64) string {
	if value == 0 {
		return ""
	}
	return fmt.Sprintf(format, value)
}

// times is the time of m over that of another provider.
func (r *results) times(m measurement, provider string) string {
	other, ok := r.find(m.N, m.Command, provider)
	if !ok || other.Seconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", m.Seconds/other.Seconds)
}
