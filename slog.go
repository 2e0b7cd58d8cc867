package garaph

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Slog is a logger for the options of this package that hands everything to l.
//
//	garaph.RunOptions{Log: garaph.Slog(slog.Default())}
func Slog(l *slog.Logger) *zap.Logger {
	return zap.New(&slogCore{handler: l.Handler()})
}

// slogCore is where zap ends and slog begins. (zapslog of zap is the other way round.)
type slogCore struct{ handler slog.Handler }

func slogLevel(l zapcore.Level) slog.Level {
	switch {
	case l < zapcore.InfoLevel:
		return slog.LevelDebug
	case l < zapcore.WarnLevel:
		return slog.LevelInfo
	case l < zapcore.ErrorLevel:
		return slog.LevelWarn
	default:
		return slog.LevelError
	}
}

func (c *slogCore) Enabled(l zapcore.Level) bool {
	return c.handler.Enabled(context.Background(), slogLevel(l))
}

func (c *slogCore) With(fields []zapcore.Field) zapcore.Core {
	return &slogCore{c.handler.WithAttrs(attributes(fields))}
}

func (c *slogCore) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return to.AddCore(e, c)
	}
	return to
}

func (c *slogCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	r := slog.NewRecord(e.Time, slogLevel(e.Level), e.Message, 0)
	r.AddAttrs(attributes(fields)...)
	return c.handler.Handle(context.Background(), r)
}

func (c *slogCore) Sync() error { return nil }

// attributes are fields as slog has them, in the order of their names.
func attributes(fields []zapcore.Field) []slog.Attr {
	m := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(m)
	}
	var all []slog.Attr
	for _, key := range slices.Sorted(maps.Keys(m.Fields)) {
		all = append(all, slog.Any(key, m.Fields[key]))
	}
	return all
}
