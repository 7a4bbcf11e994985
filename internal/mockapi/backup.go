package mockapi

import (
	"fmt"
	"net/http"
)

func (s *Server) showBackups(target *storedObject) any {
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

// withStatus gives backups a status and a type, and adds newer ones that did not finish well.
func withStatus(stored []any) (backups []any) {
	newest := ""
	for _, backup := range stored {
		newest = max(newest, finishedAt(backup))
	}
	add := func(backup Object, status string) {
		backup["status"], backup["type"] = status, "full"
		backups = append(backups, backup)
	}
	for _, backup := range stored {
		switch finishedAt(backup) {
		case "":
			add(clone(backup.(Object)), "in_progress")
		case newest:
			add(clone(backup.(Object)), "DONE")
		default:
			add(clone(backup.(Object)), "done")
		}
	}
	for i, status := range []string{"error", "failed", "deleted", "running", "in_progress"} {
		newer := clone(stored[0].(Object))
		newer["id"], newer["backupName"] = fmt.Sprintf("44444444-4444-4444-8444-%012d", 5+i), fmt.Sprintf("backup-%d", 5+i)
		newer["finishedAt"] = "2025-07-05T01:00:20Z"
		if status == "in_progress" {
			newer["finishedAt"] = "0001-01-01T00:00:00Z" // some APIs write it instead of null
		}
		add(newer, status)
	}
	return backups
}

// finishedAt is the end of a backup, empty for none.
func finishedAt(backup any) string {
	text, _ := backup.(Object)["finishedAt"].(string)
	return text
}

// announceMore says in a list of backups that there are more: in the envelope, or in the header
// that it returns.
func (v Variants) announceMore(c *call, envelope Object) http.Header {
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
