package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// usage is what the processes of a provider used during one command.
type usage struct {
	cpu    time.Duration // of all of them
	memory int64         // of the largest, at its peak, in bytes
}

// readMeters sums up what the meter wrote into a folder, and empties it.
// Terraform starts a provider several times during one command, and ends only
// after each of them.
func readMeters(folder string) (usage, error) {
	var sum usage
	entries, err := os.ReadDir(folder)
	if err != nil {
		return sum, err
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return sum, err
		}
		var process struct {
			CPU    time.Duration `json:"cpu"`
			Memory int64         `json:"memory"`
		}
		if err := json.Unmarshal(text, &process); err != nil {
			return sum, errors.Join(fmt.Errorf("a provider ended without being metered: %w", err), os.Remove(path))
		}
		sum.cpu += process.CPU
		sum.memory = max(sum.memory, process.Memory)
		if err := os.Remove(path); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
