package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"time"
)

// LevelTrace is the level of records with bodies.
const LevelTrace = slog.LevelDebug - 4

const mask = "***"

// logAttempt writes one record. The path contains only ids, and there is no
// query.
func (c *Client) logAttempt(ctx context.Context, r Request, number int, took time.Duration, resp Response, failed *Error) {
	attributes := []slog.Attr{
		slog.String("operation", r.Operation),
		slog.String("method", r.Method),
		slog.String("path", "/v1/organizations/"+c.config.OrganizationID+"/"+strings.Join(r.Path, "/")),
		slog.Int("attempt", number),
		slog.Duration("duration", took),
	}
	status, id := resp.Status, resp.RequestID
	if failed != nil {
		status, id = failed.Status, failed.RequestID
		attributes = append(attributes, slog.String("error", failed.Error()))
	}
	attributes = append(attributes, slog.Int("status", status), slog.String("request_id", id))
	c.config.Logger.LogAttrs(ctx, slog.LevelDebug, "request", attributes...)
}

// logBodies logs what was sent and received, with secrets masked.
func (c *Client) logBodies(ctx context.Context, r Request, received []byte) {
	if !c.config.Logger.Enabled(ctx, LevelTrace) {
		return
	}
	c.config.Logger.LogAttrs(ctx, LevelTrace, "bodies",
		slog.String("operation", r.Operation),
		slog.String("sent", c.secrets.Replace(masked(r.Body))),
		slog.String("received", c.secrets.Replace(masked(received))))
}

// masked returns a JSON body with its secrets masked. Other bodies cannot be
// searched for secrets and are left out.
func masked(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return "(not JSON)"
	}
	text, _ := json.Marshal(maskValue(value)) // was JSON before
	return string(text)
}

func maskValue(value any) any {
	switch value := value.(type) {
	case string:
		return maskURLs(value)
	case []any:
		for i := range value {
			value[i] = maskValue(value[i])
		}
	case map[string]any:
		for name := range value {
			if value[name] != nil && secretName.MatchString(name) {
				value[name] = mask
				continue
			}
			value[name] = maskValue(value[name])
		}
	}
	return value
}

var (
	// userInfo matches the user info of a URL. After a colon it is a password,
	// which may hold any character, also unescaped.
	userInfo = regexp.MustCompile(`://[^\s"'<>@/?#:]*(:[^\s"'<>]*)?@`)
	// signature matches parameters that grant access, such as sig,
	// X-Amz-Signature and AccountKey, in URLs and connection strings.
	signature = regexp.MustCompile(`(?i)((?:^|[?&;,\s])(?:(?:[\w.-]*[-_.])?(?:sig|signature)|` +
		`[\w.-]*(?:token|secret|password|credential|accesskey|accountkey|api[-_]?key)[\w.-]*)=)[^&;,\s"'<>#]+`)
)

func maskURLs(text string) string {
	text = userInfo.ReplaceAllString(text, "://"+mask+"@")
	return signature.ReplaceAllString(text, "${1}"+mask)
}

// secretName matches the names of members whose values are masked: those of
// openapi.yaml, and those with a telling name.
var secretName = regexp.MustCompile(`(?i)secret|password|token|^connectionString$|^encryptionKey$`)

// newReplacer masks the credentials if a response repeats them. Very short ones
// are left alone: masking them would garble every text.
func newReplacer(secrets ...string) *strings.Replacer {
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= 8 {
			pairs = append(pairs, secret, mask)
		}
	}
	return strings.NewReplacer(pairs...)
}
