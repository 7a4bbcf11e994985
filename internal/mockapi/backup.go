package mockapi

func (s *Server) listBackups(target *record, _ Object) (any, *problem) {
	return append([]any{}, s.store.backups[target.id()]...), nil
}
