//go:build !windows

package main

import (
	"errors"
	"os"
	"syscall"
)

// lock fails if another run has locked the file. The lock ends with the process. Some
// network file systems have no locks: there, another run goes unnoticed.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return err
	}
	return nil
}
