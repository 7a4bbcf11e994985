package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A guard decides what may be sent: reads, and where writes are allowed, changes
// of what can be restored. That leaves out what must never be touched: endpoints,
// transparentDataEncryptionKeyId, the state of a key.
type guard struct {
	allowed map[string][]string // by method and path: the members that may be sent; nil: all
}

func newGuard() *guard { return &guard{allowed: map[string][]string{}} }

// allow lets an object be changed: as far as its original is known.
func (g *guard) allow(o *object) {
	if o.Kind == "pipe" {
		g.allowed["PATCH "+o.Path+"/scaling"] = nil
		g.allowed["PUT "+o.Path+"/settings"] = nil
		return
	}
	g.allowed["PATCH "+o.Path] = slices.Collect(maps.Keys(o.Original))
}

// check returns why a request must not be sent.
func (g *guard) check(method, path string, body []byte) error {
	if isRead(method, body) {
		return nil
	}
	members, known := g.allowed[method+" "+path]
	if !known {
		return errors.New("this run must not change that")
	}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(body, &sent); err != nil {
		return fmt.Errorf("its body is not an object: %w", err)
	}
	if members == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if !slices.Contains(members, name) {
			return fmt.Errorf("%s is never changed", name)
		}
	}
	if list, ok := sent["ipAccessList"]; ok {
		return checkList(path, list)
	}
	return nil
}

// checkList refuses to empty a key's list, and to remove from a service's list
// what this program has not added.
func checkList(path string, list json.RawMessage) error {
	if !strings.HasPrefix(path, "/services/") {
		var entries []entry
		if err := json.Unmarshal(list, &entries); err != nil || len(entries) == 0 {
			return errors.New("an access list is never emptied")
		}
		return nil
	}
	var change struct{ Remove []entry }
	if err := json.Unmarshal(list, &change); err != nil {
		return fmt.Errorf("its access list is not a change: %w", err)
	}
	for _, removed := range change.Remove {
		if !isTestAddress(removed.Source) {
			return errors.New("an entry of an access list is never removed")
		}
	}
	return nil
}

// An entry of an access list.
type entry struct {
	Source      string `json:"source"`
	Description string `json:"description"`
}

// The addresses that are added to access lists, from a range for documentation.
const (
	testAddress  = "203.0.113.71"
	otherAddress = "203.0.113.72"
)

// isTestAddress also knows the addresses as ranges.
func isTestAddress(source string) bool {
	address := strings.TrimSuffix(source, "/32")
	return address == testAddress || address == otherAddress
}

func servicePath(id string) string         { return "/services/" + id }
func pipePath(serviceID, id string) string { return servicePath(serviceID) + "/pipes/" + id }
func backupsPath(serviceID string) string  { return servicePath(serviceID) + "/backups" }
func keyPath(id string) string             { return "/keys/" + id }
