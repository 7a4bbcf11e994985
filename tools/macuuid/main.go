// Command macuuid checks that the programs for macOS in archives have a UUID. macOS 26
// does not start others, which Go builds with -ldflags=-buildid=.
// See https://go.dev/issue/68678.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/macho"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	for _, archive := range os.Args[1:] {
		if err := check(archive); err != nil {
			log.Fatal(err)
		}
	}
}

func check(archive string) error {
	read := programInTar
	if strings.HasSuffix(archive, ".zip") {
		read = programInZip
	}
	program, err := read(archive)
	if err == nil {
		err = checkUUID(program)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	return nil
}

// loadUUID is the load command LC_UUID.
const loadUUID = 0x1b

func checkUUID(program []byte) error {
	file, err := macho.NewFile(bytes.NewReader(program))
	if err != nil {
		return err
	}
	for _, load := range file.Loads {
		if file.ByteOrder.Uint32(load.Raw()) == loadUUID {
			return nil
		}
	}
	return errors.New("the program has no LC_UUID: macOS does not start it")
}

// isProgram reports whether a file of an archive is the program. The others are texts.
func isProgram(name string) bool {
	return !strings.HasSuffix(name, ".txt") && name != "LICENSE"
}

func programInZip(archive string) ([]byte, error) {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for _, file := range reader.File {
		if isProgram(file.Name) {
			content, err := file.Open()
			if err != nil {
				return nil, err
			}
			return io.ReadAll(content)
		}
	}
	return nil, errors.New("no program")
}

func programInTar(archive string) ([]byte, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	for reader := tar.NewReader(unzipped); ; {
		header, err := reader.Next()
		if err != nil {
			return nil, err // io.EOF: no program
		}
		if isProgram(header.Name) {
			return io.ReadAll(reader)
		}
	}
}
