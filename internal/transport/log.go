package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// LevelTrace is the level of records with bodies.
const LevelTrace = slog.LevelDebug - 4

// logAttempt logs the path as it is: it holds only ids.
func (c *Client) logAttempt(ctx context.Context, r Request, number int, took time.Duration, resp Response, failed *Error) {
	attributes := []slog.Attr{
		slog.String("operation", r.Operation),
		slog.String("method", r.Method),
		slog.String("path", "/v1/organizations/"+c.config.OrganizationID+"/"+strings.Join(r.Path, "/")),
		slog.Int("attempt", number),
		slog.Duration("duration", took),
	}
	if failed != nil {
		resp.Status = failed.Status // may be the envelope's
		attributes = append(attributes, slog.String("error", failed.Error()))
	}
	attributes = append(attributes, slog.Int("status", resp.Status), slog.String("request_id", resp.RequestID))
	c.config.Logger.LogAttrs(ctx, slog.LevelDebug, "request", attributes...)
}

// logWait logs that all requests wait, if they do.
func (c *Client) logWait(ctx context.Context, r Request, wait time.Duration) {
	if wait > 0 {
		c.config.Logger.LogAttrs(ctx, slog.LevelInfo, "waiting for the API's rate limit",
			slog.String("operation", r.Operation), slog.Duration("pause", wait))
	}
}

func (c *Client) logBodies(ctx context.Context, r Request, sent, received []byte) {
	if !c.config.Logger.Enabled(ctx, LevelTrace) {
		return
	}
	c.config.Logger.LogAttrs(ctx, LevelTrace, "bodies",
		slog.String("operation", r.Operation),
		slog.String("sent", c.masker.body(sent)),
		slog.String("received", c.masker.body(received)))
}

const maxLogged = 1 << 20 // bytes of a body: masking takes time

// body returns a body for the log.
func (m masker) body(body []byte) string {
	value, isJSON := parseJSON(body, maxLogged)
	if !isJSON {
		return fmt.Sprintf("a body of %d bytes", len(body))
	}
	text, _ := json.Marshal(m.masked(value, false)) // was JSON before
	return string(text)
}
