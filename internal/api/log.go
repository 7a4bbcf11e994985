package api

import "log/slog"

// LevelTrace is the level of the records that hold bodies, secrets masked.
const LevelTrace = slog.LevelDebug - 4
