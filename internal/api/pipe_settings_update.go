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
	r := transport.Request{
		Operation: "update pipe settings",
		Method:    http.MethodPut,
		Path:      append(pipePath(serviceID, pipeID), "settings"),
		Effect:    transport.Idempotent,
	}
	body, err := newSettingsBody(change, configured)
	if err != nil {
		return nil, &transport.Error{Operation: r.Operation, Err: err}
	}
	if len(body.change) == 0 {
		return c.Pipe(ctx, serviceID, pipeID)
	}
	cached := c.pipes.at(serviceID, pipeID)
	return cached.write(ctx, r.Operation, func(*Pipe) (*Pipe, error) {
		remote, err := fetch[Pipe](ctx, c, pipeRequest(serviceID, pipeID), c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		cached.set(remote)
		settings, _ := remote.Settings.Get()
		resp, sent, err := c.putSettings(ctx, r, body, remote)
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

// putSettings sends the settings of a pipe, a second time with less if the API
// refuses the first body. Where that fails too, the first refusal is the error.
func (c *Client) putSettings(ctx context.Context, r transport.Request, body settingsBody, remote *Pipe) (resp transport.Response, sent []byte, err error) {
	members, err := body.over(remote.Settings)
	if err != nil {
		return resp, nil, &transport.Error{Operation: r.Operation, Err: err}
	}
	budget := c.transport.NewBudget()
	put := func() (transport.Response, []byte, error) {
		body, err := json.Marshal(members)
		if err != nil {
			return transport.Response{}, nil, &transport.Error{Operation: r.Operation, Err: err}
		}
		r.Body = body
		resp, err := c.transport.Do(ctx, r, budget)
		return resp, body, err
	}
	resp, sent, err = put()
	refusal, _ := errors.AsType[*transport.Error](err)
	if !isInvalid(err) {
		return resp, sent, err
	}
	source, _ := remote.Source.Get()
	before := len(members)
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool {
		if body.isConfigured(name) {
			return false
		}
		return !source.UsesSetting(name) || !settingNames[name] && mentions(refusal.Message, name)
	})
	if len(members) == before {
		return resp, sent, refusal
	}
	if resp, sent, err = put(); err != nil {
		first := *refusal
		first.OutcomeUnknown = transport.IsOutcomeUnknown(err)
		err = &first
	}
	return resp, sent, err
}

// mentions reports whether text contains a name as a whole word.
func mentions(text, name string) bool {
	return regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `(\W|$)`).MatchString(text)
}

// A settingsBody is what makes up a PUT beside the pipe's own settings.
type settingsBody struct {
	change, configured map[string]json.RawMessage // only members with a value
}

func newSettingsBody(change, configured Settings) (body settingsBody, err error) {
	if body.change, err = settingMembers(change); err != nil {
		return body, err
	}
	body.configured, err = settingMembers(configured)
	return body, err
}

func (b settingsBody) isConfigured(name string) bool {
	return b.change[name] != nil || b.configured[name] != nil
}

// over returns the members to send. Nulls are left out, since their effect is not
// documented. So is what is out of bounds and not changed: a 0 that means the
// default would make the API refuse the whole body.
func (b settingsBody) over(remote Value[Settings]) (map[string]json.RawMessage, error) {
	settings, _ := remote.Get()
	own, err := settingMembers(settings)
	if err != nil {
		return nil, err
	}
	members := maps.Clone(b.configured)
	maps.Copy(members, own)
	for name := range settings.OutOfBounds() {
		delete(members, name)
	}
	maps.Copy(members, b.change)
	return members, nil
}

// settingMembers returns the members of settings that have a value.
func settingMembers(s Settings) (map[string]json.RawMessage, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	err = json.Unmarshal(data, &members)
	maps.DeleteFunc(members, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return members, err
}
