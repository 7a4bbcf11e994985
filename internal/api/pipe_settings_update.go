package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A ChangedSetting is one that an update left out and that the API then shows with
// another value, as JSON, or does not return.
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
		var leftOut []string
		if isInvalid(err) {
			managed := configured.members()
			maps.Copy(managed, change.members())
			leftOut = dispensable(members, managed, remote, err)
		}
		if len(leftOut) > 0 {
			maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return slices.Contains(leftOut, name) })
			resp, err = put()
		}
		if err != nil {
			return nil, err
		}
		merged, err := overlayResponse(remote.Settings.value, r.Body, resp)
		if err != nil {
			return nil, err
		}
		if len(leftOut) > 0 {
			changed = c.changedSettings(ctx, remote, leftOut, pipeRequest(serviceID, pipeID))
		}
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
	for name := range sent {
		if documented[name] == nil || !source.Uses(SettingSources(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(words)
	named := slices.DeleteFunc(slices.Compact(words), func(name string) bool {
		_, isBounded := SettingLimits[name]
		return sent[name] == nil && !isBounded
	})
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

// changedSettings returns those of the named settings that a new read does not show as
// before. If that read fails, nothing is known.
func (c *Client) changedSettings(ctx context.Context, before *Pipe, names []string, read transport.Request) (changed []ChangedSetting) {
	after, err := fetch[Pipe](ctx, c, read, c.transport.NewBudget())
	if err != nil {
		return nil
	}
	old, now := returnedSettings(before), returnedSettings(after)
	for _, name := range slices.Sorted(slices.Values(names)) {
		var was, is any
		_, _ = json.Unmarshal(old[name], &was), json.Unmarshal(now[name], &is)
		if !reflect.DeepEqual(was, is) {
			changed = append(changed, ChangedSetting{name, string(old[name]), cmp.Or(string(now[name]), "not returned")})
		}
	}
	return changed
}
