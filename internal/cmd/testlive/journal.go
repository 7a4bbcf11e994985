package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A journal is a file with the objects as they were before the first change. A run
// that writes keeps it open and locked, and removes it when nothing has to be restored.
// So a journal with content that is not locked comes from a run that was killed.
type journal struct {
	Organization string
	BaseURL      string
	Begun        time.Time
	Objects      []*object
}

// openJournal creates or opens the journal and locks it. A run that only reads has
// none.
func openJournal(s *settings) (*os.File, error) {
	if !s.writes {
		if info, err := os.Stat(s.journal); err == nil && info.Size() > 0 {
			return nil, fmt.Errorf("%s is of another run. If that is still running, wait until it has ended. "+
				"If it was killed, run again with DBPLATFORM_TEST_WRITES=1: that restores the objects first", s.journal)
		}
		return nil, nil
	}
	file, err := os.OpenFile(s.journal, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if lock(file) != nil || !isAt(file, s.journal) {
		return nil, errors.Join(fmt.Errorf("another run in this folder is using %s: wait until it has ended", s.journal), file.Close())
	}
	return file, nil
}

// isAt reports whether a path still leads to an open file: the run that had locked
// it may just have removed it.
func isAt(file *os.File, path string) bool {
	opened, err := file.Stat()
	there, missing := os.Stat(path)
	return err == nil && missing == nil && os.SameFile(opened, there)
}

// readJournal returns what a run that was killed has left; nil if there is nothing.
func readJournal(file io.Reader, s *settings) (*journal, error) {
	text, err := io.ReadAll(file)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	var j journal
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&j); err != nil {
		return nil, fmt.Errorf("%s is incomplete (%w): that run had not changed anything yet, so delete the file", s.journal, err)
	}
	if j.Organization != s.organizationID || j.BaseURL != s.baseURL.String() {
		return nil, fmt.Errorf("%s comes from a run against another organization or API: repeat that run, or delete the file", s.journal)
	}
	return &j, nil
}

// writeJournal is called before the first change.
func (r *run) writeJournal() error {
	j := journal{Organization: r.s.organizationID, BaseURL: r.s.baseURL.String(), Begun: time.Now().UTC()}
	for _, o := range r.objects {
		if o.shown != nil {
			j.Objects = append(j.Objects, o)
		}
	}
	text, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	_, err = r.journal.WriteAt(text, 0) // it is empty
	if err = errors.Join(err, r.journal.Sync()); err != nil {
		err = errors.Join(err, r.journal.Truncate(0))
	}
	return err
}

// closeJournal unlocks the journal, and removes it if it is empty.
func closeJournal(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() > 0 {
		return errors.Join(err, file.Close())
	}
	removed := os.Remove(file.Name()) // while it is locked
	err = file.Close()
	if removed != nil { // Windows removes no open file
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}
