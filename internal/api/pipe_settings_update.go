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
	pipe, err := cached.write(ctx, r.Operation, func(*Pipe) (*Pipe, error) {
		remote, err := fetch[Pipe](ctx, c, pipeRequest(serviceID, pipeID), c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		cached.set(remote)
		managed := configured.members()
		maps.Copy(managed, change.members())
		members, budget := settingsToSend(remote, change, configured), c.transport.NewBudget()
		resp, err := c.putSettings(ctx, &r, members, budget)
		if isInvalid(err) {
			if without := dispensable(members, managed, remote, err); len(without) > 0 {
				maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return slices.Contains(without, name) })
				resp, err = c.putSettings(ctx, &r, members, budget)
			}
		}
		if err != nil {
			return nil, err
		}
		settings, _ := remote.Settings.Get()
		merged, err := overlayResponse(&settings, r.Body, resp)
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

func (c *Client) putSettings(ctx context.Context, r *transport.Request, members Object, budget *transport.Budget) (resp transport.Response, err error) {
	if r.Body, err = encode(r.Operation, members); err != nil {
		return resp, err
	}
	return c.transport.Do(ctx, *r, budget)
}

// dispensable names the settings that a refused PUT can do without: those that are
// not managed, and not documented or not used by the pipe's source. If nothing is
// known of that kind of source, so is the one setting that the refusal names.
func dispensable(members, managed Object, pipe *Pipe, refusal error) (names []string) {
	source, _ := pipe.Source.Get()
	for name := range members {
		if managed[name] == nil && (!isDocumented(name) || !source.Uses(SettingSources(name))) {
			names = append(names, name)
		}
	}
	var named []string
	for name := range members {
		if isNamed(name, refusal) {
			named = append(named, name)
		}
	}
	if len(source) == 0 && len(named) == 1 && managed[named[0]] == nil {
		names = append(names, named[0])
	}
	return names
}

func isDocumented(setting string) bool {
	data, _ := json.Marshal(Object{setting: json.RawMessage("0")})
	var settings Settings
	_ = json.Unmarshal(data, &settings) // never fails
	return settings != Settings{}
}

// isNamed reports whether a refusal names a setting.
func isNamed(setting string, refusal error) bool {
	failed, ok := errors.AsType[*transport.Error](refusal)
	return ok && regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(setting)+`(\W|$)`).MatchString(failed.Message)
}

// settingsToSend returns the members of a PUT. What is undocumented or mistyped is
// sent as the API returned it. Nulls are left out, since their effect is not
// documented. So is what is out of bounds and not changed: a 0 that means the
// default would make the API refuse the whole body.
func settingsToSend(remote *Pipe, change, configured Settings) Object {
	settings, _ := remote.Settings.Get()
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
