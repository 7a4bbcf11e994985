package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A journal is a file with the objects as they were before the first change. It
// exists only while something may have to be restored, so a run that finds one
// knows that an earlier run was killed.
type journal struct {
	Organization string
	BaseURL      string
	Begun        time.Time
	Objects      []*object
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
	file, err := os.OpenFile(r.s.journal, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// readJournal returns what a run that was killed has left; nil if there is none.
func readJournal(s *settings) (*journal, error) {
	text, err := os.ReadFile(s.journal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var j journal
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&j); err != nil {
		return nil, fmt.Errorf("%s: %w", s.journal, err)
	}
	if j.Organization != s.organizationID || j.BaseURL != s.baseURL.String() {
		return nil, fmt.Errorf("%s is of a run against another organization or API; run against that again, or delete the file", s.journal)
	}
	return &j, nil
}

func removeJournal(s *settings) error {
	if err := os.Remove(s.journal); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
