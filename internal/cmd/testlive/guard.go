package main

import (
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
	allowed   map[string][]string // by method and path: the members that may be sent; nil: all
	originals map[string]*object  // by path
}

func newGuard() *guard {
	return &guard{allowed: map[string][]string{}, originals: map[string]*object{}}
}

// allow lets an object be changed: as far as its original is known.
func (g *guard) allow(o *object) {
	g.originals[o.Path] = o
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
		return errors.New("it would change an object outside the test")
	}
	if members == nil {
		return nil
	}
	sent, isObject := decode(body).(map[string]any)
	if !isObject {
		return errors.New("its body is not an object")
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if !slices.Contains(members, name) {
			return fmt.Errorf("%s is never changed", name)
		}
	}
	return checkLists(g.originals[path], body)
}

// checkLists refuses to take from a list what was there before.
func checkLists(o *object, body []byte) error {
	sent, _ := decode(body).(map[string]any)
	if o.Kind == "key" {
		before, _ := entries(o.Original["ipAccessList"])
		list, changes := sent["ipAccessList"]
		after, _ := entries(list)
		isLost := func(e entry) bool {
			return !slices.ContainsFunc(after, func(a entry) bool { return a.Source == e.Source })
		}
		if changes && (len(after) == 0 || slices.ContainsFunc(before, isLost)) {
			return errors.New("an entry of an access list is never removed")
		}
		return nil
	}
	removed, _ := entries(at(sent, "ipAccessList", "remove"))
	if slices.ContainsFunc(removed, func(e entry) bool { return !isTestAddress(e.Source) }) {
		return errors.New("an entry of an access list is never removed")
	}
	endpoints := texts(at(sent, "privateEndpointIds", "remove"))
	if len(without(endpoints, texts(o.Original["privateEndpointIds"]))) < len(endpoints) {
		return errors.New("a private endpoint is never removed")
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
