package provider

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// LogIsOn reports whether an environment variable turns on the log of providers, such as
// TF_LOG or TF_LOG_PROVIDER. TF_LOG_PATH only names a file, and TF_LOG_CORE is Terraform's.
func LogIsOn() bool {
	return slices.ContainsFunc(os.Environ(), func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		isLevel := strings.HasPrefix(name, "TF_LOG") && name != "TF_LOG_PATH" && name != "TF_LOG_CORE"
		return isLevel && value != "" && !strings.EqualFold(value, "off")
	})
}

// logHandler writes the client's records to Terraform's log, which filters them.
type logHandler struct{}

func (logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (logHandler) Handle(ctx context.Context, record slog.Record) error {
	fields := map[string]any{}
	record.Attrs(func(a slog.Attr) bool {
		fields[a.Key] = a.Value.String()
		return true
	})
	switch {
	case record.Level <= transport.LevelTrace:
		tflog.Trace(ctx, record.Message, fields)
	case record.Level < slog.LevelInfo:
		tflog.Debug(ctx, record.Message, fields)
	default: // the client logs nothing above
		tflog.Info(ctx, record.Message, fields)
	}
	return nil
}

// The client derives no logger with attributes or groups of its own.

func (h logHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h logHandler) WithGroup(string) slog.Handler      { return h }
