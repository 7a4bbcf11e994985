package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"regexp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// UpdatePipeSettings writes the members of change that have a value
// (updatePipeSettings) and returns the newest pipe with its merged settings: as
// it was read, under what was sent, under what the response shows. Without
// anything to change it is a read.
//
// That the operation merges is not documented, so the pipe's own settings are
// sent along, as a read right before the PUT shows them. What is configured and
// not shown is sent too.
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, error) {
	if len(settingMembers(change)) == 0 {
		return c.Pipe(ctx, serviceID, pipeID)
	}
	r := transport.Request{
		Operation: "update pipe settings",
		Method:    http.MethodPut,
		Path:      append(pipePath(serviceID, pipeID), "settings"),
		Effect:    transport.Idempotent,
	}
	cached := c.pipes.at(serviceID, pipeID)
	return cached.write(ctx, r.Operation, func(*Pipe) (*Pipe, error) {
		remote, err := fetch[Pipe](ctx, c, pipeRequest(serviceID, pipeID), c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		cached.set(remote)
		settings, _ := remote.Settings.Get()
		members := settingsToSend(settings, change, configured)
		budget := c.transport.NewBudget()
		resp, sent, err := c.putSettings(ctx, r, members, budget)
		if isInvalid(err) {
			refusal, _ := errors.AsType[*transport.Error](err)
			source, _ := remote.Source.Get()
			if fewer := withoutRefused(members, source, refusal.Message, change, configured); len(fewer) < len(members) {
				if resp, sent, err = c.putSettings(ctx, r, fewer, budget); err != nil {
					first := *refusal
					first.OutcomeUnknown = transport.IsOutcomeUnknown(err)
					err = &first
				}
			}
		}
		if err != nil {
			return nil, err
		}
		merged, err := layered(&settings, sent, resp)
		if err != nil {
			return nil, err
		}
		updated := *remote
		updated.Settings = ValueOf(*merged)
		return &updated, nil
	})
}

func (c *Client) putSettings(ctx context.Context, r transport.Request, members map[string]json.RawMessage, budget *transport.Budget) (resp transport.Response, sent []byte, err error) {
	if r.Body, err = encode(r.Operation, members); err != nil {
		return resp, nil, err
	}
	resp, err = c.transport.Do(ctx, r, budget)
	return resp, r.Body, err
}

// settingsToSend returns the members of a PUT. Nulls are left out, since their
// effect is not documented. So is what is out of bounds and not changed: a 0 that
// means the default would make the API refuse the whole body.
func settingsToSend(remote, change, configured Settings) map[string]json.RawMessage {
	members := settingMembers(configured)
	maps.Copy(members, settingMembers(remote))
	for name := range remote.OutOfBounds() {
		delete(members, name)
	}
	maps.Copy(members, settingMembers(change))
	return members
}

// withoutRefused leaves out what the API may have refused a PUT for: settings that
// are not configured and belong to another kind of source, or undocumented ones
// that the refusal names.
func withoutRefused(members map[string]json.RawMessage, source Source, refusal string, change, configured Settings) map[string]json.RawMessage {
	wanted := settingMembers(configured)
	maps.Copy(wanted, settingMembers(change))
	fewer := maps.Clone(members)
	maps.DeleteFunc(fewer, func(name string, _ json.RawMessage) bool {
		isNamed := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `(\W|$)`).MatchString(refusal)
		return wanted[name] == nil && (!source.UsesSetting(name) || !settingNames[name] && isNamed)
	})
	return fewer
}

// settingMembers returns the members of settings that have a value. Numbers,
// booleans and JSON that the API has sent can always be written.
func settingMembers(s Settings) map[string]json.RawMessage {
	data, _ := json.Marshal(s)
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(data, &members)
	maps.DeleteFunc(members, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return members
}
