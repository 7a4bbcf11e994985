package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed report.md.tmpl
var reportSource string

var report = template.Must(template.New("report").Parse(reportSource))

// publish writes results into a folder: as JSON, as a plot, and as a page that
// shows both.
func (r *results) publish(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // to be read by all
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	plot, err := r.plot()
	if err != nil {
		return err
	}
	page, err := r.page()
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		"results.json": string(text) + "\n", "results.svg": plot, "README.md": page,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil { //nolint:gosec // to be read by all
			return err
		}
	}
	return nil
}

// page is what people read.
func (r *results) page() (string, error) {
	var page strings.Builder
	err := report.Execute(&page, map[string]any{
		"Results": r, "Goals": r.verdicts(false), "Table": r.table(), "Date": r.Taken.Format("2 January 2006"),
		"Requests": theLimit.requests, "Window": theLimit.per, "Limited": limited, "Dictated": theLimit.dictated(limited),
	})
	return page.String(), err
}
