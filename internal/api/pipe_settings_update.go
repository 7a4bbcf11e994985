package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A ChangedSetting is one that an update left out and that the API then shows with
// another value, both as JSON.
type ChangedSetting struct{ Name, Before, After string }

// UpdatePipeSettings writes the members of change that have a value
// (updatePipeSettings) and returns the newest pipe with its merged settings: as
// it was read, under what was sent, under what the response shows. Without
// anything to change it is a read.
//
// That the operation merges is not documented, so the pipe's own settings are
// sent along, as a read right before the PUT shows them. What is configured and
// not shown is sent too. If the API refuses the settings, a second attempt leaves
// out what it may know nothing of; see [dispensable].
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, []ChangedSetting, error) {
	if len(change.members()) == 0 {
		pipe, err := c.Pipe(ctx, serviceID, pipeID)
		return pipe, nil, err
	}
	r := transport.Request{
		Operation: "update pipe settings",
		Method:    http.MethodPut,
		Path:      append(pipePath(serviceID, pipeID), "settings"),
		Effect:    transport.Idempotent,
	}
	var changed []ChangedSetting
	cached := c.pipes.at(serviceID, pipeID)
	pipe, err := cached.write(ctx, r.Operation, func(Pipe) (*Pipe, error) {
		remote, err := fetch[Pipe](ctx, c, pipeRequest(serviceID, pipeID), c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		cached.set(remote)
		members, budget := settingsToSend(remote, change, configured), c.transport.NewBudget()
		put := func() (transport.Response, error) {
			r.Body, _ = json.Marshal(members) // as all settings can be
			return c.transport.Do(ctx, r, budget)
		}
		resp, err := put()
		if isInvalid(err) {
			managed := configured.members()
			maps.Copy(managed, change.members())
			if without := dispensable(members, managed, remote, err); len(without) > 0 {
				for _, name := range without {
					delete(members, name)
				}
				resp, err = put()
			}
		}
		if err != nil {
			return nil, err
		}
		merged, err := overlayResponse(remote.Settings.value, r.Body, resp)
		if err != nil {
			return nil, err
		}
		changed = changedSettings(remote, members, resp)
		updated := *remote
		updated.Settings = ValueOf(*merged)
		return &updated, nil
	})
	return pipe, changed, err
}

var word = regexp.MustCompile(`\w+`)

// dispensable names the settings that a refused PUT can do without: those that are
// not managed, and not documented or not used by the pipe's source. If nothing is
// known of that kind of source, so is the one setting that the refusal names.
func dispensable(sent, managed Object, pipe *Pipe, refusal error) (names []string) {
	source, documented := pipe.Source.value, pipe.Settings.value.members()
	failed, _ := errors.AsType[*transport.Error](refusal)
	words := word.FindAllString(failed.Message, -1)
	var named []string
	for name := range sent {
		if documented[name] == nil || !source.Uses(SettingSources(name)) {
			names = append(names, name)
		}
		if slices.Contains(words, name) {
			named = append(named, name)
		}
	}
	if len(source) == 0 && len(named) == 1 {
		names = append(names, named[0])
	}
	return slices.DeleteFunc(names, func(name string) bool { return managed[name] != nil })
}

// settingsToSend returns the members of a PUT. What is undocumented or mistyped is
// sent as the API returned it. Nulls are left out, since their effect is not
// documented. So is what is out of bounds and not changed: a 0 that means the
// default would make the API refuse the whole body.
func settingsToSend(remote *Pipe, change, configured Settings) Object {
	settings := remote.Settings.value
	members := configured.members()
	maps.Copy(members, returnedSettings(remote))
	maps.Copy(members, settings.members())
	for name := range settings.OutOfBounds() {
		delete(members, name)
	}
	maps.Copy(members, change.members())
	return members
}

// returnedSettings returns a pipe's settings that have a value, as the API wrote them.
func returnedSettings(pipe *Pipe) Object {
	return membersWithValue(membersWithValue(pipe.Returned)["settings"])
}

// changedSettings returns what was not sent and has another value in the response.
func changedSettings(before *Pipe, sent Object, resp transport.Response) (changed []ChangedSetting) {
	old, now := returnedSettings(before), membersWithValue(resp.Result)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if sent[name] == nil && now[name] != nil && string(now[name]) != string(old[name]) {
			changed = append(changed, ChangedSetting{name, string(old[name]), string(now[name])})
		}
	}
	return changed
}
