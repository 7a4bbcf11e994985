package mockapi

func (s *Server) showBackups(target *record) any {
	backups := append([]any{}, s.store.backups[target.id()]...)
	if !s.variants.BackupStatus || len(backups) == 0 {
		return backups
	}
	failed, unfinished := clone(backups[0].(Object)), clone(backups[0].(Object))
	failed["id"] = "44444444-4444-4444-8444-000000000008"
	failed["startedAt"], failed["finishedAt"], failed["status"] = "2025-07-05T01:00:00Z", "2025-07-05T01:00:20Z", "error"
	unfinished["id"] = "44444444-4444-4444-8444-000000000009"
	unfinished["startedAt"], unfinished["finishedAt"], unfinished["status"] = "2025-07-06T01:00:00Z", "0001-01-01T00:00:00Z", "in_progress"
	backups = append(backups, failed, unfinished)
	for i := range backups {
		backup := clone(backups[i].(Object))
		if backup["type"] = "full"; backup["status"] == nil {
			backup["status"] = "done"
			if backup["finishedAt"] == nil {
				backup["status"] = "in_progress"
			}
		}
		backups[i] = backup
	}
	return backups
}
