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
// not shown is sent too. If the API refuses the settings, those are left out
// that are not managed and that the refusal names or another kind of source has.
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, error) {
	if len(change.members()) == 0 {
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
		source, _ := remote.Source.Get()
		managed := configured.members()
		maps.Copy(managed, change.members())
		resp, sent, err := c.putSettings(ctx, r, settingsToSend(remote, change, configured), func(name string, refusal error) bool {
			return managed[name] == nil && (!source.Uses(SettingSources(name)) || isNamed(name, refusal))
		})
		if err != nil {
			return nil, err
		}
		merged, err := overlayResponse(&settings, sent, resp)
		if err != nil {
			return nil, err
		}
		updated := *remote
		updated.Settings = ValueOf(*merged)
		return &updated, nil
	})
}

// putSettings sends members. If the API refuses them, it tries again without those
// that mayLeaveOut allows, as long as there are any.
func (c *Client) putSettings(ctx context.Context, r transport.Request, members Object, mayLeaveOut func(name string, refusal error) bool) (resp transport.Response, sent []byte, err error) {
	budget := c.transport.NewBudget()
	for {
		if r.Body, err = encode(r.Operation, members); err != nil {
			return resp, nil, err
		}
		resp, err = c.transport.Do(ctx, r, budget)
		before := len(members)
		maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return isInvalid(err) && mayLeaveOut(name, err) })
		if len(members) == before {
			return resp, r.Body, err
		}
	}
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
	maps.Copy(members, membersWithValue(membersWithValue(remote.Returned)["settings"]))
	maps.Copy(members, settings.members())
	for name := range settings.OutOfBounds() {
		delete(members, name)
	}
	maps.Copy(members, change.members())
	return members
}
