package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A report is what one process has used, in a file of its own. The file is there
// from the beginning, empty, so that one that is read too early is noticed.
type report struct{ path string }

func begin(folder string) (report, error) {
	file, err := os.CreateTemp(folder, "")
	if err != nil {
		return report{}, err
	}
	return report{file.Name()}, file.Close()
}

// end completes the report in one step.
func (r report) end(state *os.ProcessState) error {
	text, err := json.Marshal(struct {
		CPU    time.Duration `json:"cpu"`    // in user and system mode
		Memory int64         `json:"memory"` // the most that was resident, in bytes
	}{state.UserTime() + state.SystemTime(), peakMemory(state)})
	if err != nil {
		return err
	}
	draft := filepath.Join(filepath.Dir(r.path), fmt.Sprintf(".draft-%d", os.Getpid()))
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, r.path)
}
