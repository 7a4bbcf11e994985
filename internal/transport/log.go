package transport

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// LevelTrace is the level of the records that hold bodies, secrets masked.
const LevelTrace = slog.LevelDebug - 4

const mask = "***"

// logAttempt writes the one record of an attempt. The path holds ids and
// nothing else; there is no query.
func (c *Client) logAttempt(ctx context.Context, r Request, number int, took time.Duration, a Response, failed *Error) {
	if !c.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attributes := []slog.Attr{
		slog.String("operation", r.Operation),
		slog.String("method", r.Method),
		slog.String("path", "/v1/organizations/"+c.organizationID+"/"+strings.Join(r.Path, "/")),
		slog.Int("attempt", number),
		slog.Duration("duration", took),
	}
	status, id := a.Status, a.RequestID
	if failed != nil {
		status, id = failed.Status, failed.RequestID
		attributes = append(attributes, slog.String("error", failed.Error()))
	}
	attributes = append(attributes, slog.Int("status", status), slog.String("request_id", id))
	c.log.LogAttrs(ctx, slog.LevelDebug, "request", attributes...)
}

// logBodies writes what was sent and what came back.
func (c *Client) logBodies(ctx context.Context, r Request, received []byte) {
	if !c.log.Enabled(ctx, LevelTrace) {
		return
	}
	c.log.LogAttrs(ctx, LevelTrace, "bodies",
		slog.String("operation", r.Operation),
		slog.String("sent", c.redact.Replace(string(masked(r.Body)))),
		slog.String("received", c.redact.Replace(string(masked(received)))))
}

// masked returns a JSON body with the values of its secret members replaced.
// What is no JSON cannot be searched for secrets and is left out.
func masked(body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return []byte("(not JSON)")
	}
	text, err := json.Marshal(maskMembers(value))
	if err != nil {
		return []byte("(not JSON)")
	}
	return text
}

func maskMembers(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = maskMembers(value[i])
		}
	case map[string]any:
		for name := range value {
			if value[name] != nil && isSecret(name) {
				value[name] = mask
				continue
			}
			value[name] = maskMembers(value[name])
		}
	}
	return value
}

// isSecret reports whether a member of this name is not to be seen: the two
// that the specification has, and what any other would be called.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	return name == "connectionstring" || name == "encryptionkey" || containsAny(name, "secret", "password", "token")
}

// mentionsSecret reports whether a text may hold the name of a secret member.
func mentionsSecret(text string) bool {
	return containsAny(strings.ToLower(text), "connectionstring", "encryptionkey", "secret", "password", "token")
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// newRedactor replaces the credentials where an answer repeats them. A secret
// too short to be one is left alone: replacing it would garble every text.
func newRedactor(secrets ...string) *strings.Replacer {
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= 8 {
			pairs = append(pairs, secret, mask)
		}
	}
	return strings.NewReplacer(pairs...)
}
