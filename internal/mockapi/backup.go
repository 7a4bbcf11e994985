package mockapi

func (s *Server) listBackups(target *record, _ Object) (any, *problem) {
	backups := s.store.backups[target.document["id"].(string)]
	if backups == nil {
		return []any{}, nil
	}
	return canonical(backups), nil
}
