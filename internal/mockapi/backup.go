package mockapi

import (
	"fmt"
	"net/http"
)

func (s *Server) showBackups(target *record) any {
	backups := append([]any{}, s.store.backups[target.id()]...)
	if s.variants.Has("backup_status") && len(backups) > 0 {
		backups = withStatus(backups)
	}
	const page = 2
	if s.variants.Value("more_backups") != "" && len(backups) > page {
		backups = backups[:page]
	}
	return backups
}

// withStatus gives backups a status and a type, and adds newer ones that cannot be
// restored.
func withStatus(backups []any) []any {
	newest := ""
	for _, backup := range backups {
		newest = max(newest, finishedAt(backup))
	}
	add := func(day int, status, finished string) {
		added := clone(backups[0].(Object))
		added["id"] = fmt.Sprintf("44444444-4444-4444-8444-0000000001%02d", day)
		added["backupName"], added["status"] = fmt.Sprintf("backup-%d", day), status
		added["startedAt"], added["finishedAt"] = fmt.Sprintf("2025-07-%02dT01:00:00Z", day), finished
		backups = append(backups, added)
	}
	for i, status := range []string{"error", "ERROR", "failed", "deleted", "running", "cancelled"} {
		day := 5 + i
		add(day, status, fmt.Sprintf("2025-07-%02dT01:00:20Z", day))
	}
	add(11, "in_progress", "0001-01-01T00:00:00Z")
	for i, stored := range backups {
		backup := clone(stored.(Object))
		backups[i], backup["type"] = backup, "full"
		switch {
		case backup["status"] != nil:
		case finishedAt(backup) == "":
			backup["status"] = "in_progress"
		case finishedAt(backup) == newest:
			backup["status"] = "DONE"
		default:
			backup["status"] = "done"
		}
	}
	return backups
}

// finishedAt is the end of a backup, empty for none.
func finishedAt(backup any) string {
	text, _ := backup.(Object)["finishedAt"].(string)
	return text
}

// more adds to a list of backups that there are more. The header is for the response.
func (v Variants) more(c *call, envelope Object) http.Header {
	if c.operation.id != "listBackups" {
		return nil
	}
	switch v.Value("more_backups") {
	case "link":
		return http.Header{"Link": {fmt.Sprintf(`<%s?page=2>; rel="next"`, c.URL.Path)}}
	case "cursor":
		envelope["nextCursor"] = "cGFnZS0y"
	}
	return nil
}
